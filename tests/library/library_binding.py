# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled library on flat arrays, with every option of its calls."""

from __future__ import annotations

from typing import Any

import hornbeam.library
from hornbeam.library import Call, Order
from hornbeam.library.operands import Array

__all__ = ["Array", "Call", "Library", "Order"]


class Library(hornbeam.library.Library):
    """A compiled library."""

    def array(self, values: Array) -> Array:
        """A copy in memory that the device uses."""
        copy = self.empty(values.shape, values.dtype)
        copy[...] = values
        return copy

    def run(self, call: Call, a: Array | None, b: Array | None, c: Array | None) -> None:
        """Run a call on arrays."""
        dtype: Any = next((x.dtype for x in (c, a, b) if x is not None), "f4")
        self.call(call, *(None if x is None else x.ctypes.data for x in (a, b, c)), dtype)
