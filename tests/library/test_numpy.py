# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Products of numpy arrays, however they are stored, against numpy's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hornbeam.library.api import ORDERS
from library_binding import Array, Library

TYPES = [np.float32, np.float64]


@dataclass(frozen=True)
class Stored:
    """How an array lies in memory: its axes' steps and gaps, outermost first by ``axes``."""

    axes: tuple[int, ...]
    steps: tuple[int, ...]
    gaps: tuple[int, ...]
    swapped_bytes: bool
    on_device: bool

    def array(self, library: Library, shape: tuple[int, ...], dtype: Any, seed: int) -> Array:
        """An array of random values in [-1, 1)."""
        sizes = [n * abs(s) + g for n, s, g in zip(shape, self.steps, self.gaps, strict=True)]
        values = np.random.default_rng(seed).uniform(-1, 1, [sizes[axis] for axis in self.axes])
        values = values.astype(np.dtype(dtype).newbyteorder(">" if self.swapped_bytes else "="))
        memory = library.array(values) if self.on_device else values
        view = memory.transpose(np.argsort(self.axes))
        view = view[tuple(slice(None, None, step) for step in self.steps)]
        return view[tuple(slice(n) for n in shape)]


@st.composite
def stored(draw: st.DrawFn, axes: int) -> Stored:
    each = [st.sampled_from([1, 1, 1, 2, -1, -2])] * axes
    on_device = draw(st.booleans())
    return Stored(
        tuple(draw(st.permutations(range(axes)))),
        tuple(draw(st.tuples(*each))),
        tuple(draw(st.tuples(*[st.integers(0, 3)] * axes))),
        draw(st.booleans()) and not on_device,
        on_device,
    )


@st.composite
def operands(draw: st.DrawFn, library: Library, dtype: Any, seed: int) -> tuple[Array, Array]:
    """op(A) and op(B)."""
    m, n, k = (draw(st.one_of(st.sampled_from([1, 2, 17]), st.integers(0, 40))) for _ in "mnk")
    batch = draw(st.integers(0, 4))
    found = []
    for shape in ((m, k), (k, n)):
        entries = draw(st.sampled_from([(), (1,), (batch,)]))
        how = draw(stored(len(entries) + 2))
        array = how.array(library, (*entries, *shape), dtype, seed + len(found))
        if entries == (1,) and draw(st.booleans()):
            array = np.broadcast_to(array, (batch, *shape))
        found.append(array)
    return found[0], found[1]


@pytest.mark.parametrize("dtype", TYPES)
@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_arrays(library: Library, dtype: Any, data: st.DataObject) -> None:
    a, b = data.draw(operands(library, dtype, seed=1))
    transpose_a, transpose_b = data.draw(st.booleans()), data.draw(st.booleans())
    order = data.draw(st.sampled_from(list(ORDERS)))
    alpha, beta = (data.draw(st.sampled_from([0.0, 1.0, -0.5])) for _ in range(2))
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    wanted, bound = alpha * (wide_a @ wide_b), abs(alpha) * (np.abs(wide_a) @ np.abs(wide_b))
    c = None
    if beta != 0:
        shape = wanted.shape[data.draw(st.integers(0, wanted.ndim)) :]
        c = data.draw(stored(len(shape))).array(library, shape, dtype, seed=3)
        wanted, bound = wanted + beta * c, bound + np.abs(beta * c.astype(np.float64))
    result = library.matmul(
        a.swapaxes(-1, -2) if transpose_a else a,
        b.swapaxes(-1, -2) if transpose_b else b,
        **{"alpha": alpha, "beta": beta, "c": c, "order": order},
        transpose_a=transpose_a,
        transpose_b=transpose_b,
    )
    assert (result.shape, result.dtype) == (wanted.shape, dtype)
    worst = np.finfo(dtype).eps * bound * (a.shape[-1] + 4)
    assert (np.abs(result - wanted) <= worst).all()
    matrix = result[0] if result.ndim == 3 and len(result) else result
    assert matrix.flags["C" if order == "row_major" else "F"] or result.size == 0
    assert np.array_equal(a, wide_a), "an operand was written"
    assert np.array_equal(b, wide_b), "an operand was written"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("view", "copied"),
    [
        (lambda x: x, False),
        (lambda x: x[:, 3:9, 2:7], False),
        (lambda x: x.swapaxes(1, 2), False),
        (lambda x: x[::2], False),
        (lambda x: x[2], False),
        (lambda x: np.broadcast_to(x[2], (9, 10, 12)), False),
        (lambda x: x[:, ::3], False),
        (lambda x: x[:, :1, ::2], False),
        (lambda x: x[:, ::2, ::2], True),
        (lambda x: x[::-1], True),
        (lambda x: x[:, ::-1], True),
        (lambda x: np.array(x), True),
    ],
)
def test_arrays_of_the_device_are_not_copied(
    library: Library, monkeypatch: pytest.MonkeyPatch, order: str, view: Any, copied: bool
) -> None:
    """Where rows or columns are contiguous."""
    values = np.random.default_rng(0).uniform(-1, 1, (4, 10, 12)).astype("f4")
    array = view(library.array(values))
    other = library.array(np.eye(array.shape[-1], dtype="f4"))
    made = []
    empty = library.empty
    monkeypatch.setattr(library, "empty", lambda *how: made.append(how) or empty(*how))
    result = library.matmul(array, other, order=order)
    assert np.array_equal(result, array)
    assert len(made) == (2 if copied else 1)


def test_results_are_operands(library: Library) -> None:
    """The bits do not depend on where operands lie."""
    a = np.random.default_rng(0).uniform(-1, 1, (30, 30)).astype("f4")
    square = library.matmul(a, a)
    assert np.array_equal(library.matmul(square, a), library.matmul(np.array(square), a))


def test_memory_is_given_back(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    freed = []
    monkeypatch.setattr(library._native, "free", freed.append)
    array = library.empty((3, 4), "f8")
    address, view = array.ctypes.data, array[1:].T
    del array
    assert freed == []
    del view
    assert freed == [address]


def test_beta_of_zero_ignores_c(library: Library) -> None:
    a = np.eye(3, dtype="f4")
    assert np.array_equal(library.matmul(a, a, c=np.full((3, 3), np.nan, "f4")), a)


def test_kernel_can_be_named(library: Library) -> None:
    a = np.random.default_rng(0).uniform(-1, 1, (3, 20, 20))
    results = [library.matmul(a, a, kernel=id) for id in library.kernels(np.float64)]
    assert all(np.array_equal(result, results[0]) for result in results)


class Usm:
    """An array as dpctl shows it."""

    def __init__(self, array: Array, shape: tuple[int, ...], **fields: Any) -> None:
        self.__sycl_usm_array_interface__ = {
            "data": (array.ctypes.data, False),
            "shape": shape,
            "strides": None,
            "typestr": array.dtype.str,
            "version": 1,
            "syclobj": None,
            **fields,
        }


def test_usm_arrays(library: Library) -> None:
    values = library.array(np.random.default_rng(0).uniform(-1, 1, 60))
    a, b = values[:12].reshape(3, 4), values[20:].reshape(2, 5, 4).swapaxes(1, 2)
    columns = Usm(values, (2, 4, 5), strides=(20, 1, 4), offset=20)
    result = library.matmul(Usm(values, (3, 4)), columns)
    assert np.array_equal(result, library.matmul(a, b))
