# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Matrix multiplication: ``C[m, n] = op(A)[m, k] * op(B)[k, n]``, for each entry of a batch."""

from __future__ import annotations

import math
from pathlib import Path

from hornbeam import paths
from hornbeam.features import Feature
from hornbeam.kernel_definition import load_definitions
from hornbeam.operations import Operation, PublishedLayout, Specialisation
from hornbeam.types import Problem

_SIZES = ("m", "k", "n", "batch")
_GREATEST_SIZE = 2**40


def _work(problem: Problem) -> float:
    return 2.0 * math.prod(problem[: len(_SIZES)])


def _elements(problem: Problem) -> int:
    m, k, n, batch = problem[: len(_SIZES)]
    return batch * (m * k + k * n + m * n)


def _group(problem: Problem) -> tuple[int, ...]:
    """Sizes up to transposes: those of the operands, and C^T = B^T A^T with m and n exchanged."""
    m, k, n = problem[:3]
    return (min(m, n), k, max(m, n))


def _specialisation(transpose_a: int, transpose_b: int) -> Specialisation:
    return Specialisation(
        suffix="nt"[transpose_a] + "nt"[transpose_b],
        values={"transpose_a": transpose_a, "transpose_b": transpose_b},
        template_arguments=tuple(("false", "true")[flag] for flag in (transpose_a, transpose_b)),
    )


OPERATION = Operation(
    name="matmul",
    size_help="Sizes are m, k and n of C[m, n] = op(A)[m, k] * op(B)[k, n], in this order, as in "
    "problem files and datasets. The C++ interface takes m, n, k.",
    problem_fields=(*_SIZES, "transpose_a", "transpose_b"),
    problem_bounds={
        **dict.fromkeys(_SIZES, (1, _GREATEST_SIZE)),
        "transpose_a": (0, 1),
        "transpose_b": (0, 1),
    },
    problem_columns={
        "m": None,
        "k": None,
        "n": None,
        "batch": 1,
        "transpose_a": 0,
        "transpose_b": 0,
    },
    features=(
        Feature("m", ("m",)),
        Feature("k", ("k",)),
        Feature("n", ("n",)),
        Feature("batch", ("batch",)),
        Feature("m*k", ("m", "k")),
        Feature("k*n", ("k", "n")),
        Feature("m*n", ("m", "n")),
        Feature("m*k*n", ("m", "k", "n")),
        Feature("m/n", ("m",), ("n",)),
        Feature("k/n", ("k",), ("n",)),
        Feature("m/k", ("m",), ("k",)),
        Feature("transpose_a", ("transpose_a",)),
        Feature("transpose_b", ("transpose_b",)),
    ),
    kernels=load_definitions(paths.kernel_definition_dir(), "matmul"),
    element_bytes={"float": 4, "double": 8, "half": 2},
    fallback_kernel="reference",
    default_configuration="register_tile_4x4x4_8x8",
    specialisations=tuple(_specialisation(a, b) for a in (0, 1) for b in (0, 1)),
    work=_work,
    elements=_elements,
    group=_group,
    folder=Path(__file__).resolve().parent,
    published=PublishedLayout(
        columns=(
            *_SIZES,
            *("row_tile", "acc_tile", "col_tile", "wg_a", "wg_b", "wg_c"),
            "items_per_second",
        ),
        configuration="register_tile_{row_tile}x{acc_tile}x{col_tile}_{wg_a}x{wg_b}",
        rate="items_per_second",
        fixed={"wg_c": 1},
    ),
)
