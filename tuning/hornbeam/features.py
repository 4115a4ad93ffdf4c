# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Features of a problem: defined once, evaluated by numpy here and rendered to C++.

A feature is a quotient of two products of problem fields. Both renderings multiply in
float64 from left to right, divide once and round to float32, so they agree bit for bit:
a decision tree compares features as float32, and a size next to a threshold must take
the same branch in C++ as in Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hornbeam.types import Problem


@dataclass(frozen=True)
class Feature:
    """``product(numerator) / product(denominator)`` over fields of a problem.

    Attributes:
        name: unique name, e.g. ``m/n``.
        numerator: at least one field name.
        denominator: field names; empty for a plain product.
    """

    name: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...] = ()


def feature_matrix(
    features: Sequence[Feature], problem_fields: Sequence[str], problems: Sequence[Problem]
) -> NDArray[np.float32]:
    """Evaluate features.

    Args:
        features: F features.
        problem_fields: names of the values of a problem, in order.
        problems: P problems; fields in a denominator are at least 1.

    Returns:
        float32[P, F].
    """
    sizes = np.asarray(problems, dtype=np.int64).reshape(len(problems), len(problem_fields))
    columns = {name: sizes[:, i].astype(np.float64) for i, name in enumerate(problem_fields)}
    matrix = np.empty((len(problems), len(features)), dtype=np.float32)
    for i, feature in enumerate(features):
        value = _product(columns, feature.numerator)
        if feature.denominator:
            value = value / _product(columns, feature.denominator)
        with np.errstate(over="ignore"):
            matrix[:, i] = value.astype(np.float32)
    return matrix


def cpp_expression(feature: Feature) -> str:
    """C++ expression of type float, over 64-bit variables named like the problem's fields."""
    value = _cpp_product(feature.numerator)
    if len(feature.denominator) == 1:
        value += f" / {_cpp_product(feature.denominator)}"
    elif feature.denominator:
        value += f" / ({_cpp_product(feature.denominator)})"
    return f"static_cast<float>({value})"


def _product(columns: dict[str, NDArray[np.float64]], names: Sequence[str]) -> NDArray[np.float64]:
    value = columns[names[0]]
    for name in names[1:]:
        value = value * columns[name]
    return value


def _cpp_product(names: Sequence[str]) -> str:
    return " * ".join(f"static_cast<double>({name})" for name in names)
