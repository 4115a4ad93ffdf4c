# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Operands and expected results of matmul calls, with canaries around everything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from library_binding import Array, Call, Library, Order

CANARY = 5
"""Elements in front of and behind each operand that nobody may touch."""


@dataclass(frozen=True)
class Storage:
    """Where the elements of one operand lie.

    Attributes:
        rows, cols: of the matrix as stored, i.e. before op().
        ld, stride: in elements.
        batch: entries.
        column_major: order.
    """

    rows: int
    cols: int
    ld: int
    stride: int
    batch: int
    column_major: bool

    @property
    def size(self) -> int:
        """Elements from the first to the last: the least memory that the operand needs."""
        lines, length = (self.cols, self.rows) if self.column_major else (self.rows, self.cols)
        if lines == 0 or length == 0 or self.batch == 0:
            return 0
        return self.stride * (self.batch - 1) + self.ld * (lines - 1) + length

    def index(self) -> Array:
        """Position of each element, int[batch, rows, cols]."""
        batch, row, col = np.ogrid[: self.batch, : self.rows, : self.cols]
        major, minor = (col, row) if self.column_major else (row, col)
        return batch * self.stride + major * self.ld + minor


def storages(call: Call) -> tuple[Storage, Storage, Storage]:
    """Storage of A, B and C; what the call leaves out is packed."""
    shapes = (
        (call.m, call.k) if call.transa == 0 else (call.k, call.m),
        (call.k, call.n) if call.transb == 0 else (call.n, call.k),
        (call.m, call.n),
    )
    lds = (call.lda, call.ldb, call.ldc)
    strides = (call.stride_a, call.stride_b, call.stride_c)
    column_major = call.order == Order.COLUMN_MAJOR
    found = []
    for (rows, cols), ld, stride in zip(shapes, lds, strides, strict=True):
        lines, length = (cols, rows) if column_major else (rows, cols)
        leading = max(1, length) if ld is None else ld
        step = leading * lines if stride is None else stride
        found.append(Storage(rows, cols, leading, step, call.batch, column_major))
    return found[0], found[1], found[2]


@dataclass
class Case:
    """A call with operands in USM.

    Attributes:
        call: what is called.
        memory: A, B and C with their canaries.
        before: copy of ``memory`` before the call.
    """

    library: Library
    call: Call
    memory: list[Array]
    before: list[Array]

    @classmethod
    def random(cls, library: Library, call: Call, dtype: Any, seed: int = 0) -> Case:
        """Operands uniform in [-1, 1)."""
        random = np.random.default_rng(seed)
        sizes = [storage.size + 2 * CANARY for storage in storages(call)]
        before = [random.uniform(-1, 1, size).astype(dtype) for size in sizes]
        return cls(library, call, [library.array(x) for x in before], before)

    def poison(self, operand: int, value: float = np.nan) -> None:
        """Fill an operand's own elements."""
        for copy in (self.memory[operand], self.before[operand]):
            copy[CANARY : copy.size - CANARY] = value

    def run(self, **changes: Any) -> Array:
        """Run from the same operands and return all of C's memory."""
        self.memory[2][:] = self.before[2]
        operands = [x[CANARY:] for x in self.memory]
        self.library.run(replace(self.call, **changes), *operands)
        return self.memory[2].copy()

    def elements(self, operand: int) -> Array:
        """An operand's elements before the call as float64[batch, rows, cols]."""
        inside = self.before[operand][CANARY:]
        return inside[storages(self.call)[operand].index()].astype(np.float64)

    def check(self, result: Array) -> None:
        """Compare with numpy in float64, and everything outside C with what it was."""
        call, dtype = self.call, result.dtype
        index = storages(call)[2].index() + CANARY
        untouched = np.ones(result.size, dtype=bool)
        untouched[index] = False
        same = result[untouched].tobytes() == self.before[2][untouched].tobytes()
        assert same, "memory outside C was written"
        for operand in (0, 1):
            same = self.memory[operand].tobytes() == self.before[operand].tobytes()
            assert same, "an input was written"
        wanted, bound = self.expected()
        error = np.abs(result[index].astype(np.float64) - wanted)
        added = np.float32 if dtype == np.float16 else dtype
        worst = np.finfo(added).eps * bound * (call.k + 4) + np.finfo(dtype).tiny
        worst += np.finfo(dtype).eps * np.abs(wanted)
        assert (error <= worst).all(), f"{call}: error {error.max()}"

    def expected(self) -> tuple[Array, Array]:
        """C in float64, and the sum of magnitudes that its rounding error scales with."""
        call = self.call
        shape = (call.batch, call.m, call.n)
        wanted, bound = np.zeros(shape), np.zeros(shape)
        alpha = float(np.asarray(call.alpha, self.before[2].dtype))
        beta = float(np.asarray(call.beta, self.before[2].dtype))
        if alpha != 0 and call.k > 0:
            a, b = self.elements(0), self.elements(1)
            a = a if call.transa == 0 else a.swapaxes(1, 2)
            b = b if call.transb == 0 else b.swapaxes(1, 2)
            wanted, bound = alpha * (a @ b), abs(alpha) * (np.abs(a) @ np.abs(b))
        if beta != 0:
            c = self.elements(2)
            wanted, bound = wanted + beta * c, bound + np.abs(beta * c)
        return wanted, bound
