# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The version of hornbeam, kept in one file for C++, Python, CMake and Conan."""

from __future__ import annotations

from hornbeam import paths


def version() -> str:
    """Return the version, e.g. ``0.1.0``."""
    return (paths.root() / "VERSION").read_text(encoding="utf-8").strip()
