# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Which cell is measured next. How a cell is measured is no matter of this module.

An order is a generator: it yields a cell, and when it is asked for the next one the ledger holds
what came of the last. It ends where nothing is left that is worth its time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from hornbeam.measure.ledger import Ledger
from hornbeam.plan import Plan
from hornbeam.types import Configuration, Problem


class Visit(NamedTuple):
    """A cell to be measured, and in which of its rounds."""

    problem: Problem
    configuration: Configuration
    round: int


MeasuringOrder = Callable[[Plan, Sequence[Configuration], Ledger], Iterator[Visit]]
"""Yields visits, given a plan, those of its configurations that are ready, and what is known."""


def round_by_round(
    plan: Plan, configurations: Sequence[Configuration], ledger: Ledger
) -> Iterator[Visit]:
    """Everything once, problem by problem; then again whatever is not decided.

    So a choice can be made from the first pass on, and further passes make it safe: the finalists
    of every problem are measured again, interleaved, long after the first time. Every other pass
    goes backwards, so that a machine that slows down favours nobody.
    """
    backwards = False
    busy = True
    while busy:
        busy = False
        for problem in plan.problems:
            wanted = ledger.wanted(problem, [c.id for c in configurations], plan)
            if not wanted:
                continue  # ranks are made from all that is known, so only where they are of use
            order = ledger.ranked(configurations, problem)
            for configuration in reversed(order) if backwards else order:
                # Asked again: it may have failed, or have been left far behind, since.
                round_ = wanted.get(configuration.id)
                if round_ is not None and ledger.is_open(problem, configuration.id):
                    busy = True
                    yield Visit(problem, configuration, round_)
        backwards = not backwards
