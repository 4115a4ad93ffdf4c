# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that cut k into slices, in a library that permits kernels that are not bit-stable."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import two_targets
from library_binding import Call, Library, Order
from matmul_cases import Case
from test_programs import run

TYPES = [np.float32, np.float64, np.float16]
TRANSPOSES = list(itertools.product((0, 1), repeat=2))
PROGRAM = "workspace_test"
TESTS = [
    *("dependencies", "explained", "foreign_workspace_is_refused", "many_calls_at_once"),
    *("same_bits_on_any_workspace", "sizes", "small_workspace_is_refused", "threads"),
]
SIZES = [
    *((1, 1, 100003), (1, 1, 1024), (1, 1, 1023), (1, 8, 30000), (8, 1, 30000), (8, 8, 5000)),
    *((1, 2, 9999), (2, 1, 9999), (7, 3, 6001), (5, 19, 4099), (33, 35, 2050), (3, 70, 1500)),
    *((1, 1, 1), (5, 3, 0), (1, 9, 17), (130, 129, 600)),
]
"""m, n, k: of one slice, of many, with and without a rest; a few blocks of outputs each way."""


def test_the_library_has_them(sliced: Library) -> None:
    assert len(sliced.kernels()) > 1
    assert set(sliced.kernels()[:-1]) <= set(two_targets.SLICED)


@pytest.mark.parametrize(("transa", "transb"), TRANSPOSES)
@pytest.mark.parametrize("dtype", TYPES)
def test_any_size(sliced: Library, dtype: Any, transa: int, transb: int) -> None:
    for m, n, k in SIZES:
        call = Call(m, n, k, batch=2, transa=transa, transb=transb, alpha=0.75, beta=-0.5)
        lda, ldb = (m if transa else k) + 1, (k if transb else n) + 2
        for one in (call, replace(call, lda=max(lda, 1), ldb=max(ldb, 1), ldc=n + 3)):
            case = Case.random(sliced, one, dtype, seed=m * n + k)
            for kernel in sliced.kernels(dtype):
                result = case.run(kernel=kernel)
                case.check(result)
                assert result.tobytes() == case.run(kernel=kernel).tobytes(), "another run"


@pytest.mark.parametrize("order", Order)
def test_operands_that_are_not_read(sliced: Library, order: Order) -> None:
    for kernel in sliced.kernels():
        for change in ({"alpha": 0.0}, {"k": 0}):
            call = replace(Call(3, 5, 6000, beta=-2.0, order=order, kernel=kernel), **change)
            case = Case.random(sliced, call, np.float32)
            case.poison(0)
            case.poison(1)
            case.check(case.run())
        case = Case.random(sliced, Call(3, 5, 6000, order=order, kernel=kernel), np.float32)
        case.poison(2)
        case.check(case.run())


def test_an_operand_shared_by_the_batch(sliced: Library) -> None:
    for kernel in sliced.kernels():
        call = Call(4, 9, 5000, batch=3, stride_a=0, kernel=kernel)
        case = Case.random(sliced, call, np.float32)
        case.check(case.run())


def test_explained(sliced: Library) -> None:
    told = sliced.explain(1, 100000, 1)
    assert told["kernel"] in two_targets.SLICED
    assert told["bit_stable"] is False


def test_all_are_listed_here(sliced_folder: Path) -> None:
    assert run(sliced_folder, PROGRAM).split() == TESTS


@pytest.mark.parametrize("name", TESTS)
def test_program(sliced_folder: Path, name: str) -> None:
    run(sliced_folder, PROGRAM, name)
