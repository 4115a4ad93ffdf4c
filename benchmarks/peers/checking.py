# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a product is right, at a small part of the cost of the product."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Problem = tuple[int, int, int, int, int, int]
"""m, k, n, batch, transpose_a, transpose_b."""

LARGEST_ERROR = 8.0
"""In units of eps * |row of A| * |column of B| (2-norms). Roundings of a sum of random products
walk at random, to a third of such a unit; the bound that holds for any operands, k times as large,
would let wrong results of long sums pass."""

_SAMPLED = 16
_BATCH_ENTRIES = 3


@dataclass(frozen=True)
class Check:
    """What came of comparing some elements with sums in float64.

    Attributes:
        error: largest error in the units of `LARGEST_ERROR`; infinite where an element of C is not
            finite, which before the call all of them were.
    """

    error: float

    @property
    def right(self) -> bool:
        """Whether rounding alone explains the error."""
        return self.error <= LARGEST_ERROR


def stored_shapes(problem: Problem) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Shapes of A and B in memory, the batch first."""
    m, k, n, batch, transpose_a, transpose_b = problem
    return (batch, *((k, m) if transpose_a else (m, k))), (  # type: ignore[return-value]
        batch,
        *((n, k) if transpose_b else (k, n)),
    )


def check(
    problem: Problem,
    a: NDArray[np.float32],
    b: NDArray[np.float32],
    c: NDArray[np.float32],
    seed: int = 0,
) -> Check:
    """Compare rows and columns drawn at random, the first and the last among them.

    Args:
        problem: the size.
        a: left operand as stored, see `stored_shapes`.
        b: right operand as stored.
        c: float32[batch, m, n].
        seed: of what is drawn.
    """
    if not np.isfinite(c).all():
        return Check(np.inf)
    m, _, n, batch, transpose_a, transpose_b = problem
    generator = np.random.default_rng(seed)
    worst = 0.0
    for entry in _draw(generator, batch, _BATCH_ENTRIES):
        rows, columns = _draw(generator, m, _SAMPLED), _draw(generator, n, _SAMPLED)
        left = (a[entry][:, rows].T if transpose_a else a[entry][rows]).astype(np.float64)
        right = (b[entry][columns].T if transpose_b else b[entry][:, columns]).astype(np.float64)
        unit = np.outer(np.linalg.norm(left, axis=1), np.linalg.norm(right, axis=0))
        unit *= np.finfo(np.float32).eps
        difference = np.abs(c[entry][np.ix_(rows, columns)] - left @ right)
        worst = max(worst, float((difference / np.maximum(unit, np.finfo(np.float32).tiny)).max()))
    return Check(worst)


def _draw(generator: np.random.Generator, size: int, count: int) -> NDArray[np.intp]:
    """Up to ``count`` indices below ``size``, ascending, both ends among them."""
    drawn = generator.choice(size, min(size, count), replace=False)
    return np.unique(np.concatenate([[0, size - 1], drawn]))
