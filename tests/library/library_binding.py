# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The library through its C interface (tests/cpp/binding.cpp), with arrays in memory it can use."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

Array = NDArray[Any]
Three = ctypes.c_int64 * 3
Flags = ctypes.c_int32 * 3


class _Call(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int64) for name in ("m", "n", "k", "batch")),
        ("ld", Three),
        ("stride", Three),
        ("has_ld", Flags),
        ("has_stride", Flags),
        *((name, ctypes.c_int32) for name in ("order", "transa", "transb")),
        ("alpha", ctypes.c_double),
        ("beta", ctypes.c_double),
        ("kernel", ctypes.c_char_p),
    ]


@dataclass(frozen=True)
class Call:
    """Arguments of a matmul call other than its operands; None: the option is absent."""

    m: int
    n: int
    k: int
    batch: int = 1
    lda: int | None = None
    ldb: int | None = None
    ldc: int | None = None
    stride_a: int | None = None
    stride_b: int | None = None
    stride_c: int | None = None
    column_major: bool = False
    transa: int = 0
    transb: int = 0
    alpha: float = 1.0
    beta: float = 0.0
    kernel: str | None = None
    order: int | None = None

    def raw(self) -> _Call:
        ld = (self.lda, self.ldb, self.ldc)
        stride = (self.stride_a, self.stride_b, self.stride_c)
        return _Call(
            *(self.m, self.n, self.k, self.batch),
            Three(*(value or 0 for value in ld)),
            Three(*(value or 0 for value in stride)),
            Flags(*(value is not None for value in ld)),
            Flags(*(value is not None for value in stride)),
            *(int(self.column_major) if self.order is None else self.order,),
            *(self.transa, self.transb, self.alpha, self.beta),
            None if self.kernel is None else self.kernel.encode(),
        )


class LibraryError(Exception):
    """What the library threw: "<exception class>: <message>"."""


@dataclass
class Library:
    """A loaded binding.

    Attributes:
        path: of the shared object.
    """

    path: Path
    _functions: Any = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._functions = ctypes.CDLL(str(self.path))
        for name in ("hb_error", "hb_explain", "hb_kernels", "hb_build_info"):
            getattr(self._functions, name).restype = ctypes.c_char_p
        self._functions.hb_malloc.restype = ctypes.c_void_p
        self._functions.hb_malloc.argtypes = [ctypes.c_size_t]
        for name in ("hb_matmul_float", "hb_matmul_double"):
            getattr(self._functions, name).argtypes = [ctypes.c_void_p] * 4

    def array(self, values: Array) -> Array:
        """A copy of a flat array in USM, kept until the process ends."""
        nbytes = max(values.nbytes, 1)
        address = self._functions.hb_malloc(nbytes)
        assert address, "out of memory"
        memory = (ctypes.c_char * nbytes).from_address(address)
        copy = np.frombuffer(memory, dtype=values.dtype, count=values.size)
        copy[:] = values
        return copy

    def free(self, array: Array) -> None:
        """Give the memory of `array` back."""
        self._functions.hb_free(ctypes.c_void_p(array.ctypes.data))

    def matmul(self, call: Call, a: Array | None, b: Array | None, c: Array | None) -> None:
        """Run a call on USM arrays and wait.

        Raises:
            LibraryError: what the library threw.
        """
        dtype: DTypeLike = next((x.dtype for x in (c, a, b) if x is not None), np.float32)
        name = "hb_matmul_double" if dtype == np.float64 else "hb_matmul_float"
        pointers = [None if x is None else x.ctypes.data for x in (a, b, c)]
        raw = call.raw()
        if getattr(self._functions, name)(ctypes.addressof(raw), *pointers):
            raise LibraryError(self._functions.hb_error().decode())

    def explain(self, call: Call, double: bool = False) -> Mapping[str, str]:
        """What the library says of a call.

        Raises:
            LibraryError: what the library threw.
        """
        raw = call.raw()
        text = self._functions.hb_explain(int(double), ctypes.byref(raw))
        if text is None:
            raise LibraryError(self._functions.hb_error().decode())
        names = ("kernel", "path", "expected_share", "target", "dataset_key", "match")
        return dict(zip(names, text.decode().split("\n"), strict=True))

    def kernels(self, double: bool = False) -> list[str]:
        """Ids of the deployed kernels."""
        return self._functions.hb_kernels(int(double)).decode().split()

    def build_info(self) -> list[str]:
        """What the library was built from, a line each, the version first."""
        return self._functions.hb_build_info().decode().splitlines()
