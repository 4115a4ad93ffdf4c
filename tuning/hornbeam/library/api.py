# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The library as numpy users expect it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from hornbeam.errors import ArgumentError, ElementTypeError
from hornbeam.library.finding import find_library
from hornbeam.library.memory import shared_array
from hornbeam.library.native import Call, Native, Order
from hornbeam.library.operands import (
    Array,
    Operand,
    Storage,
    common_batch,
    common_sizes,
    common_type,
    fill,
)

ORDERS = {order.name.lower(): order for order in Order}


class Library:
    """A compiled library, on the default SYCL device. Safe to use from several threads.

    Attributes:
        path: of the module that was loaded.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        """Load the library; the OpenCL drivers are made known to it.

        Args:
            path: of the module, a build folder or an install prefix; see `find_library`.

        Raises:
            LibraryNotFoundError: listing where it was looked for.
            LibraryError: it cannot be loaded.
        """
        self.path: Path = find_library(path)
        self._native = Native(self.path)

    def __repr__(self) -> str:
        """E.g. ``Library('/usr/local/lib/libhornbeam_python.so')``."""
        return f"Library({str(self.path)!r})"

    @cached_property
    def data_types(self) -> Mapping[str, np.dtype[Any]]:
        """Element type as C++ and the tuning package spell it -> numpy's."""
        return {name: np.dtype(code) for name, code in self._native.data_types().items()}

    @cached_property
    def device(self) -> Mapping[str, str]:
        """Name and driver of the device, ``{"name": ..., "driver": ...}``."""
        return self._native.device()

    def matmul(
        self,
        a: object,
        b: object,
        *,
        alpha: float = 1.0,
        beta: float = 0.0,
        c: ArrayLike | None = None,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "row_major",
        kernel: str | None = None,
    ) -> Array:
        """Return ``alpha * op(a) @ op(b) + beta * c``; op() transposes the last two axes, or not.

        Args:
            a: array [m, k] or [batch, m, k]; [k, m] or [batch, k, m] where it is transposed.
            b: array [k, n] or [batch, k, n]; accordingly. A single matrix, or a batch of one,
                stands for as many as the other operand has.
            alpha: scales the product.
            beta: scales ``c``, which is not read where this is 0.
            c: array that can be broadcast to the result's shape.
            transpose_a: whether ``a`` is transposed.
            transpose_b: whether ``b`` is transposed.
            order: how the result is stored, ``row_major`` or ``column_major``.
            kernel: id of the deployed kernel to use; by default the one the tree picks.

        Returns:
            Array [m, n] or [batch, m, n] in memory that the device uses, as `empty` gives it.

        Arrays in such memory, and those with a ``__sycl_usm_array_interface__`` (dpctl), are used
        where they lie if their rows or columns are contiguous; others are copied.

        Raises:
            ArgumentError: shapes that do not fit, an element type that the library does not
                know (also a TypeError), an unknown order or kernel.
            UnimplementedError: the library was built without the element type.
            DeviceError: the device or its driver cannot run the kernels.
        """
        stored = _order(order)
        operands = Operand.of("a", a), Operand.of("b", b)
        dtype = common_type(*operands, list(self.data_types.values()))
        m, n, k = common_sizes(*operands, transpose_a, transpose_b)
        batch = common_batch(*operands)
        shape = (m, n) if batch is None else (batch, m, n)
        result = self._result(shape, dtype, stored)
        if beta != 0:
            fill(result, c)
        (left, at_left), (right, at_right) = (self._placed(one, stored) for one in operands)
        call = Call(
            *(m, n, k, 1 if batch is None else batch),
            lda=at_left.ld,
            ldb=at_right.ld,
            stride_a=at_left.stride,
            stride_b=at_right.stride,
            order=stored,
            transa=int(bool(transpose_a) != at_left.flipped),
            transb=int(bool(transpose_b) != at_right.flipped),
            alpha=alpha,
            beta=beta,
            kernel=kernel,
        )
        self.call(call, left.address, right.address, result.ctypes.data, dtype)
        return result

    def call(
        self, call: Call, a: int | None, b: int | None, c: int | None, dtype: DTypeLike = np.float32
    ) -> None:
        """Compute in place, with every option of the C++ interface, and wait.

        Args:
            call: sizes, strides and scalars.
            a: address that the device can use, e.g. ``array.ctypes.data`` of `empty`; None where
                it is not read.
            b: likewise.
            c: likewise; written.
            dtype: of all elements.

        Raises:
            HornbeamError: as `matmul`; before anything is written.
        """
        self._native.matmul(self._data_type(dtype), call, a, b, c)

    def empty(self, shape: int | Sequence[int], dtype: DTypeLike = np.float32) -> Array:
        """Return an array with any values, in memory that host and device share.

        Raises:
            OutOfMemoryError: there is not enough.
        """
        sizes = (shape,) if isinstance(shape, int) else tuple(shape)
        return shared_array(self._native, sizes, np.dtype(dtype))

    def explain(
        self,
        m: int,
        n: int,
        k: int,
        *,
        batch: int = 1,
        transpose_a: bool = False,
        transpose_b: bool = False,
        order: str = "row_major",
        kernel: str | None = None,
        dtype: DTypeLike = np.float32,
    ) -> dict[str, Any]:
        """Say which kernel `matmul` would use for sizes, and why.

        Returns:
            ``kernel``: its id; ``path``: comparisons that led to it, in words, empty where there
            was no choice; ``expected_share``: of the best measured speed on similar sizes, 0..1,
            or None; ``target``: key of the target that serves the device; ``dataset_key``: of the
            device that was measured for it; ``match``: how closely the device at hand matches that
            one, exact, family or default; ``device``: key of the device at hand.

        Raises:
            ArgumentError: a negative size, an unknown order or kernel.
            UnimplementedError: the library was built without the element type.
        """
        call = Call(
            *(m, n, k, batch),
            order=_order(order),
            transa=int(transpose_a),
            transb=int(transpose_b),
            kernel=kernel,
        )
        return self.explain_call(call, dtype)

    def explain_call(self, call: Call, dtype: DTypeLike = np.float32) -> dict[str, Any]:
        """As `explain`, for the arguments of `call`."""
        return self._native.explain(self._data_type(dtype), call)

    def kernels(self, dtype: DTypeLike = np.float32) -> list[str]:
        """Ids of the kernels deployed for the device and a type, the reference kernel last."""
        return self._native.kernels(self._data_type(dtype))

    def prepare(self, dtype: DTypeLike = np.float32) -> None:
        """Compile all kernels of a type now, so that no later call waits for that. Takes seconds.

        Raises:
            DeviceError: the device or its driver cannot run them.
        """
        self._native.prepare(self._data_type(dtype))

    def build_info(self) -> dict[str, Any]:
        """How the library was built: ``version``, ``toolchain`` and ``targets``.

        A target has a ``key``, the ``dataset_key`` of the device that was measured for it, how
        closely that one matches (``match``) and ``selections``, one for each element type.
        """
        return self._native.build_info()

    def _data_type(self, dtype: DTypeLike) -> str:
        """The library's name of a type.

        Raises:
            ElementTypeError: listing those that it knows.
        """
        wanted = np.dtype(dtype)
        for name, known in self.data_types.items():
            if known == wanted:
                return name
        names = ", ".join(known.name for known in self.data_types.values())
        raise ElementTypeError(f"dtype is {wanted}, must be one of {names}")

    def _result(self, shape: tuple[int, ...], dtype: np.dtype[Any], order: Order) -> Array:
        if order == Order.ROW_MAJOR:
            return self.empty(shape, dtype)
        return self.empty((*shape[:-2], shape[-1], shape[-2]), dtype).swapaxes(-1, -2)

    def _placed(self, operand: Operand, order: Order) -> tuple[Operand, Storage]:
        """An operand, or a copy of it, that a call of some order can take."""
        storage = operand.storage(order)
        foreign = operand.host is not None and not self._native.is_usm(operand.address)
        if storage is not None and not foreign:
            return operand, storage
        copy = operand.copied(self.empty)
        storage = copy.storage(order)
        assert storage is not None, "a packed copy can be taken"
        return copy, storage


@lru_cache(maxsize=1)
def default_library() -> Library:
    """The library that is found without being named; loaded once."""
    return Library()


def _order(name: str) -> Order:
    if name not in ORDERS:
        raise ArgumentError(f"order is {name!r}, must be one of {', '.join(ORDERS)}")
    return ORDERS[name]
