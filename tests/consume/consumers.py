# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Names shared by the tests of this folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = Path(sys.executable).parent

#: Options that make the smallest library: these tests are about its packaging.
SMALLEST = {"NUM_KERNELS": "1", "DATA_TYPES": "float"}

Run = Callable[..., str]
"""Runs a command, see the fixtures `run` and `conan`."""


@dataclass(frozen=True)
class Built:
    """A project that holds hornbeam as a subdirectory."""

    folder: Path
    shared: bool
