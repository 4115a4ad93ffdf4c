# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Where things lie: the source tree this package belongs to and the folders of the user."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


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
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    if base and Path(base).is_absolute():
        return Path(base) / "hornbeam"
    home = os.environ.get("HOME", "")
    if home and Path(home).is_absolute() and os.access(home, os.W_OK):
        return Path(home) / ".cache" / "hornbeam"
    return Path(tempfile.gettempdir()) / f"hornbeam-{os.getuid()}"


def user_dataset_dir() -> Path:
    """Per-user folder of datasets, where tuning stores its results by default."""
    return cache_dir() / "datasets"
