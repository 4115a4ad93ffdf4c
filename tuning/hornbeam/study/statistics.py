# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Means over repeated splits, and how sure they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t
from sklearn.model_selection import GroupShuffleSplit

from hornbeam.evaluate import TEST_FRACTION

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A mean and its 95 % confidence interval; the bounds are NaN for a single split."""

    mean: float
    low: float
    high: float


def grouped_splits(
    groups: NDArray[np.intp], repeats: int, random_state: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield (training, test) rows of random 80/20 splits that keep each group on one side."""
    split = GroupShuffleSplit(repeats, test_size=TEST_FRACTION, random_state=random_state)
    yield from split.split(groups, groups=groups)


def interval(values: Sequence[float]) -> Interval:
    """Return mean and interval of scores, one for each repeated split.

    Splits share most of their training problems, so scores vary less between them than between
    new datasets: the variance is corrected by n_test / n_train (Nadeau and Bengio, 2003).
    """
    found = np.asarray(values, dtype=np.float64)
    mean = float(found.mean())
    if len(found) < 2:
        return Interval(mean, float("nan"), float("nan"))
    correction = 1.0 / len(found) + TEST_FRACTION / (1.0 - TEST_FRACTION)
    half = float(t.ppf(0.5 + CONFIDENCE / 2, len(found) - 1))
    half *= float(np.sqrt(correction * found.var(ddof=1)))
    return Interval(mean, mean - half, mean + half)
