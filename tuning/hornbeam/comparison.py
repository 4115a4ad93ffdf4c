# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Two sets of measurements of the same device compared: times, and what each would select."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hornbeam.errors import DatasetError
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.evidence import failed_columns
from hornbeam.features import feature_matrix
from hornbeam.normalise import shares_of_best
from hornbeam.operations import Operation
from hornbeam.stats import geometric_mean
from hornbeam.tree import predict
from hornbeam.types import Configuration, Dataset, Problem, Selector


@dataclass(frozen=True)
class ProblemDifference:
    """How times of one problem differ.

    Attributes:
        problem: see `Problem`.
        cells: configurations with a time in both.
        ratio: geometric mean over these of second time / first time.
        best: ids of the fastest of these, in the first and in the second.
        reached: share of the best speed in the second that the first's fastest reaches there.
    """

    problem: Problem
    cells: int
    ratio: float
    best: tuple[str, str]
    reached: float


@dataclass(frozen=True)
class CrossScore:
    """What the kernels and the tree learned from one reach on the measurements of another.

    Attributes:
        problems: where the time of what the tree picks is known.
        reached: geometric mean over these of the share of the best measured speed.
        own: the same for what was learned from those measurements themselves.
    """

    problems: int
    reached: float
    own: float

    @property
    def loss(self) -> float:
        """Part of the speed that is lost by having learned from the other measurements."""
        return 1.0 - self.reached / self.own


@dataclass(frozen=True)
class Comparison:
    """How two sets of measurements differ.

    Attributes:
        problems: those with a time of the same configuration in both.
        ratio: geometric mean over these of their ratios.
        scatter: median over cells of how far a cell's ratio is from its problem's, as a factor
            less one: noise, or a change that hits configurations differently.
        scores: of what is learned from the first on the second, and the other way round; None
            where no pick of the one was measured in the other.
    """

    problems: tuple[ProblemDifference, ...]
    ratio: float
    scatter: float
    scores: tuple[CrossScore | None, CrossScore | None]


def compare(
    first: Dataset, second: Dataset, operation: Operation, options: LearnOptions
) -> Comparison:
    """Compare measurements of the same operation, data type and device.

    Raises:
        ConfigurationError: see `hornbeam.evaluate.learn`.
        DatasetError: no cell has a time in both, or one holds nothing to learn from.
    """
    problems = sorted(set(first.problems) & set(second.problems))
    known = {c.id for c in second.configurations}
    shared = [c for c in first.configurations if c.id in known]
    times_s = [_part(dataset, problems, shared) for dataset in (first, second)]
    both = np.isfinite(times_s[0]) & np.isfinite(times_s[1])
    if not both.any():
        raise DatasetError("no configuration was timed on the same problem in both")
    logs = np.log(times_s[1]) - np.log(times_s[0])
    differences, deviations = [], []
    for row in np.flatnonzero(both.any(axis=1)):
        columns = np.flatnonzero(both[row])
        mean = float(logs[row, columns].mean())
        deviations.append(np.abs(logs[row, columns] - mean))
        before_s, after_s = (time_s[row, columns] for time_s in times_s)
        fastest = columns[before_s.argmin()], columns[after_s.argmin()]
        differences.append(
            ProblemDifference(
                problem=problems[row],
                cells=len(columns),
                ratio=float(np.exp(mean)),
                best=(shared[fastest[0]].id, shared[fastest[1]].id),
                reached=float(after_s.min() / times_s[1][row, fastest[0]]),
            )
        )
    selectors = [learn(dataset, operation, options) for dataset in (first, second)]
    return Comparison(
        problems=tuple(differences),
        ratio=geometric_mean(np.array([one.ratio for one in differences])),
        scatter=float(np.expm1(np.median(np.concatenate(deviations)))),
        scores=(
            cross_score(selectors[0], selectors[1], second, operation),
            cross_score(selectors[1], selectors[0], first, operation),
        ),
    )


def cross_score(
    selector: Selector, own: Selector, dataset: Dataset, operation: Operation
) -> CrossScore | None:
    """Score a selector on measurements that it was not learned from.

    Args:
        selector: learned elsewhere.
        own: learned from these measurements.
        dataset: the measurements.
        operation: what was measured.
    """
    shares = [_picked_shares(one, dataset, operation) for one in (selector, own)]
    known = np.isfinite(shares[0]) & np.isfinite(shares[1])
    if not known.any():
        return None
    reached, there = (geometric_mean(share[known]) for share in shares)
    return CrossScore(int(known.sum()), reached, there)


def _picked_shares(
    selector: Selector, dataset: Dataset, operation: Operation
) -> NDArray[np.float64]:
    """Shares of the best that a tree's picks reach: float64[P], NaN where that was not measured."""
    usable_s = np.where(failed_columns(dataset), np.nan, dataset.time_s)
    rows = np.flatnonzero(np.isfinite(usable_s).any(axis=1))
    found = np.full(len(dataset.problems), np.nan)
    features = [feature for feature in operation.features if feature.name in selector.features]
    problems = [dataset.problems[row] for row in rows]
    matrix = feature_matrix(features, operation.problem_fields, problems)
    picks = predict(selector.nodes, selector.features, matrix)
    column = {c.id: i for i, c in enumerate(dataset.configurations)}
    shares = shares_of_best(usable_s[rows])
    for position, (row, pick) in enumerate(zip(rows, picks, strict=True)):
        at = column.get(selector.kernels[pick].id)
        if at is not None:
            found[row] = shares[position, at]
    return found


def _part(
    dataset: Dataset, problems: Sequence[Problem], configurations: Sequence[Configuration]
) -> NDArray[np.float64]:
    """Times of some problems and configurations, NaN where not measured."""
    row = {problem: i for i, problem in enumerate(dataset.problems)}
    column = {c.id: i for i, c in enumerate(dataset.configurations)}
    index = [row[p] for p in problems], [column[c.id] for c in configurations]
    return np.asarray(dataset.time_s[np.ix_(*index)])
