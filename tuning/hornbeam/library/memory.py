# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays in memory that host and device share."""

from __future__ import annotations

import ctypes
import math
import weakref
from typing import Any

import numpy as np

from hornbeam.library.native import Native
from hornbeam.library.operands import Array


def shared_array(native: Native, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array with any values; its memory is given back when no array uses it any more.

    Raises:
        OutOfMemoryError: there is not enough.
    """
    nbytes = max(math.prod(shape) * dtype.itemsize, 1)
    address = native.malloc(nbytes)
    memory = (ctypes.c_char * nbytes).from_address(address)
    # Not at exit, where the runtime may be gone already.
    weakref.finalize(memory, native.free, address).atexit = False
    return np.ndarray(shape, dtype, buffer=memoryview(memory))
