# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a strategy searches with: measured points, each measured once, within a budget."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from hornbeam.errors import ConfigurationError
from hornbeam.search.space import SearchSpace
from hornbeam.types import Configuration

Evaluator = Callable[[Configuration], float]
"""Seconds that a configuration takes; NaN where it could not be timed."""


@dataclass(frozen=True)
class Budget:
    """How much may be measured.

    Attributes:
        evaluations: points, failed ones among them; None: all.
        seconds: after which no further point is begun; None: no limit.
    """

    evaluations: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Raise where a limit is no positive number."""
        for name, value in vars(self).items():
            if value is not None and not (0 < value < math.inf):
                raise ConfigurationError(f"{name} must be above 0, not {value}")


class BudgetSpentError(Exception):
    """Nothing more may be measured, or everything was. Ends a strategy; never leaves `search`."""


class Trials:
    """Measures points for a strategy.

    Attributes:
        space: the points.
        random: the only source of chance that a strategy may use.
        measured: point -> seconds in the order of measuring; infinite where it could not be timed.
    """

    def __init__(
        self,
        space: SearchSpace,
        evaluate: Evaluator,
        budget: Budget,
        seed: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin; the budget in seconds runs from here."""
        self.space = space
        self.random = np.random.default_rng(seed)
        self.measured: dict[int, float] = {}
        self._evaluate = evaluate
        self._clock = clock
        self._most = min(len(space), budget.evaluations or len(space))
        self._end = math.inf if budget.seconds is None else clock() + budget.seconds

    def time_s(self, point: int) -> float:
        """Seconds of a point, measured unless it is known; infinite where it can't be timed.

        Raises:
            BudgetSpentError: it is not known and may not be measured.
        """
        if point not in self.measured:
            if self.spent:
                raise BudgetSpentError
            time_s = float(self._evaluate(self.space.configurations[point]))
            self.measured[point] = time_s if 0.0 < time_s < math.inf else math.inf
        return self.measured[point]

    @property
    def spent(self) -> bool:
        """Whether nothing more can be measured."""
        return len(self.measured) >= self._most or self._clock() >= self._end

    def open_points(self) -> list[int]:
        """Points that were not measured, in order."""
        return [point for point in range(len(self.space)) if point not in self.measured]

    def starts(self) -> Iterator[int]:
        """Random points that were not measured, until the budget is spent.

        Each is measured when it is given out, so that what restarts from them comes to an end.
        """
        while not self.spent:
            start = int(self.random.choice(self.open_points()))
            self.time_s(start)
            yield start

    def best_of(self, points: list[int]) -> int:
        """The fastest of some points; the first of equals."""
        return min(points, key=self.time_s)
