# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Times turned into shares of the best, and the scales that clustering works on.

A share is ``best time of the problem / time of the configuration``: 1 for the fastest
configuration of a problem, 0.5 for one that takes twice as long, NaN where nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hornbeam.errors import DatasetError

Shares = NDArray[np.float64]
Normalisation = Callable[[Shares], Shares]

CUTOFF = 0.9
"""Below this share of the best speed `raw_cutoff` and `cutoff` see no merit in a configuration."""

SIGMOID_MIDDLE = 0.85
"""Share of the best speed that `sigmoid` takes to one half."""

SIGMOID_SLOPE = 50.0
"""How fast `sigmoid` turns from nothing to everything, per unit of share."""


def shares_of_best(time_s: NDArray[np.float64]) -> Shares:
    """Return each configuration's speed relative to the best one of its problem.

    Args:
        time_s: float64[P, C], seconds; NaN where not measured. Every problem needs at
            least one measurement.

    Returns:
        float64[P, C] in (0, 1], NaN where ``time_s`` is.

    Raises:
        DatasetError: a time is not positive, or a problem has no measurement at all.
    """
    if np.any(time_s <= 0) or np.any(np.isinf(time_s)):
        raise DatasetError("a measured time is not a positive number of seconds")
    measured = np.isfinite(time_s)
    if not measured.any(axis=1).all():
        row = int(np.argmin(measured.any(axis=1)))
        raise DatasetError(f"problem {row} of the dataset has no measurement")
    best_s: NDArray[np.float64] = np.nanmin(time_s, axis=1, keepdims=True)
    return best_s / time_s


def scaled(shares: Shares) -> Shares:
    """Return the shares unchanged: every difference in speed counts."""
    return shares.copy()


def raw_cutoff(shares: Shares) -> Shares:
    """Return shares above `CUTOFF` unchanged and zero for the rest: only near-winners count.

    NaN stays NaN: not measured is not slow.
    """
    return np.where(shares <= CUTOFF, 0.0, shares)


def cutoff(shares: Shares) -> Shares:
    """Return shares above `CUTOFF` stretched to 0..1 and zero for the rest; NaN stays NaN."""
    return np.where(shares <= CUTOFF, 0.0, (shares - CUTOFF) / (1.0 - CUTOFF))


def sigmoid(shares: Shares) -> Shares:
    """Return shares on a smooth step around `SIGMOID_MIDDLE`; NaN stays NaN."""
    stepped: Shares = 1.0 / (1.0 + np.exp(SIGMOID_SLOPE * (SIGMOID_MIDDLE - shares)))
    return stepped


NORMALISATIONS: Mapping[str, Normalisation] = MappingProxyType(
    {"scaled": scaled, "raw_cutoff": raw_cutoff, "cutoff": cutoff, "sigmoid": sigmoid}
)
"""Known normalisations by the name that options use, the default first."""
