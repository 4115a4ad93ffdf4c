# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Whose time on a problem is to be taken again: repeats go on until the decision is safe.

Rivals are compared round by round, since those of a round were timed close to one another and see
the same machine. Differences are of logarithms of times; how far one can be trusted is estimated
from how much they differ between rounds, over all rivals.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

TIE = 0.02
"""Rivals that surely differ by less are ties; no repeat could make a difference that matters."""

_DOUBT = 0.15
# A single round's difference can be off by so much, until repeats say how much it is here.
_DOUBT_WEIGHT = 0.3
_SURELY_WORSE = 3.0
_SURELY_TIED = 2.0

Times = Mapping[str, Mapping[int, float]]
"""Rival -> round -> time in seconds."""


def contenders(times_s: Times, rounds: int, most: int) -> frozenset[str]:
    """Rivals of which a further round is of use.

    Args:
        times_s: of everyone who has a time on a problem.
        rounds: that everyone is measured in who is not surely worse than the best.
        most: rounds in all for those of whom it stays unclear whether they are worse or tied.

    Returns:
        Those to be measured in one more round; none where the decision is safe.
    """
    if not times_s:
        return frozenset()
    logs = {one: {r: math.log(t) for r, t in mine.items()} for one, mine in times_s.items()}
    # Of those who were never left behind, since times of other rounds don't compare.
    longest = max(map(len, logs.values()))
    leader = min(
        (one for one, mine in logs.items() if len(mine) == longest),
        key=lambda one: statistics.median(logs[one].values()),
    )
    noise = _noise(logs)
    found = set()
    for rival, mine in logs.items():
        if rival == leader:
            continue
        behind, error = _behind(mine, logs[leader], noise)
        if behind > _SURELY_WORSE * error:
            continue
        unclear = abs(behind) + _SURELY_TIED * error > TIE
        if len(mine) < (most if unclear else rounds):
            found.add(rival)
    # The leader runs with its rivals, so that each round has something to compare with.
    if len(logs[leader]) < (most if found else rounds):
        found.add(leader)
    return frozenset(found)


def _behind(
    mine: Mapping[int, float], best: Mapping[int, float], noise: float
) -> tuple[float, float]:
    """How far a rival is behind the leader, and the standard error of that."""
    shared = mine.keys() & best.keys()
    if shared:
        behind = statistics.median(mine[r] - best[r] for r in shared)
    else:
        behind = statistics.median(mine.values()) - statistics.median(best.values())
    return behind, noise / math.sqrt(max(1, len(shared)))


def _noise(logs: Mapping[str, Mapping[int, float]]) -> float:
    """Standard deviation of a difference between two rivals in one round.

    It is that of a change from one round to the next; what all rivals have in common, such as a
    slower clock, is taken out.
    """
    squares, freedom = _DOUBT_WEIGHT * _DOUBT**2, _DOUBT_WEIGHT
    last = max(round_ for mine in logs.values() for round_ in mine)
    for round_ in range(last):
        changes = [
            m[round_ + 1] - m[round_] for m in logs.values() if {round_, round_ + 1} <= set(m)
        ]
        if len(changes) > 1:
            common = statistics.median(changes)
            squares += sum((change - common) ** 2 for change in changes)
            freedom += len(changes) - 1
    return math.sqrt(squares / freedom)
