# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Conan package of the SYCL runtime that the wheel dpcpp-cpp-rt brings.

Headers, ``libsycl`` with its device compiler, and the OpenCL driver for x86 CPUs, taken from a
Python environment (conf ``user.hornbeam:python``) or, where none is named, from one made for
the purpose with the pinned versions. The package depends on neither afterwards.
"""

import filecmp
import json
import re
import shutil
import sys
from fnmatch import fnmatch
from io import StringIO
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanException, ConanInvalidConfiguration
from conan.tools.env import VirtualBuildEnv
from conan.tools.files import copy, rmdir, save

required_conan_version = ">=2.4"

PINS = "requirements-sycl.txt"

#: What is packaged, relative to the wheels' prefix. Left out: debug files, OpenMP and its
#: offloading, link-time optimisation, sanitizers, tracing, the preview ABI, bit code for CUDA.
PACKAGED = (
    # headers
    "include/sycl/*",
    "include/CL/*",
    "include/unified-runtime/*",
    # the SYCL runtime and the device compiler behind it
    "lib/libsycl.so*",
    "lib/libsycl-jit.so*",
    # adapters to OpenCL and Level Zero, and their memory pools
    "lib/libur_loader.so*",
    "lib/libur_adapter_level_zero*.so*",
    "lib/libumf.so*",
    "lib/libhwloc.so*",
    # OpenCL: the loader, the driver for x86 CPUs and its thread pool
    "lib/libOpenCL.so*",
    "lib/libintelocl.so*",
    "lib/libcommon_clang.so*",
    "lib/libocl_svml_*.so",
    "lib/cl.cfg",
    "lib/clbltfn*.rtl",
    "lib/cllibrary*",
    "lib/libtbb.so*",
    "lib/libtbbmalloc.so*",
    "lib/libtbbbind_2_5.so*",
    # the mathematical libraries that all of the above were linked with
    "lib/libimf.so",
    "lib/libintlc.so*",
    "lib/libirng.so",
    "lib/libsvml.so",
)
DEBUGGER_SCRIPTS = "*-gdb.py"
LICENCES = ("licensing/*", "share/doc/*")

#: Run by the interpreter that has the wheels: prints their versions, and their files as pairs
#: of (path below the prefix, absolute path).
LIST_FILES = """
import importlib.metadata, json, pathlib, sys
versions, files = {}, []
for name in sys.argv[1:]:
    try:
        distribution = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        continue
    versions[name] = distribution.version
    for entry in distribution.files or ():
        files.append(pathlib.Path(distribution.locate_file(entry)).resolve())
prefix = next((f.parent.parent for f in files if f.name == "libsycl.so"), None)
inside = [f for f in files if prefix and prefix in f.parents]
print(json.dumps([versions, [(f.relative_to(prefix).as_posix(), str(f)) for f in inside]]))
"""


class SyclWheelConan(ConanFile):
    name = "sycl-wheel"
    description = "SYCL runtime, device compiler and OpenCL CPU driver from the wheel dpcpp-cpp-rt"
    license = "LicenseRef-Intel-Developer-Tools-EULA"
    topics = ("sycl", "opencl", "dpc++")
    package_type = "shared-library"
    settings = "os", "arch"

    def set_version(self):
        self.version = self.version or self._pins()["dpcpp-cpp-rt"]

    def export(self):
        copy(self, PINS, str(self._pins_file().parent), self.export_folder)

    def validate(self):
        if (self.settings.os, self.settings.arch) != ("Linux", "x86_64"):
            raise ConanInvalidConfiguration(
                f"{self.ref}: the wheel dpcpp-cpp-rt is repackaged for Linux on x86_64 only, "
                f"not for {self.settings.os} on {self.settings.arch}"
            )

    def generate(self):
        VirtualBuildEnv(self).generate()

    def build(self):
        if self._given_python():
            return
        self.output.info(
            f"making a Python environment with {PINS}; to use one that exists, set "
            "the conf user.hornbeam:python to its interpreter"
        )
        self.run(f'"{sys.executable}" -m venv "{self._own_environment}"')
        self.run(
            f'"{self._own_environment}/bin/python" -m pip install --quiet --no-deps '
            f'--no-compile --disable-pip-version-check -r "{self._pins_file()}"'
        )

    def package(self):
        if " " in self.package_folder:
            raise ConanException(
                f"{self.ref}: the OpenCL CPU driver fails in a path with a space: set CONAN_HOME, "
                f"or the conf core.cache:storage_path, to a path without, not {self.package_folder}"
            )
        python = self._given_python() or f"{self._own_environment}/bin/python"
        files = {_place(path): Path(source) for path, source in self._wheel_files(python)}
        files.pop(None, None)
        if Path("lib/libsycl.so") not in files:
            raise ConanException(f"{self.ref}: the wheels in {python} hold no lib/libsycl.so")
        target = Path(self.package_folder)
        for path, source in files.items():
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            original = _original(path, files)
            if original == path:
                shutil.copy(source, target / path)
            else:
                (target / path).symlink_to(original.name)
        # By bare name, so that the package can be moved; found through the library path.
        save(self, str(target / "etc/OpenCL/vendors/intel-cpu.icd"), "libintelocl.so\n")
        rmdir(self, str(self._own_environment))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "sycl-wheel")
        self.cpp_info.set_property("cmake_target_name", "sycl-wheel::sycl-wheel")
        self.cpp_info.set_property("cmake_target_aliases", ["hornbeam::sycl"])
        self.cpp_info.libs = ["sycl", "OpenCL"]
        self.cpp_info.defines = ["SYCL_DISABLE_FSYCL_SYCLHPP_WARNING"]
        # RPATH, not RUNPATH: libOpenCL.so finds its own libraries only through the former.
        self.cpp_info.exelinkflags = ["-Wl,--disable-new-dtags"]
        self.cpp_info.sharedlinkflags = ["-Wl,--disable-new-dtags"]
        # Adds the CPU driver to those installed on the system, which OCL_ICD_VENDORS would hide.
        driver = str(Path(self.package_folder, "lib", "libintelocl.so"))
        self.runenv_info.append_path("OCL_ICD_FILENAMES", driver)
        self.buildenv_info.append_path("OCL_ICD_FILENAMES", driver)
        self.buildenv_info.define_path("HORNBEAM_SYCL_ROOT", self.package_folder)

    @property
    def _own_environment(self):
        return Path(self.build_folder, "wheel")

    def _given_python(self):
        return self.conf.get("user.hornbeam:python", check_type=str)

    def _pins_file(self):
        """The pinned versions: beside the recipe in the cache, else at the checkout's root."""
        here = Path(self.recipe_folder)
        return here / PINS if (here / PINS).is_file() else here.parent.parent / PINS

    def _pins(self):
        """Distribution name -> version."""
        return dict(re.findall(r"^([\w.-]+)==(\S+)", self._pins_file().read_text(), re.MULTILINE))

    def _wheel_files(self, python):
        """Asks ``python`` for the wheels' files: pairs of path below the prefix, absolute path."""
        script = Path(self.build_folder, "list_files.py")
        save(self, str(script), LIST_FILES)
        output = StringIO()
        self.run(f'"{python}" -I "{script}" {" ".join(self._pins())}', stdout=output, quiet=True)
        versions, files = json.loads(output.getvalue())
        found = versions.get("dpcpp-cpp-rt", "none")
        if found != str(self.version):
            raise ConanException(
                f"{self.ref}: {python} has dpcpp-cpp-rt {found}, needed is {self.version}: "
                f"run '{python} -m pip install dpcpp-cpp-rt=={self.version}', or unset the conf "
                "user.hornbeam:python to have an environment made"
            )
        return files


def _place(path):
    """Where a file of the wheels goes in the package; None: nowhere."""
    if fnmatch(path, DEBUGGER_SCRIPTS):
        return None
    if any(fnmatch(path, pattern) for pattern in PACKAGED):
        return Path(path)
    if any(fnmatch(path, pattern) for pattern in LICENCES):
        return Path("licenses", path)
    return None


def _original(path, files):
    """The file that ``path`` is a copy of: wheels can't hold links from libx.so to libx.so.1."""
    stem, shared, _ = path.name.partition(".so")
    if not shared:
        return path
    versions = [
        other
        for other in files
        if other.parent == path.parent
        and other.name.startswith(f"{stem}.so")
        and filecmp.cmp(files[other], files[path], shallow=False)
    ]
    return max(versions, key=lambda other: len(other.name))
