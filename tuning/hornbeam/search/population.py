# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Genetic search."""

from __future__ import annotations

from hornbeam.search.strategy import Options
from hornbeam.search.trials import Trials


def genetic(trials: Trials, options: Options) -> None:
    """Cross and mutate the better points of a population."""
    count = min(int(options["population"]), len(trials.space))
    people = trials.random.choice(len(trials.space), size=count, replace=False).tolist()
    for point in people:
        trials.time_s(point)
    while not trials.spent:
        known = len(trials.measured)
        children = [
            _mutated(trials, _crossed(trials, _parent(trials, people), _parent(trials, people)), p)
            for p in [float(options["mutation"])] * count
        ]
        for child in children:
            trials.time_s(child)
        if len(trials.measured) == known:  # no child is new: fresh blood
            children.append(next(trials.starts()))
        people = sorted(dict.fromkeys([*people, *children]), key=trials.time_s)[:count]


def _parent(trials: Trials, people: list[int]) -> int:
    """The better of two."""
    return trials.best_of(trials.random.choice(people, size=2).tolist())


def _crossed(trials: Trials, one: int, other: int) -> int:
    """A point with coordinates of both; the first where constraints or kernels forbid that."""
    space = trials.space
    if space.kernel[one] != space.kernel[other]:
        return one
    takes = trials.random.random(space.axes(one)) < 0.5
    pairs = zip(space.coordinates[one], space.coordinates[other], takes, strict=True)
    mixed = tuple(b if take else a for a, b, take in pairs)
    found = space.at(int(space.kernel[one]), mixed)
    return one if found is None else found


def _mutated(trials: Trials, point: int, chance: float) -> int:
    """A point, moved along each axis with some chance."""
    for axis in range(trials.space.axes(point)):
        if trials.random.random() < chance:
            point = int(trials.random.choice(trials.space.line(point, axis)))
    return point
