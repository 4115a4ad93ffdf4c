# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Averages that the pipeline reports and summaries of repeated measurements."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


def geometric_mean(values: NDArray[np.float64]) -> float:
    """Return the geometric mean of positive values.

    Raises:
        ValueError: there is no value, or one is NaN, zero or negative; a mean that silently
            skips or absorbs such a value would hide a failed measurement.
    """
    if values.size == 0 or not np.all(values > 0):
        raise ValueError("a geometric mean needs positive values")
    return float(np.exp(np.log(values).mean()))


@dataclass(frozen=True)
class Summary:
    """Samples of one time in seconds; spread is (max - min) / median, NaN for one sample."""

    samples: int
    median_s: float
    min_s: float
    spread: float


def summarise(times_s: Sequence[float]) -> Summary:
    """Summarise samples of a time.

    The median rather than the mean, since a preempted sample says nothing about the kernel;
    rather than the minimum, since no call runs under the luckiest conditions.

    Raises:
        ValueError: there is no sample, or one is no positive finite number.
    """
    if not times_s or not all(0.0 < time_s < math.inf for time_s in times_s):
        raise ValueError("positive finite times are expected")
    median_s = statistics.median(times_s)
    spread = (max(times_s) - min(times_s)) / median_s if len(times_s) > 1 else math.nan
    return Summary(len(times_s), median_s, min(times_s), spread)
