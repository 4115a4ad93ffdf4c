# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Where the module lies that a build with ``HORNBEAM_BUILD_PYTHON`` makes."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path

from hornbeam.errors import LibraryNotFoundError

MODULE = "libhornbeam_python.so"
VARIABLE = "HORNBEAM_LIBRARY"
_PREFIXES_VARIABLE = "CMAKE_PREFIX_PATH"


def find_library(path: str | os.PathLike[str] | None = None) -> Path:
    """Find the module.

    Args:
        path: of the module, of a build folder or of an install prefix. By default that of the
            environment variable ``HORNBEAM_LIBRARY``; where there is none either, the prefixes of
            this Python, of the variable ``CMAKE_PREFIX_PATH`` and of the system are searched.

    Raises:
        LibraryNotFoundError: listing where it was looked for.
    """
    named = path or os.environ.get(VARIABLE)
    prefixes = [Path(named)] if named else _prefixes()
    places = [place for prefix in prefixes for place in _places(prefix)]
    for place in places:
        if place.is_file():
            return place.resolve()
    raise LibraryNotFoundError(
        f"no {MODULE}; looked for {', '.join(map(str, places))}; build hornbeam with "
        f"HORNBEAM_BUILD_PYTHON=ON and give the module, its build folder or its install prefix "
        f"as an argument or in the environment variable {VARIABLE}"
    )


def _prefixes() -> list[Path]:
    named = os.environ.get(_PREFIXES_VARIABLE, "").split(os.pathsep)
    prefixes = [sys.prefix, *filter(None, named), "/usr/local", "/usr"]
    return [Path(prefix) for prefix in dict.fromkeys(prefixes)]


def _places(path: Path) -> list[Path]:
    """The module's possible places where ``path`` is itself, a build folder or a prefix."""
    if path.suffix == ".so":
        return [path]
    multiarch = sysconfig.get_config_var("MULTIARCH")
    folders = ["", "lib", "lib64", *([f"lib/{multiarch}"] if multiarch else [])]
    return [path / folder / MODULE for folder in folders]
