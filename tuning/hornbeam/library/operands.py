# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays as operands: how their strides are leading dimensions and transposes, or are not."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hornbeam.errors import ArgumentError, ElementTypeError
from hornbeam.library.native import Order

Array = NDArray[Any]


@dataclass(frozen=True)
class Storage:
    """A matrix, or a batch of them, as a call takes it.

    Attributes:
        flipped: whether the stored matrices are the transposes of those meant.
        ld: elements between consecutive rows, or columns in column-major order, as stored.
        stride: elements between entries of the batch; 0: there is one for all.
    """

    flipped: bool
    ld: int
    stride: int

    @classmethod
    def of(cls, shape: Sequence[int], strides: Sequence[int], order: Order) -> Storage | None:
        """Storage of an array [batch, rows, columns]; None where no call can take it as it lies.

        Args:
            shape: of the array.
            strides: in elements.
            order: of the call.
        """
        batch, *sizes = shape
        step, *steps = strides
        if order == Order.COLUMN_MAJOR:
            sizes, steps = sizes[::-1], steps[::-1]
        stride = step if batch > 1 else 0
        if stride < 0:
            return None
        for flipped in (False, True):
            ld = _leading_dimension(sizes, steps)
            if ld is not None:
                return cls(flipped, ld, stride)
            sizes, steps = sizes[::-1], steps[::-1]
        return None


def _leading_dimension(sizes: Sequence[int], steps: Sequence[int]) -> int | None:
    """Elements between consecutive lines of a matrix of (lines, length); None: it has others."""
    lines, length = sizes
    least = max(1, length)
    if lines == 0 or length == 0:
        return least
    if length > 1 and steps[1] != 1:
        return None
    if lines == 1:
        return least
    return steps[0] if steps[0] >= least else None


@dataclass(frozen=True)
class Operand:
    """An array of matrices.

    Attributes:
        name: of the argument, for messages.
        dtype: of its elements, in this machine's order of bytes.
        shape: two or three sizes.
        strides: in elements; None where they are no multiples of an element.
        address: of the first element.
        host: the numpy array, None where the memory is known by its address alone.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    address: int
    host: Array | None

    @classmethod
    def of(cls, name: str, value: object) -> Operand:
        """An operand given by anything that numpy makes an array of, or by a USM array.

        Raises:
            ArgumentError: it has not two or three axes.
        """
        interface = getattr(value, "__sycl_usm_array_interface__", None)
        operand = cls._usm(name, interface) if interface else cls._numpy(name, np.asarray(value))
        if len(operand.shape) not in (2, 3):
            raise ArgumentError(f"{name} has {len(operand.shape)} axes, must have 2 or 3")
        return operand

    @classmethod
    def _numpy(cls, name: str, array: Array) -> Operand:
        size = max(array.itemsize, 1)
        whole = not any(step % size for step in array.strides) and array.flags.aligned
        strides = tuple(step // size for step in array.strides) if whole else None
        native = array.dtype.isnative
        dtype = array.dtype.newbyteorder("=")
        return cls(name, dtype, array.shape, strides if native else None, array.ctypes.data, array)

    @classmethod
    def _usm(cls, name: str, interface: dict[str, Any]) -> Operand:
        dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        packed = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        strides = interface.get("strides") or packed
        address = int(interface["data"][0]) + dtype.itemsize * int(interface.get("offset", 0))
        return cls(name, dtype, shape, tuple(strides), address, None)

    @property
    def entries(self) -> int | None:
        """Number of entries of the batch; None where the operand is a single matrix."""
        return self.shape[0] if len(self.shape) == 3 else None

    def storage(self, order: Order) -> Storage | None:
        """How a call of some order takes it as it lies; None where it cannot."""
        if self.strides is None:
            return None
        missing = 3 - len(self.shape)
        return Storage.of((*[1] * missing, *self.shape), (*[0] * missing, *self.strides), order)

    def copied(self, empty: Callable[[Sequence[int], Any], Array]) -> Operand:
        """A packed copy whose matrices are stored as they were, where that was possible.

        Args:
            empty: makes an array.

        Raises:
            ArgumentError: the memory is known by its address alone.
        """
        if self.host is None:
            raise ArgumentError(
                f"{self.name} has strides {self.strides}, must have rows or columns of adjacent "
                "elements"
            )
        array = self.host
        if array.ndim == 3 and array.shape[0] > 1 and array.strides[0] == 0:
            array = array[:1]
        by_columns = abs(array.strides[-2]) < abs(array.strides[-1])
        shape = array.swapaxes(-1, -2).shape if by_columns else array.shape
        copy = empty(shape, self.dtype)
        copy = copy.swapaxes(-1, -2) if by_columns else copy
        copy[...] = array
        return self._numpy(self.name, copy)


def common_type(a: Operand, b: Operand, known: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
    """The element type of two operands.

    Raises:
        ElementTypeError: it is not known, or they have two.
    """
    for operand in (a, b):
        if operand.dtype not in known:
            names = ", ".join(dtype.name for dtype in known)
            raise ElementTypeError(
                f"{operand.name} has elements of type {operand.dtype}, must have {names}"
            )
    if a.dtype != b.dtype:
        raise ElementTypeError(f"b has elements of type {b.dtype}, must have {a.dtype} as a has")
    return a.dtype


def common_sizes(
    a: Operand, b: Operand, transpose_a: bool, transpose_b: bool
) -> tuple[int, int, int]:
    """m, n and k.

    Raises:
        ArgumentError: the operands differ in k.
    """
    m, k = a.shape[-2:][:: -1 if transpose_a else 1]
    rows, n = b.shape[-2:][:: -1 if transpose_b else 1]
    if k != rows:
        raise ArgumentError(
            f"op(a) is {m} x {k} and op(b) is {rows} x {n}, must have as many columns as rows"
        )
    return m, n, k


def common_batch(a: Operand, b: Operand) -> int | None:
    """Entries of the result; None where it is a single matrix.

    Raises:
        ArgumentError: the operands have different numbers of entries, and none of them one.
    """
    counts = {one.entries for one in (a, b)} - {None}
    if counts > {1}:
        counts -= {1}
    if len(counts) > 1:
        raise ArgumentError(
            f"a has {a.entries} entries and b has {b.entries}, must have the same number, or one"
        )
    return counts.pop() if counts else None


def fill(result: Array, c: ArrayLike | None) -> None:
    """Set the result to ``c``.

    Raises:
        ArgumentError: there is no ``c``, or it does not fit.
    """
    if c is None:
        raise ArgumentError("c is not given, must be where beta is not 0")
    values = np.asarray(c)
    if values.dtype.newbyteorder("=") != result.dtype:
        raise ElementTypeError(f"c has elements of type {values.dtype}, must have {result.dtype}")
    try:
        result[...] = values
    except ValueError:
        raise ArgumentError(
            f"c has shape {values.shape}, must be possible to broadcast to {result.shape}"
        ) from None
