# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The C interface of the library (src/python/binding.cpp): structures, calls and errors."""

from __future__ import annotations

import ctypes
import json
import operator
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any

from hornbeam import drivers
from hornbeam.errors import (
    ArgumentError,
    DeviceError,
    HornbeamError,
    LibraryError,
    OutOfMemoryError,
    UnimplementedError,
)

_INTERFACE_VERSION = 2
_ABSENT = -(2**63)
_ERRORS: dict[str, type[HornbeamError]] = {
    "invalid_argument": ArgumentError,
    "unimplemented": UnimplementedError,
    "unsupported_device": DeviceError,
    "device_error": DeviceError,
    "sycl": DeviceError,
    "bad_alloc": OutOfMemoryError,
}
_Three = ctypes.c_int64 * 3


class Order(IntEnum):
    """How the matrices of a call are stored, as ``hornbeam::layout``."""

    ROW_MAJOR = 0
    COLUMN_MAJOR = 1


class Transpose(IntEnum):
    """What op() does to a matrix, as ``hornbeam::transpose``."""

    NONTRANS = 0
    TRANS = 1
    CONJTRANS = 2


class _Call(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int64) for name in ("m", "n", "k", "batch")),
        ("ld", _Three),
        ("stride", _Three),
        *((name, ctypes.c_int32) for name in ("order", "transa", "transb")),
        *((name, ctypes.c_double) for name in ("alpha", "beta")),
        ("kernel", ctypes.c_char_p),
    )


@dataclass(frozen=True)
class Call:
    """``C[m, n] = alpha * op(A)[m, k] * op(B)[k, n] + beta * C`` for each entry of a batch.

    Attributes:
        m, n, k, batch: sizes.
        lda, ldb, ldc: elements between consecutive rows (columns in column-major order) as
            stored; None: packed.
        stride_a, stride_b, stride_c: elements between consecutive entries of the batch; None:
            packed; 0: the same A or B for all.
        order: how all three are stored.
        transa, transb: what op() does.
        alpha, beta: scalars. Where beta is 0, C is not read.
        kernel: id of the deployed kernel to use; None: the one the tree picks.
    """

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
    order: Order | int = Order.ROW_MAJOR
    transa: Transpose | int = Transpose.NONTRANS
    transb: Transpose | int = Transpose.NONTRANS
    alpha: float = 1.0
    beta: float = 0.0
    kernel: str | None = None

    def _native(self) -> _Call:
        def integers(*names: str) -> Iterator[int]:
            return (_integer(name, getattr(self, name)) for name in names)

        return _Call(
            *integers("m", "n", "k", "batch"),
            _Three(*integers("lda", "ldb", "ldc")),
            _Three(*integers("stride_a", "stride_b", "stride_c")),
            *integers("order", "transa", "transb"),
            *(float(self.alpha), float(self.beta)),
            None if self.kernel is None else self.kernel.encode(),
        )


def _integer(name: str, value: int | None) -> int:
    """A value of the C interface; it would cut off what does not fit 64 bits.

    Raises:
        ArgumentError: it does not fit.
    """
    if value is None:
        return _ABSENT
    number = operator.index(value)
    if not abs(number) < 2**63:
        raise ArgumentError(f"{name} is {number}, must be less than 2^63 in magnitude")
    return number


class Native:
    """The loaded module: its functions, with errors as exceptions."""

    def __init__(self, path: Path) -> None:
        """Load the module.

        Raises:
            LibraryError: it cannot be loaded, or is of another version.
        """
        # The run environment of Conan names the drivers in this one.
        if "OCL_ICD_FILENAMES" not in os.environ:
            drivers.make_visible()  # drivers are looked for once, when the module is loaded
        try:
            self._functions = ctypes.CDLL(str(path))
            version = self._functions.hornbeam_interface_version()
        except (OSError, AttributeError) as error:
            raise LibraryError(f"{path}: cannot be loaded: {error}") from error
        if version != _INTERFACE_VERSION:
            raise LibraryError(
                f"{path}: has interface {version}, this package knows {_INTERFACE_VERSION}; "
                "build both from one version of hornbeam"
            )
        self._functions.hornbeam_text.restype = ctypes.c_char_p

    def _call(self, name: str, *arguments: object) -> str:
        """Call a function and return the text that it answers.

        Raises:
            HornbeamError: of the class that stands for what the library threw.
        """
        failed = getattr(self._functions, f"hornbeam_{name}")(*arguments)
        text: str = self._functions.hornbeam_text().decode(errors="replace")
        if failed:
            error = json.loads(text)
            raise _ERRORS.get(error["kind"], LibraryError)(error["message"])
        return text

    def data_types(self) -> dict[str, str]:
        """Element type -> type code of array interfaces, e.g. ``{"float": "f4"}``."""
        types: dict[str, str] = json.loads(self._call("data_types"))
        return types

    def build_info(self) -> dict[str, Any]:
        """See `Library.build_info`."""
        info: dict[str, Any] = json.loads(self._call("build_info"))
        return info

    def device(self) -> dict[str, str]:
        """See `Library.device`."""
        device: dict[str, str] = json.loads(self._call("device"))
        return device

    def malloc(self, nbytes: int) -> int:
        """Address of memory that host and device share."""
        pointer = ctypes.c_void_p()
        self._call("malloc", ctypes.c_size_t(nbytes), ctypes.byref(pointer))
        assert pointer.value is not None
        return pointer.value

    def free(self, address: int) -> None:
        """Give memory back."""
        self._call("free", ctypes.c_void_p(address))

    def is_usm(self, address: int) -> bool:
        """Whether the device can use an address."""
        return self._call("is_usm", ctypes.c_void_p(address)) == "1"

    def kernels(self, data_type: str) -> list[str]:
        """Ids of the deployed kernels."""
        ids: list[str] = json.loads(self._call("kernels", data_type.encode()))
        return ids

    def prepare(self, data_type: str) -> None:
        """Compile all kernels."""
        self._call("prepare", data_type.encode())

    def explain(self, data_type: str, call: Call) -> dict[str, Any]:
        """See `Library.explain`."""
        native = call._native()
        text = self._call("explain", data_type.encode(), ctypes.byref(native))
        told: dict[str, Any] = json.loads(text)
        return told

    def matmul(
        self, data_type: str, call: Call, a: int | None, b: int | None, c: int | None
    ) -> None:
        """Run a call on addresses and wait for it."""
        native = call._native()
        addresses = map(ctypes.c_void_p, (a, b, c))
        self._call("matmul", data_type.encode(), ctypes.byref(native), *addresses)
