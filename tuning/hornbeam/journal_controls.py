# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Which rows of a journal were disturbed, judged by the control measurements between them.

A control is one and the same cell, timed again and again through a run. Where it is slower than
usual the machine is throttled or busy, and what was timed since the control before, and until the
next one, says little of the kernels: it is taken again. Nothing is written back into a journal;
the marks follow from the order of its rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from hornbeam.journal_rows import Row
from hornbeam.types import Problem, Status

SLOW_CONTROL = 1.15
"""A control that takes so many times as long as usual tells of a disturbance. Its median over a
few samples differs by a few percent on a quiet machine."""

MOST_TAKES = 3
"""A round that was disturbed so often counts nevertheless: that is what the machine is like."""

Take = tuple[Problem, str, int]
"""A problem, the id of a configuration, and a round."""


class Phases:
    """Rows in the order they were written, in phases that controls separate."""

    def __init__(self) -> None:
        """Start with no row."""
        self._phases: list[list[Row]] = [[]]
        self._controls: list[Row] = []
        self._usual_s: dict[tuple[Problem, str], float] = {}

    def add(self, row: Row) -> None:
        """Append a row."""
        if row.control and row.status is Status.OK:
            self._controls.append(row)
            self._phases.append([])
            self._usual_s[_cell(row)] = self._usual(row)
        elif not row.control:
            self._phases[-1].append(row)

    def controls(self) -> int:
        """Number of controls so far."""
        return len(self._controls)

    def slow(self) -> bool:
        """Whether the last control was slower than usual."""
        return bool(self._controls) and self._is_slow(self._controls[-1])

    def disturbed(self) -> frozenset[int]:
        """Numbers of the phases that have a slow control at one of their ends."""
        slow = {i for i, control in enumerate(self._controls) if self._is_slow(control)}
        return frozenset(slow | {i + 1 for i in slow})

    def counted(self) -> list[Row]:
        """The row that counts of each take, and every failure, in the order they were written.

        Of several the last undisturbed one counts, else the last.
        """
        marked = self.disturbed()
        chosen: dict[Take, Row] = {}
        calm: set[Take] = set()
        failures: list[Row] = []
        for number, phase in enumerate(self._phases):
            for row in phase:
                if row.status is not Status.OK:
                    failures.append(row)
                    continue
                take = (*_cell(row), row.round)
                if number not in marked:
                    calm.add(take)
                elif take in calm:
                    continue
                chosen[take] = row
        return [*chosen.values(), *failures]

    def open_takes(self) -> frozenset[Take]:
        """Takes that were disturbed each time, and not yet too often."""
        marked = self.disturbed()
        tried: Counter[Take] = Counter()
        calm: set[Take] = set()
        for number, phase in enumerate(self._phases):
            for row in phase:
                take = (*_cell(row), row.round)
                tried[take] += 1
                if row.status is not Status.OK or number not in marked:
                    calm.add(take)
        return frozenset(t for t, times in tried.items() if t not in calm and times < MOST_TAKES)

    def _usual(self, control: Row) -> float:
        """The lower quartile of a control's times, which a lucky one or a bad hour moves little."""
        times_s = sorted(c.median_s for c in self._controls if _cell(c) == _cell(control))
        return times_s[len(times_s) // 4]

    def _is_slow(self, control: Row) -> bool:
        return control.median_s > SLOW_CONTROL * self._usual_s[_cell(control)]


def phases_of(rows: Iterable[Row]) -> Phases:
    """The phases of rows of one operation, data type and source."""
    phases = Phases()
    for row in rows:
        phases.add(row)
    return phases


def counted(rows: Sequence[Row]) -> list[Row]:
    """Rows that count, of one operation and data type, each source judged by its own controls."""
    apart: dict[object, list[Row]] = defaultdict(list)
    for row in rows:
        apart[row.source].append(row)
    return [row for mine in apart.values() for row in phases_of(mine).counted()]


def _cell(row: Row) -> tuple[Problem, str]:
    return row.problem, row.configuration
