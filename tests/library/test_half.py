# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Halves: summed in float and rounded once, bit for bit, by every deployed kernel."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from library_binding import Array, Call, Library
from matmul_cases import CANARY, Case, storages

TRANSPOSES = list(itertools.product((0, 1), repeat=2))


def results(library: Library, call: Call, a: Any, b: Any, c: Any = 0.0) -> list[Array]:
    """C[batch, m, n] as every kernel computes it, from elements that are given as stored."""
    case = Case.random(library, call, np.float16)
    for operand, (values, storage) in enumerate(zip((a, b, c), storages(call), strict=True)):
        for copy in (case.memory[operand], case.before[operand]):
            copy[CANARY:][storage.index()] = values
    index = storages(call)[2].index() + CANARY
    return [case.run(kernel=kernel)[index] for kernel in library.kernels(np.float16)]


def rounded(values: Any) -> Array:
    """Halves nearest to exact values: integers, or floats that represent them exactly."""
    with np.errstate(over="ignore"):
        return np.asarray(values, np.float64).astype(np.float16)


@pytest.mark.parametrize(("k", "wanted"), [(2049, 2048), (2051, 2052), (4096, 4096)])
def test_long_sums_of_ones(library: Library, k: int, wanted: int) -> None:
    """Added up in half they would stop at 2048."""
    for found in results(library, Call(9, 17, k), 1.0, 1.0):
        assert (found == wanted).all()


@pytest.mark.parametrize(("transa", "transb"), TRANSPOSES)
def test_integers_are_rounded_once(library: Library, transa: int, transb: int) -> None:
    """Small integers make every step in float exact, so that only the last rounding is left."""
    random = np.random.default_rng(7)
    call = Call(35, 37, 300, batch=2, transa=transa, transb=transb, alpha=0.75, beta=-3.0)
    shapes = [(call.batch, storage.rows, storage.cols) for storage in storages(call)]
    a, b = (random.integers(-40, 41, shape) for shape in shapes[:2])
    c = random.integers(-2048, 2049, shapes[2])
    product = (a.swapaxes(1, 2) if transa else a) @ (b.swapaxes(1, 2) if transb else b)
    assert np.abs(product).max() < 1 << 20, "exact in float"
    wanted = rounded(0.75 * product - 3 * c)
    assert (wanted != 0.75 * product - 3 * c).mean() > 0.3, "there is something to round"
    for found in results(library, call, a, b, c):
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("terms", "wanted"),
    [
        ((65504, 15), 65504),
        ((65504, 16), np.inf),
        ((-65504, -16), -np.inf),
        ((60000, 60000, -60000), 60000),
    ],
)
def test_overflow_is_judged_at_the_end(
    library: Library, terms: tuple[float, ...], wanted: float
) -> None:
    for found in results(library, Call(16, 33, len(terms)), np.array(terms), 1.0):
        assert (found == wanted).all()


@pytest.mark.parametrize(
    ("a", "b", "wanted"),
    [
        (2.0**-12, 2.0**-12, 2.0**-24),
        (2.0**-12, 2.0**-13, 0.0),
        (3 * 2.0**-13, 2.0**-13, 2.0**-24),
        (-(2.0**-12), 5 * 2.0**-13, -(2.0**-23)),
        (2.0**-24, 1024.0, 2.0**-14),
    ],
)
def test_subnormal_numbers(library: Library, a: float, b: float, wanted: float) -> None:
    for found in results(library, Call(17, 16, 1), a, b):
        assert (found == wanted).all()


def test_scaling_happens_in_float(library: Library) -> None:
    """A sum beyond the range of half comes back into it by a small alpha."""
    for found in results(library, Call(8, 16, 512, alpha=2.0**-10, beta=2.0), 16.0, 16.0, 3.0):
        assert (found == 2.0**17 / 2**10 + 6).all()


def test_zero_beta_ignores_c(library: Library) -> None:
    for found in results(library, Call(19, 23, 9), 1.0, 2.0, np.nan):
        assert (found == 18).all()


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_adding_nothing_returns_c_bit_for_bit(library: Library, alpha: float) -> None:
    """Every half there is, but NaNs."""
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    c = np.where(np.isnan(every), np.float16(-0.0), every).reshape(256, 256)
    for found in results(library, Call(256, 256, 3, alpha=alpha, beta=1.0), 0.0, -1.0, c):
        assert found[0].tobytes() == c.tobytes()


def test_special_values_reach_the_result(library: Library) -> None:
    a = np.ones((9, 9))
    a[0, 0], a[1, 1] = np.nan, -np.inf
    for found in results(library, Call(9, 9, 9), a, 1.0):
        assert np.isnan(found[0, 0]).all()
        assert (found[0, 1] == -np.inf).all()
        assert (found[0, 2:] == 9).all()
