# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What is known while a tuning run goes on: times so far, what is settled, who ranks first."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from hornbeam.journal_controls import Phases
from hornbeam.journal_rows import Row
from hornbeam.measure.racing import contenders
from hornbeam.plan import Plan
from hornbeam.types import Configuration, Problem, Status

Cell = tuple[Problem, str]


class Ledger:
    """Measurements of one operation, data type and source."""

    def __init__(self, rows: Iterable[Row]) -> None:
        """Take over rows measured before."""
        self._phases = Phases()
        self._again: dict[Cell, int] = {}
        self._settled: set[Cell] = set()
        # Of rows that count, by round; and the least of all, for ranks and bounds.
        self._rounds_s: dict[Problem, dict[str, dict[int, float]]] = {}
        self._times_s: dict[Problem, dict[str, float]] = defaultdict(dict)
        self._best_s: dict[Problem, float] = {}
        for row in rows:
            self._enter(row)
        self._judge()

    def add(self, row: Row) -> None:
        """Take note of a row; a control judges those before it."""
        before = self._phases.disturbed() if row.control else frozenset()
        self._enter(row)
        if row.control and (before or self._phases.disturbed()):
            self._judge()

    def wanted(self, problem: Problem, ids: Sequence[str], plan: Plan) -> dict[str, int]:
        """Cells of a problem that are to be measured, and in which of their rounds.

        These are cells without a time, times that were disturbed, and further rounds of those
        who may be the best. Not what failed, or was so slow that one launch was enough.
        """
        rounds_s = self._rounds_s.get(problem, {})
        racing = {
            id: rounds_s[id] for id in ids if id in rounds_s and (problem, id) not in self._settled
        }
        ahead = contenders(racing, plan.rounds, plan.most_rounds)
        found = {}
        for id in ids:
            if (problem, id) in self._settled:
                continue
            again = self._again.get((problem, id))
            if again is not None:
                found[id] = again
            elif id not in racing:
                found[id] = 0
            elif id in ahead:
                found[id] = next(r for r in range(len(racing[id]) + 1) if r not in racing[id])
        return found

    def is_open(self, problem: Problem, configuration: str) -> bool:
        """Whether a cell neither failed nor was so slow that one launch was enough."""
        return (problem, configuration) not in self._settled

    def failed(self, problem: Problem, configuration: str) -> bool:
        """Whether a cell failed."""
        cell = (problem, configuration)
        return cell in self._settled and configuration not in self._rounds_s.get(problem, {})

    def rounds(self, problem: Problem, configuration: str) -> int:
        """Number of rounds in which a cell has a time that counts."""
        return len(self._rounds_s.get(problem, {}).get(configuration, ()))

    def to_be_taken_again(self) -> bool:
        """Whether something was disturbed each time it was measured."""
        return bool(self._again)

    def controls(self) -> int:
        """Number of control measurements so far."""
        return self._phases.controls()

    def disturbed(self) -> bool:
        """Whether the last control was slower than usual."""
        return self._phases.slow()

    def best_s(self, problem: Problem) -> float | None:
        """Time of the fastest configuration so far, None before the first."""
        return self._best_s.get(problem)

    def best(self, problem: Problem) -> str | None:
        """Id of the fastest configuration so far, None before the first."""
        times_s = self._times_s.get(problem)
        return min(times_s, key=times_s.__getitem__) if times_s else None

    def ranked(
        self, configurations: Sequence[Configuration], problem: Problem
    ) -> list[Configuration]:
        """Configurations, those first that did best on other problems, then the untried ones."""
        slowness = self._slowness(problem)
        return sorted(configurations, key=lambda c: slowness.get(c.id, math.inf))

    def _enter(self, row: Row) -> None:
        self._phases.add(row)
        if row.control:
            return
        self._count(row)
        # Taken again: it counts, unless the next control tells otherwise.
        self._again.pop((row.problem, row.configuration), None)
        if row.status is Status.OK:
            times_s = self._times_s[row.problem]
            times_s[row.configuration] = min(row.median_s, times_s.get(row.configuration, math.inf))
            self._best_s[row.problem] = min(row.median_s, self._best_s.get(row.problem, math.inf))

    def _count(self, row: Row) -> None:
        cell = (row.problem, row.configuration)
        rounds_s = self._rounds_s.setdefault(row.problem, {})
        if row.status is not Status.OK:
            self._settled.add(cell)
            rounds_s.pop(row.configuration, None)
            return
        if row.single_launch:
            self._settled.add(cell)
        rounds_s.setdefault(row.configuration, {})[row.round] = row.median_s

    def _judge(self) -> None:
        """Count what is undisturbed, and note what is to be taken again."""
        again = self._phases.open_takes()
        self._settled.clear()
        self._rounds_s.clear()
        for row in self._phases.counted():
            if (row.problem, row.configuration, row.round) not in again:
                self._count(row)
        # The first such round of each cell, but not of what failed meanwhile.
        left = sorted(take for take in again if take[:2] not in self._settled)
        self._again = {(problem, id): round_ for problem, id, round_ in reversed(left)}

    def _slowness(self, problem: Problem) -> Mapping[str, float]:
        """Mean logarithm of the time relative to the best, over all problems but this one."""
        logs: dict[str, list[float]] = defaultdict(list)
        for other, times_s in self._times_s.items():
            if other == problem:
                continue
            best_s = self._best_s[other]
            for id, time_s in times_s.items():
                logs[id].append(math.log(time_s / best_s))
        return {id: sum(values) / len(values) for id, values in logs.items()}
