# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""SciPy's optimisers of continuous functions, on the unit cube around the points."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hornbeam.search.local import random
from hornbeam.search.strategy import Options
from hornbeam.search.trials import Trials

_FAILED = 50.0
"""Stands for the logarithm of a time that is none: far above any, but no infinity, which simplex
and rectangles can't compare."""


def nelder_mead(trials: Trials, options: Options) -> None:
    """Move a simplex downhill, from a new start whenever it has shrunk to a point."""
    from scipy import optimize

    for start in trials.starts():
        origin = trials.space.unit[start]
        simplex = np.vstack([origin, *(origin + step for step in _steps(origin, options["size"]))])
        settings = {"initial_simplex": simplex, "maxfev": 20 * len(simplex) ** 2, "xatol": 0.02}
        optimize.minimize(
            _objective(trials), origin, method="Nelder-Mead", options={**settings, "fatol": 1e-3}
        )


def direct(trials: Trials, options: Options) -> None:
    """Divide the cube into rectangles; then what is left, in random order."""
    from scipy import optimize

    width = trials.space.unit.shape[1]
    optimize.direct(
        _objective(trials),
        [(0.0, 1.0)] * width,
        eps=options["eps"],
        maxfun=10 * len(trials.space) + 100,
        maxiter=1000,
        vol_tol=0.0,
        len_tol=1e-4,
    )
    random(trials, {})


def _steps(origin: NDArray[np.float64], size: float) -> list[NDArray[np.float64]]:
    """Edges of a simplex, each towards the farther wall of the cube."""
    return [
        size * (1.0 if origin[axis] <= 0.5 else -1.0) * np.eye(origin.size)[axis]
        for axis in range(origin.size)
    ]


def _objective(trials: Trials) -> Callable[[NDArray[np.float64]], float]:
    def log_time(position: NDArray[np.float64]) -> float:
        time_s = trials.time_s(trials.space.nearest(position))
        return math.log(time_s) if math.isfinite(time_s) else _FAILED

    return log_time
