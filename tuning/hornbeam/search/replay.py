# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Searches replayed on stored measurements, with no device."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from hornbeam.search.space import SearchSpace
from hornbeam.search.trials import Evaluator
from hornbeam.space import KernelSet
from hornbeam.types import Configuration, Dataset


class Replay:
    """One problem of a dataset as something to search.

    Cells that were never tried are no points: nothing is known of them. Cells that failed are
    points without a time, and cost an evaluation as they would on the device.

    Attributes:
        space: the points.
        best_s: least time of them, in seconds; infinite where none has a time.
    """

    def __init__(self, operation: KernelSet, dataset: Dataset, problem: int) -> None:
        """Take a row of a dataset.

        Args:
            operation: gives the kernels.
            dataset: measurements.
            problem: index of the row.

        Raises:
            ConfigurationError: nothing was tried on this problem.
        """
        tried: list[Configuration] = []
        self._time_s: dict[str, float] = {}
        for column, configuration in enumerate(dataset.configurations):
            if dataset.status[problem, column] is not None:
                tried.append(configuration)
                self._time_s[configuration.id] = float(dataset.time_s[problem, column])
        self.space = SearchSpace(operation, tried)
        self.best_s = min(
            (time_s for time_s in self._time_s.values() if math.isfinite(time_s)), default=math.inf
        )

    @property
    def evaluate(self) -> Evaluator:
        """Looks a configuration's time up; NaN where it failed."""
        return lambda configuration: self._time_s[configuration.id]

    def shares(self, times_s: Iterable[float]) -> NDArray[np.float64]:
        """float64[N], share of the best speed that the best so far reaches, after each point."""
        best = np.minimum.accumulate(np.fromiter(times_s, dtype=np.float64))
        return self.best_s / best
