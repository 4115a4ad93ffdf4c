# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Bayesian search: a Gaussian process over the points, and the expected improvement by each."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from hornbeam.search.strategy import Options
from hornbeam.search.trials import Trials


def bayesian(trials: Trials, options: Options) -> None:
    """Measure where the expected improvement is greatest."""
    from threadpoolctl import threadpool_limits

    # Matrices this small gain nothing from threads and lose much where cores are busy.
    with threadpool_limits(1):
        _search(trials, options)


def _search(trials: Trials, options: Options) -> None:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    places = trials.space.encoded()
    prior = ConstantKernel(1.0) * Matern(1.0, (0.05, 20.0), nu=2.5) + WhiteKernel(
        1e-3, (1e-6, 1e-1)
    )
    count = min(int(options["initial"]), len(trials.space))
    for point in trials.random.choice(len(trials.space), size=count, replace=False).tolist():
        trials.time_s(point)
    refit = 0
    while not trials.spent:
        known = list(trials.measured)
        values = _log_times(np.array(list(trials.measured.values())))
        # Its own parameters are fitted anew each time a quarter more is known, for that is slow.
        fresh = len(known) >= refit
        refit = len(known) * 5 // 4 + 1 if fresh else refit
        model = GaussianProcessRegressor(
            prior, optimizer="fmin_l_bfgs_b" if fresh else None, normalize_y=True
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # a parameter at its bound
            model.fit(places[known], values)
        prior = model.kernel_
        others = trials.open_points()
        mean, deviation = model.predict(places[others], return_std=True)
        gain = _expected_improvement(mean, deviation, values.min() - options["margin"])
        trials.time_s(others[int(gain.argmax())])


def _log_times(times_s: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms; points that can't be timed count as the slowest of the others."""
    known = np.isfinite(times_s)
    if not known.any():
        return np.zeros(times_s.size)
    return np.log(np.where(known, times_s, times_s[known].max()))


def _expected_improvement(
    mean: NDArray[np.float64], deviation: NDArray[np.float64], best: float
) -> NDArray[np.float64]:
    from scipy.stats import norm

    deviation = np.maximum(deviation, 1e-12)
    z = (best - mean) / deviation
    improvement: NDArray[np.float64] = deviation * (z * norm.cdf(z) + norm.pdf(z))
    return improvement
