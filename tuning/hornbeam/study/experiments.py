# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The experiments: selectors, numbers of kernels and classifiers on repeated grouped splits."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from hornbeam.normalise import NORMALISATIONS, Shares
from hornbeam.selection import (
    SELECTIONS,
    best_single,
    log_shares,
    measured_part,
    select,
    single_thread,
)
from hornbeam.selection_optimum import Optimum, optimum
from hornbeam.stats import geometric_mean
from hornbeam.study.estimators import CLASSIFIERS, KernelSelector
from hornbeam.study.plan import Plan
from hornbeam.study.statistics import Interval, grouped_splits, interval

BLIND = ("top_n", "greedy")
"""Selectors that look at uncut shares alone: the normalisation makes no difference to them."""

SHIPPED = next(iter(CLASSIFIERS))


@dataclass(frozen=True)
class Table:
    """Measured shares of problems, as the experiments use them.

    Attributes:
        features: float32[P, F].
        shares: float64[P, C], uncut; NaN where not measured.
        completed: float64[P, C], the same with estimates in place of NaN.
        groups: intp[P]; problems of a group are held out together.
    """

    features: NDArray[np.float32]
    shares: Shares
    completed: Shares
    groups: NDArray[np.intp]


@dataclass(frozen=True)
class SplitScores:
    """What one split gave.

    Attributes:
        ceilings: (selector, normalisation, N) -> geometric mean of the best selected share.
        achieved: (selector, classifier, N) -> geometric mean of the picked share.
        single: geometric mean of the best single kernel of the training problems.
        test: held-out problems.
        picked: (selector, N) -> float64[P_test], share that the tree of builds reached.
    """

    ceilings: dict[tuple[str, str, int], float]
    achieved: dict[tuple[str, str, int], float]
    single: float
    test: NDArray[np.intp]
    picked: dict[tuple[str, int], NDArray[np.float64]]


@dataclass(frozen=True)
class Outcome:
    """What all splits gave together.

    Attributes:
        ceilings: (selector, normalisation, N) -> score.
        achieved: (selector, classifier, N) -> score.
        gains: (selector, tree, N) -> how far the tree of builds is ahead of that tree.
        single: score of the best single kernel.
        problems: (selector, N) -> float64[P], mean share reached where held out, NaN where never.
    """

    ceilings: dict[tuple[str, str, int], Interval]
    achieved: dict[tuple[str, str, int], Interval]
    gains: dict[tuple[str, str, int], Interval]
    single: Interval
    problems: dict[tuple[str, int], NDArray[np.float64]]


def normalisations_of(selection: str) -> Sequence[str]:
    """Return the normalisations that make a difference to a selector."""
    names = list(NORMALISATIONS)
    return names[:1] if selection in BLIND else names


def run(table: Table, plan: Plan, jobs: int) -> Outcome:
    """Run every split, on as many processes as there are jobs."""
    splits = list(grouped_splits(table.groups, plan.repeats, plan.random_state))
    tasks = [(table, plan, train, test) for train, test in splits]
    if jobs == 1:
        return combine([run_split(*task) for task in tasks], len(table.shares))
    with ProcessPoolExecutor(jobs) as pool:
        return combine(list(pool.map(run_split, *zip(*tasks, strict=True))), len(table.shares))


def run_split(
    table: Table, plan: Plan, train: NDArray[np.intp], test: NDArray[np.intp]
) -> SplitScores:
    """Select and train on some problems, score on the others."""
    ceilings, achieved, picked = {}, {}, {}
    with single_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for selection, normalisation, count in _selections(table, plan, train):
            selector = KernelSelector(selection, count, normalisation, plan.random_state)
            selector.fit(table.features[train], table.shares[train])
            reached = table.completed[test]
            score = selector.score(table.features[test], reached)
            ceilings[selection, normalisation, count] = score
            first = normalisation == normalisations_of(selection)[0]
            if first and selection in plan.selectors and count in plan.classified:
                columns = selector.columns_
                for name in plan.classifiers or CLASSIFIERS:
                    estimator = CLASSIFIERS[name]()
                    estimator.fit(
                        table.features[train], table.completed[train][:, columns],
                        groups=table.groups[train],
                    )  # fmt: skip
                    picks = columns[estimator.predict(table.features[test])]
                    shares = reached[np.arange(len(test)), picks]
                    achieved[selection, name, count] = geometric_mean(shares)
                    if name == SHIPPED:
                        picked[selection, count] = shares
        single = geometric_mean(table.completed[test, best_single(table.shares[train])])
    return SplitScores(ceilings, achieved, single, test, picked)


def _selections(
    table: Table, plan: Plan, train: NDArray[np.intp]
) -> Iterator[tuple[str, str, int]]:
    available = len(measured_part(table.shares[train])[1])
    for selection in SELECTIONS:
        for normalisation in normalisations_of(selection):
            for count in sorted({*plan.kernels, *plan.classified}):
                if count <= available:
                    yield selection, normalisation, count


def combine(scores: Sequence[SplitScores], n_problems: int) -> Outcome:
    """Average splits; what some split could not give is left out."""
    ceilings = _intervals([one.ceilings for one in scores])
    achieved = _intervals([one.achieved for one in scores])
    gains = _intervals(
        [
            {
                (selection, name, count): one.achieved[selection, SHIPPED, count] - value
                for (selection, name, count), value in one.achieved.items()
                if name.startswith("tree ")
            }
            for one in scores
        ]
    )
    problems = {}
    for key in scores[0].picked:
        total, seen = np.zeros(n_problems), np.zeros(n_problems)
        for one in scores:
            if key in one.picked:
                np.add.at(total, one.test, one.picked[key])
                np.add.at(seen, one.test, 1)
        problems[key] = np.where(seen > 0, total / np.maximum(seen, 1), np.nan)
    return Outcome(ceilings, achieved, gains, interval([one.single for one in scores]), problems)


def _intervals(
    found: Sequence[dict[tuple[str, str, int], float]],
) -> dict[tuple[str, str, int], Interval]:
    values = defaultdict(list)
    for one in found:
        for key, value in one.items():
            values[key].append(value)
    return {key: interval(list_) for key, list_ in values.items() if len(list_) == len(found)}


def optima(table: Table, plan: Plan) -> dict[int, tuple[float, Optimum]]:
    """Return, for each N, the ceiling of `greedy` on all problems and the proven optimum."""
    rows, usable = measured_part(table.shares)
    known = table.shares[np.ix_(rows, usable)]
    logs = log_shares(known)
    found = {}
    for count in plan.classified if plan.optimum_s > 0 else ():
        if count <= len(usable):
            chosen = select("greedy", known, table.features[rows], count, log_level=0).columns
            ceiling = geometric_mean(np.exp(logs[:, list(chosen)].max(axis=1)))
            found[count] = (ceiling, optimum(logs, count, ceiling, plan.optimum_s))
    return found
