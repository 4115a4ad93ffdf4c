# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Locks between processes of one machine; they end with the process, however it ends."""

from __future__ import annotations

import fcntl
from pathlib import Path
from typing import IO

from hornbeam.errors import BenchmarkError


def open_lock(path: Path) -> IO[str]:
    """Open the file of a lock; it and its folder are made where missing.

    Raises:
        BenchmarkError: the folder can't be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return path.open("w")
    except OSError as error:
        raise BenchmarkError(f"{path.parent}: cannot be written: {error.strerror}") from error


def try_lock(file: IO[str]) -> bool:
    """Take a lock, which lasts until the file is closed; False where somebody else has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
