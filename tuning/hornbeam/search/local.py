# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Strategies that move from point to point along the axes of the space."""

from __future__ import annotations

import math

from hornbeam.search.strategy import Options
from hornbeam.search.trials import Trials


def exhaustive(trials: Trials, _options: Options) -> None:
    """Measure every point, in order."""
    for point in range(len(trials.space)):
        trials.time_s(point)


def random(trials: Trials, _options: Options) -> None:
    """Measure points in random order."""
    for point in trials.random.permutation(len(trials.space)).tolist():
        trials.time_s(point)


def axis_scan(trials: Trials, options: Options) -> None:
    """Scan one axis after the other, staying at its best point, until none gives a better one."""
    for start in trials.starts():
        point = _best_start(trials, start, int(options["starts"]))
        while True:
            before = point
            for axis in trials.random.permutation(trials.space.axes(point)).tolist():
                point = trials.best_of([point, *trials.space.line(point, axis)])
            if point == before:
                break


def hill_climbing(trials: Trials, options: Options) -> None:
    """Go to a better neighbour until there is none."""
    for start in trials.starts():
        point = _best_start(trials, start, int(options["starts"]))
        while True:
            around = trials.random.permutation(trials.space.neighbours(point)).tolist()
            better = (one for one in around if trials.time_s(one) < trials.time_s(point))
            found = next(better, None)
            if found is None:
                break
            point = found


def combined_elimination(trials: Trials, options: Options) -> None:
    """Take over single changes that help, best first, for as long as they help together."""
    for start in trials.starts():
        base = _best_start(trials, start, int(options["starts"]))
        free = set(range(trials.space.axes(base)))
        while free:
            best = {axis: trials.best_of([base, *trials.space.line(base, axis)]) for axis in free}
            gains = sorted(
                (axis for axis in free if trials.time_s(best[axis]) < trials.time_s(base)),
                key=lambda axis: (trials.time_s(best[axis]), axis),
            )
            if not gains:
                break
            for axis in gains:
                wanted = trials.space.coordinates[best[axis]][axis]
                for point in trials.space.line(base, axis):
                    if trials.space.coordinates[point][axis] != wanted:
                        continue
                    if trials.time_s(point) < trials.time_s(base):
                        base = point
                        free.discard(axis)


def simulated_annealing(trials: Trials, options: Options) -> None:
    """Move to random neighbours, to slower ones too, less and less often."""
    for start in trials.starts():
        point = start
        temperature = float(options["temperature"])
        while temperature > options["stop"]:
            around = trials.space.neighbours(point)
            if not around:
                break
            other = int(trials.random.choice(around))
            # Relative to the time at hand: the temperature needs no unit. What can't be timed is
            # never moved to, and left at once.
            here, there = trials.time_s(point), trials.time_s(other)
            slower = there / here - 1.0 if math.isfinite(here) else -1.0
            if slower <= 0 or trials.random.random() < math.exp(-slower / temperature):
                point = other
            temperature *= options["cooling"]


def _best_start(trials: Trials, first: int, count: int) -> int:
    """The best of some random points that were not measured before; ``first`` is one of them.

    Among measured ones the end of an earlier search would win, and be searched from again.
    """
    points = [first]
    if new := trials.open_points():
        size = min(count - 1, len(new))
        points += trials.random.choice(new, size=size, replace=False).tolist()
    return trials.best_of(points)
