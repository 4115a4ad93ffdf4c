# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Which sizes are measured, and in which order."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from analysis import NETWORKS, flops, least_bytes
from checking import Problem
from hornbeam.operations import get_operation
from hornbeam.problems import read_problems

_OPERATION = get_operation("matmul")
_OWN = Path(__file__).resolve().parent / "problems"

SETS: dict[str, Path] = {
    **{name: _OPERATION.problem_dir() / f"{name}.csv" for name in NETWORKS},
    **{path.stem: path for path in sorted(_OWN.glob("*.csv"))},
}
"""Name of each set of sizes -> its file."""

TOGETHER = ("cliff",)
"""Sets whose sizes are compared with one another, so measured one right after the other."""

#: Of each set, every so manieth size by its work is measured in a quick run.
_QUICK_STEP = {**dict.fromkeys(NETWORKS, 9), "cliff": 6, "transposes": 5}
_QUICK_STEP_ELSE = 4
#: Sizes that single measures are about.
_ALWAYS: frozenset[tuple[int, ...]] = frozenset(
    {(2048, 2048, 2048), (1, 4096, 4096), (4096, 4096, 1), (64, 100000, 8)}
)


@dataclass(frozen=True)
class Item:
    """A size to measure.

    Attributes:
        problem: m, k, n, batch, transpose_a, transpose_b.
        sets: that it is in.
    """

    problem: Problem
    sets: tuple[str, ...]

    @property
    def bytes(self) -> int:
        """Size of the operands."""
        return int(least_bytes(self.problem))


def all_items(names: Iterable[str]) -> list[Item]:
    """Sizes of some sets, each once."""
    found: dict[Problem, list[str]] = {}
    for name in names:
        for problem in read_problems(SETS[name], _OPERATION):
            found.setdefault(problem, []).append(name)  # type: ignore[arg-type]
    return [Item(problem, tuple(sets)) for problem, sets in found.items()]


def quick(items: Sequence[Item]) -> list[Item]:
    """A part of the sizes, spread over each set's range of work."""
    kept: dict[Item, None] = {}
    for name in SETS:
        members = sorted(
            (item for item in items if name in item.sets), key=lambda item: flops(item.problem)
        )
        kept.update(dict.fromkeys(members[:: _QUICK_STEP.get(name, _QUICK_STEP_ELSE)]))
        kept.update(dict.fromkeys(item for item in members if item.problem[:3] in _ALWAYS))
    return list(kept)


def in_turn(items: Sequence[Item], seed: int = 0) -> list[Item]:
    """In random order, so that what a budget cuts off is no particular kind of size.

    Sizes of a set in `TOGETHER` stay together.
    """
    groups: dict[object, list[Item]] = {}
    for item in items:
        group = next((name for name in item.sets if name in TOGETHER), item)
        groups.setdefault(group, []).append(item)
    shuffled = list(groups.values())
    random.Random(seed).shuffle(shuffled)
    return [item for group in shuffled for item in group]
