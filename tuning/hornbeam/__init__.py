# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measures kernels, selects a few for a device, and renders the code that ships them.

``Library`` is a compiled library; ``matmul``, ``explain``, ``kernels``, ``prepare`` and
``build_info`` are the methods of the one that is found without being named. None is loaded
before it is asked for.
"""

from __future__ import annotations

from typing import Any

_OF_THE_LIBRARY = ("matmul", "explain", "kernels", "prepare", "build_info")


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a class or a method
    if name != "Library" and name not in _OF_THE_LIBRARY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from hornbeam.library import Library, default_library

    return Library if name == "Library" else getattr(default_library(), name)
