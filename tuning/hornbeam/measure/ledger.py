# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What is known while a tuning run goes on: times so far, what is settled, who ranks first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from hornbeam.journal_rows import Row
from hornbeam.plan_cost import REPEAT_FACTOR
from hornbeam.types import Configuration, Problem, Status

Cell = tuple[Problem, str]


class Ledger:
    """Measurements of one operation, data type and source."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Take over rows measured before."""
        self._rounds: dict[Cell, set[int]] = defaultdict(set)
        self._settled: set[Cell] = set()
        self._times_s: dict[Problem, dict[str, float]] = defaultdict(dict)
        self._best_s: dict[Problem, float] = {}
        for row in rows:
            self.add(row)

    def add(self, row: Row) -> None:
        """Take note of a row."""
        cell = (row.problem, row.configuration)
        self._rounds[cell].add(row.round)
        if row.status is not Status.OK or row.single_launch:
            self._settled.add(cell)
        if row.status is Status.OK:
            times_s = self._times_s[row.problem]
            times_s[row.configuration] = min(row.median_s, times_s.get(row.configuration, math.inf))
            self._best_s[row.problem] = min(row.median_s, self._best_s.get(row.problem, math.inf))

    def needs(self, problem: Problem, configuration: str, round_: int) -> bool:
        """Whether a cell has to be measured in a round.

        It does not where it was, where it failed, where it was so slow in a round before
        that one launch was enough, and where it is too slow for repeats to matter.
        """
        cell = (problem, configuration)
        if cell in self._settled or round_ in self._rounds.get(cell, ()):
            return False
        time_s = self._times_s[problem].get(configuration) if problem in self._times_s else None
        return time_s is None or time_s <= REPEAT_FACTOR * self._best_s[problem]

    def best_s(self, problem: Problem) -> float | None:
        """Time of the fastest configuration so far, None before the first."""
        return self._best_s.get(problem)

    def ranked(
        self, configurations: Sequence[Configuration], problem: Problem
    ) -> list[Configuration]:
        """Configurations, those first that did best on other problems, then the untried ones."""
        slowness = self._slowness(problem)
        return sorted(configurations, key=lambda c: slowness.get(c.id, math.inf))

    def _slowness(self, problem: Problem) -> dict[str, float]:
        """Mean logarithm of the time relative to the best, over all problems but this one."""
        logs: dict[str, list[float]] = defaultdict(list)
        for other, times_s in self._times_s.items():
            if other == problem:
                continue
            best_s = self._best_s[other]
            for id, time_s in times_s.items():
                logs[id].append(math.log(time_s / best_s))
        return {id: sum(values) / len(values) for id, values in logs.items()}
