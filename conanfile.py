# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Conan package of hornbeam, tuned for the devices that the option ``target_device`` names.

The options mirror CMake's (``HORNBEAM_TARGET_DEVICE`` ...), which checks their values. The
package id holds a digest of the data that the kernels are chosen from, see ``package_id``.
"""

import hashlib
import os
import re
import shutil
import sys
from pathlib import Path

from conan import ConanFile
from conan.errors import ConanException, ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.env import VirtualBuildEnv, VirtualRunEnv
from conan.tools.files import copy, rmdir

required_conan_version = ">=2.4"

PYTHON_PINS = "requirements.txt"
SYCL_PINS = "requirements-sycl.txt"
STORED_DATASETS = "tuning/datasets"

#: What projects may call, whatever the toolchain; in the package.
CMAKE_MODULE = "lib/cmake/HornbeamSingleSource.cmake"

#: Options that are handed to CMake as HORNBEAM_<NAME>.
TUNING_OPTIONS = {
    "target_device": "auto",
    "tune": "AUTO",
    "tune_budget": "600",
    "num_kernels": "0",
    "configurations": "*",
    "selection": "pca_kmeans",
    "normalisation": "scaled",
    "data_types": "float,double",
    "problems": None,
    "dataset_dir": None,
}

#: Those of them that are lists.
LISTS = ("target_device", "data_types", "configurations")


class HornbeamConan(ConanFile):
    name = "hornbeam"
    description = "SYCL matrix multiplication, tuned for the device it will run on"
    license = "Apache-2.0"
    topics = ("sycl", "gemm", "matrix-multiplication", "auto-tuning")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "python": [True, False],
        "bit_stable": [True, False],
        "native_binaries": [True, False],
        **{name: [None, "ANY"] for name in TUNING_OPTIONS},
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "python": False,
        "bit_stable": True,
        "native_binaries": False,
        **TUNING_OPTIONS,
    }
    # package_id reads the datasets, so they travel with the recipe and not just with its sources.
    exports = SYCL_PINS, f"{STORED_DATASETS}/*.json", f"{STORED_DATASETS}/*.csv.gz"
    exports_sources = (
        "CMakeLists.txt",
        "LICENSE",
        "VERSION",
        PYTHON_PINS,
        "cmake/*",
        "include/*",
        "src/*",
        "tuning/*",
        "!*/__pycache__/*",
        "!*.egg-info/*",
        "!tuning/.*",
    )

    def set_version(self):
        self.version = self.version or Path(self.recipe_folder, "VERSION").read_text().strip()

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        self.options.tune = str(self.options.tune).upper()
        for name in ("problems", "dataset_dir"):
            path = _path(self.options, name)
            made_here = name == "dataset_dir" and self.options.tune == "FORCE"
            if path and not (path.is_absolute() and (path.exists() or made_here)):
                raise ConanInvalidConfiguration(
                    f"{self.name}: option {name} names '{path}', which does not exist or is not "
                    "an absolute path"
                )

    def requirements(self):
        pins = Path(self.recipe_folder, SYCL_PINS).read_text()
        wheel = re.search(r"^dpcpp-cpp-rt==(\S+)", pins, re.MULTILINE).group(1)
        self.requires(f"sycl-wheel/{wheel}", transitive_headers=True, transitive_libs=True)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 17)

    def package_id(self):
        """Replaces what can't be compared between machines by what it stands for.

        Paths give way to digests of what lies there, ``auto`` to a description of the machine.
        A package that is measured while it is built can't know its data beforehand: its id
        stands for the machine, the options and the data there were, its revision for the rest.
        """
        options = self.info.options
        self.info.settings.rm_safe("compiler.cppstd")
        automatic = "auto" in _targets(options)
        own_problems = _path(options, "problems")
        may_measure = options.tune == "FORCE" or (
            options.tune == "AUTO" and (automatic or own_problems)
        )
        if options.tune in ("FORCE", "OFF"):
            options.dataset_dir = None
        else:
            stored = Path(self.recipe_folder, STORED_DATASETS)
            options.dataset_dir = _digest(_dataset_files(options, stored))
        options.problems = _digest({"problems": own_problems}) if own_problems else None
        options.target_device = ",".join(_targets(options))
        # Whether a target is in the build machine decides whether there are native binaries.
        if automatic or may_measure or options.native_binaries:
            options.target_device = f"{options.target_device} on {_machine()}"
        if not may_measure:
            del options.tune_budget

    def generate(self):
        VirtualBuildEnv(self).generate()
        VirtualRunEnv(self).generate(scope="build")  # configuring looks for devices and measures
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        for name in TUNING_OPTIONS:
            value = str(self.options.get_safe(name))
            if value != "None":
                value = _cmake_list(value) if name in LISTS else value
                toolchain.cache_variables[f"HORNBEAM_{name.upper()}"] = value
        toolchain.cache_variables["HORNBEAM_BIT_STABLE"] = bool(self.options.bit_stable)
        toolchain.cache_variables["HORNBEAM_NATIVE_BINARIES"] = bool(self.options.native_binaries)
        toolchain.cache_variables["HORNBEAM_DATASET_DIR"] = str(self._working_datasets())
        toolchain.cache_variables["HORNBEAM_PYTHON"] = self._python()
        toolchain.cache_variables["HORNBEAM_SYCL_ROOT"] = self._sycl_root()
        toolchain.cache_variables["HORNBEAM_SYCL"] = "WHEEL"
        toolchain.cache_variables["HORNBEAM_BUILD_TESTS"] = False
        toolchain.cache_variables["HORNBEAM_BUILD_PYTHON"] = bool(self.options.python)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, str(Path(self.package_folder, "licenses")))
        CMake(self).install()
        rmdir(self, str(Path(self.package_folder, "lib", "cmake")))  # CMakeDeps makes its own
        module = Path(self.package_folder, CMAKE_MODULE)
        copy(self, module.name, str(Path(self.source_folder, "cmake")), str(module.parent))
        rmdir(self, str(self._own_environment))
        data = Path(self.package_folder, "share", "hornbeam")
        if _path(self.options, "dataset_dir") is None:
            copy(self, "*.json", str(self._working_datasets()), str(data / "datasets"))
            copy(self, "*.csv.gz", str(self._working_datasets()), str(data / "datasets"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "hornbeam")
        self.cpp_info.set_property("cmake_target_name", "hornbeam::hornbeam")
        self.cpp_info.set_property("cmake_config_version_compat", "SameMinorVersion")
        self.cpp_info.set_property("cmake_build_modules", [CMAKE_MODULE])
        self.cpp_info.libs = ["hornbeam"]
        self.cpp_info.requires = ["sycl-wheel::sycl-wheel"]
        if not self.options.shared:
            self.cpp_info.system_libs = ["pthread"]
        if self.options.python:
            self.runenv_info.define_path("HORNBEAM_LIBRARY", self.package_folder)

    def _sycl_root(self):
        return self.dependencies["sycl-wheel"].package_folder

    @property
    def _own_environment(self):
        return Path(self.build_folder, "python")

    def _working_datasets(self):
        """Folder that the build reads datasets from first, and writes what it measures to.

        A build must not change what its package id was computed from, so it works on a copy
        of the user's folder, but for FORCE, whose id does not depend on that folder.
        """
        given = _path(self.options, "dataset_dir")
        if given and self.options.tune == "FORCE":
            return given
        working = Path(self.build_folder, "datasets")
        if given and given.is_dir() and not working.exists():
            shutil.copytree(given, working)
        return working

    def _python(self):
        """Interpreter with the packages that configuring needs: the given one, or one made here."""
        given = self.conf.get("user.hornbeam:python", check_type=str)
        if given:
            return given
        environment = self._own_environment
        python = environment / "bin" / "python"
        if not python.exists():
            self.output.info(
                f"making a Python environment with {PYTHON_PINS}; to use one that "
                "exists, set the conf user.hornbeam:python to its interpreter"
            )
            self.run(f'"{sys.executable}" -m venv "{environment}"')
        # The wheel itself holds nothing but its version, which measurements are stored with.
        wheel = f"dpcpp-cpp-rt=={self.dependencies['sycl-wheel'].ref.version}"
        self.run(
            f'"{python}" -m pip install --quiet --no-deps --disable-pip-version-check '
            f'-r "{Path(self.source_folder, PYTHON_PINS)}" {wheel}'
        )
        return str(python)


def _cmake_list(value):
    """Lists are given with commas on command lines, where a semicolon would end the command."""
    return value.replace(",", ";")


def _targets(options):
    names = (name.strip() for name in _cmake_list(str(options.target_device)).split(";"))
    return list(dict.fromkeys(name for name in names if name))


def _path(options, name):
    value = str(options.get_safe(name))
    return None if value == "None" else Path(value)


def _dataset_files(options, stored):
    """Files that the target devices may be served by, under names free of machine paths."""
    targets = _targets(options)
    folders = ["*"] if "auto" in targets else sorted(targets)
    places = {"own": _path(options, "dataset_dir"), "stored": stored}
    return {
        f"{place}/{file.relative_to(root).as_posix()}": file
        for place, root in places.items()
        if root
        for folder in folders
        for pattern in ("device.json", "*.csv.gz")
        for file in sorted(root.glob(f"{folder}/{pattern}"))
    }


def _digest(files):
    """SHA-256 over names and contents, in hexadecimal; ``files`` maps names to paths."""
    digest = hashlib.sha256()
    for name, file in files.items():
        try:
            content = file.read_bytes()
        except OSError as error:
            raise ConanException(f"{file}: cannot be read: {error.strerror}") from error
        digest.update(f"{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _machine():
    """What decides which device ``auto`` finds: processor, OpenCL drivers and graphics cards."""
    try:
        processor = Path("/proc/cpuinfo").read_text()
    except OSError:
        processor = ""
    fields = dict(re.findall(r"^(vendor_id|flags)\s*:\s*(.*)$", processor, re.MULTILINE))
    flags = fields.get("flags", "").split()
    vectors = next(
        (name for name in ("avx512f", "avx2", "avx", "sse4_2") if name in flags), "plain"
    )
    units = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    drivers = sorted(path.stem for path in Path("/etc/OpenCL/vendors").glob("*.icd"))
    cards = sorted(
        f"{(path / 'vendor').read_text().strip()}:{(path / 'device').read_text().strip()}"
        for path in Path("/sys/class/drm").glob("card[0-9]/device")
        if (path / "vendor").is_file() and (path / "device").is_file()
    )
    return " ".join([fields.get("vendor_id", "cpu"), vectors, f"{units}cu", *drivers, *cards])
