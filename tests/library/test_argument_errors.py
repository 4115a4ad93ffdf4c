# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Wrong arguments: thrown before anything is submitted, naming argument, value and least value."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from hornbeam.errors import ArgumentError
from library_binding import Call, Library, Order
from matmul_cases import Case

GOOD = Call(4, 5, 6, batch=2)


def message_of(library: Library, call: Call) -> str:
    case = Case.random(library, GOOD, np.float32)
    with pytest.raises(ArgumentError) as caught:
        library.run(call, *case.memory)
    assert case.memory[2].tobytes() == case.before[2].tobytes(), "C was written"
    return str(caught.value)


@pytest.mark.parametrize(
    ("change", "wanted"),
    [
        ({"m": -1}, "m is -1, must be at least 0"),
        ({"n": -2}, "n is -2, must be at least 0"),
        ({"k": -3}, "k is -3, must be at least 0"),
        ({"batch": -4}, "batch is -4, must be at least 0"),
        ({"lda": 5}, "lda is 5, must be at least 6"),
        ({"ldb": 4}, "ldb is 4, must be at least 5"),
        ({"ldc": 4}, "ldc is 4, must be at least 5"),
        ({"transa": 1, "lda": 3}, "lda is 3, must be at least 4"),
        ({"transb": 2, "ldb": 5}, "ldb is 5, must be at least 6"),
        ({"order": Order.COLUMN_MAJOR, "lda": 3}, "lda is 3, must be at least 4"),
        ({"order": Order.COLUMN_MAJOR, "ldb": 5}, "ldb is 5, must be at least 6"),
        ({"order": Order.COLUMN_MAJOR, "ldc": 3}, "ldc is 3, must be at least 4"),
        ({"order": Order.COLUMN_MAJOR, "transa": 1, "lda": 5}, "lda is 5, must be at least 6"),
        ({"m": 0, "n": 0, "ldc": 0}, "ldc is 0, must be at least 1"),
        ({"stride_a": -1}, "stride_a is -1, must be at least 0"),
        ({"stride_b": -1}, "stride_b is -1, must be at least 0"),
        ({"stride_c": -1}, "stride_c is -1, must be at least 0"),
        ({"stride_c": 19}, "stride_c is 19, must be at least 20"),
        ({"stride_c": 0}, "stride_c is 0, must be at least 20"),
        ({"order": 7}, "order is 7"),
        ({"transa": 3}, "transa is 3"),
        ({"transb": -1}, "transb is -1"),
        ({"m": 1 << 62, "lda": 1 << 62}, "matrix a spans"),
        ({"batch": 1 << 40, "stride_c": 1 << 40}, "matrix c spans"),
    ],
)
def test_wrong_argument(library: Library, change: dict[str, Any], wanted: str) -> None:
    message = message_of(library, replace(GOOD, **change))
    assert message.startswith("hornbeam: matmul: ")
    assert wanted in message


def test_unknown_kernel_lists_those_that_exist(library: Library) -> None:
    message = message_of(library, replace(GOOD, kernel="no_such_kernel"))
    assert "kernel is 'no_such_kernel', must be one of" in message
    assert all(id in message for id in library.kernels())


@pytest.mark.parametrize("operand", [0, 1, 2])
def test_null_pointer(library: Library, operand: int) -> None:
    case = Case.random(library, GOOD, np.float32)
    operands = [None if i == operand else x for i, x in enumerate(case.memory)]
    with pytest.raises(ArgumentError, match=f"{'abc'[operand]} is null"):
        library.run(GOOD, *operands)


@pytest.mark.parametrize("operand", [0, 1, 2])
@pytest.mark.parametrize("order", Order)
def test_pointer_that_is_not_usm(library: Library, operand: int, order: Order) -> None:
    case = Case.random(library, GOOD, np.float32)
    operands = [np.zeros(99, np.float32) if i == operand else x for i, x in enumerate(case.memory)]
    with pytest.raises(ArgumentError, match=f"{'abc'[operand]} is not a USM pointer"):
        library.run(replace(GOOD, order=order), *operands)


@pytest.mark.parametrize("change", [{"m": 0}, {"n": 0}, {"batch": 0}])
def test_nothing_to_do_needs_no_operands(library: Library, change: dict[str, Any]) -> None:
    library.run(replace(GOOD, **change), None, None, None)


def test_overlap_matters_only_in_a_batch(library: Library) -> None:
    call = Call(4, 5, 6, batch=1, stride_c=0)
    case = Case.random(library, call, np.float32)
    case.check(case.run())


def test_explain_checks_like_matmul(library: Library) -> None:
    with pytest.raises(ArgumentError, match="hornbeam: explain: lda is 1, must be at least 6"):
        library.explain_call(replace(GOOD, lda=1))
