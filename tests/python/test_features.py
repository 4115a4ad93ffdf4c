# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Features: one definition, the same bits in numpy and in C++."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.features import Feature, cpp_expression, feature_matrix
from hornbeam.operations import get_operation

MATMUL = get_operation("matmul")
SIZES = st.integers(min_value=1, max_value=2**40)


@given(m=SIZES, k=SIZES, n=SIZES, batch=SIZES)
def test_values_are_float64_products_rounded_once(m: int, k: int, n: int, batch: int) -> None:
    matrix = feature_matrix(MATMUL.features, MATMUL.problem_fields, [(m, k, n, batch, 0, 1)])
    assert matrix.dtype == np.float32
    values = dict(zip([f.name for f in MATMUL.features], matrix[0], strict=True))
    with np.errstate(over="ignore"):
        assert values["m*k*n"] == np.float32(float(m) * float(k) * float(n))
        assert values["k/n"] == np.float32(float(k) / float(n))
    assert (values["transpose_a"], values["transpose_b"]) == (0, 1)


def test_products_never_overflow() -> None:
    largest = (2**40, 2**40, 2**40, 2**40, 1, 1)
    matrix = feature_matrix(MATMUL.features, MATMUL.problem_fields, [largest])
    assert np.all(matrix >= 0)
    assert not np.any(np.isnan(matrix))


@pytest.mark.parametrize(
    ("feature", "expression"),
    [
        (Feature("m", ("m",)), "static_cast<float>(static_cast<double>(m))"),
        (
            Feature("m*n", ("m", "n")),
            "static_cast<float>(static_cast<double>(m) * static_cast<double>(n))",
        ),
        (
            Feature("m/n", ("m",), ("n",)),
            "static_cast<float>(static_cast<double>(m) / static_cast<double>(n))",
        ),
        (
            Feature("m/(k*n)", ("m",), ("k", "n")),
            "static_cast<float>(static_cast<double>(m) / "
            "(static_cast<double>(k) * static_cast<double>(n)))",
        ),
    ],
)
def test_rendering(feature: Feature, expression: str) -> None:
    assert cpp_expression(feature) == expression


def test_no_problem_gives_no_row() -> None:
    assert feature_matrix(MATMUL.features, MATMUL.problem_fields, []).shape == (0, 13)


def test_names_are_unique_and_fields_exist() -> None:
    names = [feature.name for feature in MATMUL.features]
    assert len(set(names)) == len(names)
    for feature in MATMUL.features:
        assert set(feature.numerator + feature.denominator) <= set(MATMUL.problem_fields)
