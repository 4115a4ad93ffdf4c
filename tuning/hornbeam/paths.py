# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Where things lie: the source tree this package belongs to and the folders of the user."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from hornbeam.errors import ConfigurationError


def root() -> Path:
    """Folder that holds ``include/``, ``src/`` and ``tuning/``."""
    return Path(__file__).resolve().parents[2]


def include_dir() -> Path:
    """Folder of the C++ headers, kernels among them."""
    return root() / "include"


def kernel_definition_dir() -> Path:
    """Folder of the kernels' machine-readable definitions."""
    return include_dir() / "hornbeam" / "kernels"


def tools_source_dir() -> Path:
    """CMake project of the device compiler and the benchmark driver."""
    return root() / "src"


def shipped_dataset_dir() -> Path:
    """Folder of the datasets that come with hornbeam, one folder per device key."""
    return root() / "tuning" / "datasets"


def cache_dir() -> Path:
    """Per-user cache folder, following the XDG base directories.

    Where neither ``XDG_CACHE_HOME`` nor a home folder is usable, a folder of the
    user's own under the system's temporary folder stands in.

    Raises:
        ConfigurationError: that folder can't be trusted, see `_private`.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base and Path(base).is_absolute():
        return Path(base) / "hornbeam"
    home = os.environ.get("HOME", "")
    if home and Path(home).is_absolute() and os.access(home, os.W_OK):
        return Path(home) / ".cache" / "hornbeam"
    return _private(Path(tempfile.gettempdir()) / f"hornbeam-{os.getuid()}")


def _private(folder: Path) -> Path:
    """Make a folder that nobody else can read or write; what lies in it is run.

    Raises:
        ConfigurationError: somebody else made it, or it is no folder but a link to one.
    """
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid():
            if stat.S_IMODE(found.st_mode) != 0o700:
                folder.chmod(0o700)
            return folder
        what = "is not a folder of yours"
    except OSError as error:
        what = f"cannot be made: {error.strerror}"
    raise ConfigurationError(f"{folder} {what}; set XDG_CACHE_HOME to a folder of your own")


def user_dataset_dir() -> Path:
    """Per-user folder of datasets, where tuning stores its results by default."""
    return cache_dir() / "datasets"
