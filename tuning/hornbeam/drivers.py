# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""OpenCL drivers made visible: the one that comes with the dpcpp-cpp-rt wheel and the system's.

The wheel's own ``.icd`` file names a folder of the machine it was built on, so a loader
never finds that driver by itself; and pointing ``OCL_ICD_VENDORS`` at another folder hides
the system's drivers. A folder that holds a correct entry for each of them solves both.
"""

from __future__ import annotations

import hashlib
import os
from importlib import metadata
from pathlib import Path

from hornbeam import paths
from hornbeam.errors import ConfigurationError

VENDORS_VARIABLE = "OCL_ICD_VENDORS"
ROOT_VARIABLE = "HORNBEAM_SYCL_ROOT"
SYSTEM_VENDORS = Path("/etc/OpenCL/vendors")
WHEEL = "dpcpp-cpp-rt"

_DRIVER_PACKAGE = "intel-opencl-rt"
_DRIVER_LIBRARY = "libintelocl.so"


def wheel_prefix() -> Path | None:
    """Prefix that the dpcpp-cpp-rt wheel is installed under (it holds ``lib/libsycl.so``).

    ``HORNBEAM_SYCL_ROOT`` names another place for it, as it does for CMake.
    """
    root = os.environ.get(ROOT_VARIABLE)
    if root:
        return Path(root) if Path(root, "lib", "libsycl.so").exists() else None
    try:
        metadata.version(WHEEL)
        files = metadata.distribution(_DRIVER_PACKAGE).files or []
    except metadata.PackageNotFoundError:
        return None
    for file in files:
        if file.name == _DRIVER_LIBRARY:
            prefix = Path(str(file.locate())).resolve().parents[1]
            return prefix if (prefix / "lib" / "libsycl.so").exists() else None
    return None


def compiler_version() -> str:
    """Name and version of the device compiler, e.g. ``dpcpp-cpp-rt 2026.2.0``."""
    try:
        return f"{WHEEL} {metadata.version(WHEEL)}"
    except metadata.PackageNotFoundError:
        return f"{WHEEL} (not installed)"


def registrations(folder: Path) -> list[tuple[Path, str]]:
    """The ``.icd`` files of a folder and the library each of them names."""
    found = []
    for path in sorted(folder.glob("*.icd")) if folder.is_dir() else []:
        try:
            lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            continue
        found.append((path, lines[0].strip()))
    return found


def is_dangling(library: str) -> bool:
    """Whether a registered library is given by a path that does not exist."""
    return not library or ("/" in library and not Path(library).exists())


def compose_vendors(prefix: Path | None, system: Path = SYSTEM_VENDORS) -> Path | None:
    """Write a folder of driver registrations: the wheel's, then the system's.

    Args:
        prefix: of the wheel, None where it is not installed.
        system: folder of the system's registrations.

    Returns:
        The folder, under the per-user cache and named after its content; None where
        there is no driver to register or the folder can't be written.
    """
    entries: dict[str, str] = {}
    if prefix is not None:
        entries["00-hornbeam-wheel.icd"] = str(prefix / "lib" / _DRIVER_LIBRARY)
    for path, library in registrations(system):
        if not is_dangling(library):
            entries[path.name] = library
    if not entries:
        return None
    name = hashlib.sha256(repr(sorted(entries.items())).encode()).hexdigest()[:16]
    try:
        folder = paths.cache_dir() / "icd" / name
        folder.mkdir(parents=True, exist_ok=True)
        for file, library in entries.items():
            _write_once(folder / file, library + "\n")
    except (OSError, ConfigurationError):
        return None
    return folder


def environment(prefix: Path | None) -> dict[str, str]:
    """Variables that a program needs to find the drivers.

    Args:
        prefix: of the wheel, see `wheel_prefix`.

    Returns:
        The user's own setting of ``OCL_ICD_VENDORS`` where there is one, else a composed
        folder; empty where there is nothing to add to the system's drivers.
    """
    own = os.environ.get(VENDORS_VARIABLE)
    if own:
        return {VENDORS_VARIABLE: own}
    folder = compose_vendors(prefix)
    return {} if folder is None else {VENDORS_VARIABLE: str(folder)}


def make_visible() -> None:
    """Let OpenCL loaders of this process and its children find the drivers."""
    os.environ.update(environment(wheel_prefix()))


def _write_once(path: Path, text: str) -> None:
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)
