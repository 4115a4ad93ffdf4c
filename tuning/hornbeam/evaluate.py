# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out scores for every number of kernels, the choice of that number, and `learn`.

Scores are shares of the best measured speed, combined by geometric mean over problems that
neither selection nor training has seen, and averaged over repeated 80/20 splits by problem.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hornbeam.classifier import TrainingSet, TreeLimits, train
from hornbeam.errors import ConfigurationError, choose
from hornbeam.evidence import ANY_CONFIGURATION, Evidence, prepare
from hornbeam.normalise import NORMALISATIONS, Shares
from hornbeam.operations import Operation
from hornbeam.selection import (
    SELECTIONS,
    Selection,
    best_single,
    complete,
    measured_part,
    select,
    single_thread,
)
from hornbeam.stats import geometric_mean
from hornbeam.tree import predict
from hornbeam.types import Dataset, Problem, Score, Selector, TreeNode

TEST_FRACTION = 0.2
NEAR_TIE = 0.001
"""Held-out scores closer than this count as equal; the fewer kernels win."""
MAX_KERNELS = 64
MOST_EMPHASIS = 10.0
"""Largest ratio of weights that counts: a size that is called all the time must not be all that the
choice is made from."""


@dataclass(frozen=True)
class LearnOptions:
    """How to learn a selector.

    Attributes:
        selection: a key of `hornbeam.selection.SELECTIONS`.
        normalisation: a key of `hornbeam.normalise.NORMALISATIONS`.
        n_kernels: number of kernels, 1..64; 0 to choose it by held-out score.
        max_tried: largest number of kernels that is tried when it is to be chosen.
        splits: how many random 80/20 splits are averaged.
        random_state: seed of everything random.
        limits: bounds of the tree.
        emphasised: problem -> weight, of those that the tree should know well (the user's own).
            The lightest counts ``limits.min_samples_leaf`` times, enough for a leaf of its own,
            the others as many times more as they are heavier, up to `MOST_EMPHASIS`.
        configurations: shell-style patterns of the ids of configurations that may be chosen.
        bit_stable: whether only those may that give the same bits as each other.
    """

    selection: str = "pca_kmeans"
    normalisation: str = "scaled"
    n_kernels: int = 0
    max_tried: int = 12
    splits: int = 40
    random_state: int = 0
    limits: TreeLimits = field(default_factory=TreeLimits)
    emphasised: Mapping[Problem, float] = field(default_factory=dict)
    configurations: tuple[str, ...] = ANY_CONFIGURATION
    bit_stable: bool = True

    def check(self) -> None:
        """Check names and numbers.

        Raises:
            ConfigurationError: naming the value and the valid ones.
        """
        choose("selection method", self.selection, list(SELECTIONS))
        choose("normalisation", self.normalisation, list(NORMALISATIONS))
        if not 0 <= self.n_kernels <= MAX_KERNELS:
            raise ConfigurationError(
                f"the number of kernels is {self.n_kernels}; valid: 0 (chosen by held-out score) "
                f"or 1..{MAX_KERNELS}"
            )

    @property
    def most_kernels(self) -> int:
        """Largest number of kernels that can come of it."""
        return self.n_kernels or self.max_tried

    def repeats(self) -> dict[Problem, int]:
        """Return how often each emphasised problem counts."""
        least = min(self.emphasised.values(), default=1.0)
        return {
            problem: round(self.limits.min_samples_leaf * min(weight / least, MOST_EMPHASIS))
            for problem, weight in self.emphasised.items()
        }


def splits(
    n_problems: int, n_splits: int, random_state: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield (training, test) indices of repeated random 80/20 splits, both ascending.

    Yields nothing when there are too few problems to hold one out.
    """
    n_test = round(n_problems * TEST_FRACTION)
    if n_problems < 2:
        return
    generator = np.random.default_rng(random_state)
    for _ in range(n_splits):
        order = generator.permutation(n_problems)
        n = max(1, n_test)
        yield np.sort(order[n:]), np.sort(order[:n])


def choose_kernels(
    evidence: Evidence, options: LearnOptions, n_kernels: int, log_level: int = logging.DEBUG
) -> Selection:
    """Select configurations, counting each problem as often as ``evidence.repeats`` says."""
    rows = np.repeat(np.arange(len(evidence.shares)), evidence.repeats)
    return select(
        options.selection,
        evidence.shares[rows],
        evidence.features[rows],
        n_kernels,
        normalisation=options.normalisation,
        random_state=options.random_state,
        log_level=log_level,
    )


def score(
    training: Evidence, test: Evidence, completed: Shares, options: LearnOptions, n_kernels: int
) -> tuple[float, float]:
    """Score one number of kernels on held-out problems.

    An estimate counts for no more than the best of the N kernels that was measured on a problem.

    Args:
        training: problems to select and train on.
        test: problems to score on.
        completed: float64[P_test, C], the test problems' shares with estimates for NaN.
        options: see `LearnOptions`.
        n_kernels: N.

    Returns:
        Geometric means over the test problems: of the best of the N kernels, and of the one
        that the tree picks.
    """
    columns = list(choose_kernels(training, options, n_kernels).columns)
    names = training.feature_names
    nodes = train(
        TrainingSet(names, training.features, training.shares[:, columns], training.repeats),
        options.limits,
        options.random_state,
    )
    picked = predict(nodes, names, test.features)
    known = np.isfinite(test.shares[:, columns])
    best = np.where(known, completed[:, columns], 0.0).max(axis=1, keepdims=True)
    reached = np.minimum(completed[:, columns], np.where(best > 0.0, best, 1.0))
    return (
        geometric_mean(reached.max(axis=1)),
        geometric_mean(reached[np.arange(len(reached)), picked]),
    )


def trade_off(evidence: Evidence, options: LearnOptions) -> tuple[Score, ...]:
    """Return the held-out score of every number of kernels from 1 up, averaged over splits.

    Empty when there are too few problems to hold one out.
    """
    tried = sorted(set(range(1, options.max_tried + 1)) | {options.n_kernels} - {0})
    completed = complete(evidence.shares)
    pairs = list(splits(len(completed), options.splits, options.random_state))
    if not pairs:
        return ()
    # Ceiling and achieved score; NaN where a split has not enough configurations.
    found = np.full((len(pairs), len(tried), 2), np.nan)
    single = np.empty(len(pairs))
    for index, (train_rows, test_rows) in enumerate(pairs):
        training, test = evidence.rows(train_rows), evidence.rows(test_rows)
        available = len(measured_part(training.shares)[1])
        for column, n_kernels in enumerate(tried):
            if n_kernels <= available:
                held_out = completed[test_rows]
                found[index, column] = score(training, test, held_out, options, n_kernels)
        single[index] = geometric_mean(completed[test_rows, best_single(training.shares)])
    default = _default_score(evidence, completed, pairs)
    given = np.isfinite(found).all(axis=2)
    errors = paired_errors(found[:, :, 1])
    return tuple(
        Score(
            kernels=n_kernels,
            ceiling=float(found[given[:, column], column, 0].mean()),
            achieved=float(found[given[:, column], column, 1].mean()),
            single_best=float(single[given[:, column]].mean()),
            default=default,
            error=float(errors[column]),
        )
        for column, n_kernels in enumerate(tried)
        if given[:, column].any()
    )


def _default_score(
    evidence: Evidence, completed: Shares, pairs: list[tuple[NDArray[np.intp], NDArray[np.intp]]]
) -> float | None:
    """Return the held-out score of the default configuration; None where it is no candidate."""
    if evidence.default is None:
        return None
    reached = completed[:, evidence.default]
    return float(np.mean([geometric_mean(reached[test]) for _, test in pairs]))


def paired_errors(achieved: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the standard error of how far each number of kernels is behind the best one.

    Every number is scored on the same splits, and hard test problems are hard for all: the
    difference is known far better than either score. It is 0 for the best, and for a single
    split, which tells nothing of the scatter.

    Args:
        achieved: float64[S, N], a score for each split and number; NaN where there is none.

    Returns:
        float64[N].
    """
    best = int(np.nanargmax(_known_means(achieved)))
    behind = achieved[:, [best]] - achieved
    known = np.isfinite(behind)
    count = known.sum(axis=0)
    mean = np.where(known, behind, 0.0).sum(axis=0) / np.maximum(count, 1)
    squares = (np.where(known, behind - mean, 0.0) ** 2).sum(axis=0)
    errors: NDArray[np.float64] = np.sqrt(squares / np.maximum(count - 1, 1) / np.maximum(count, 1))
    return errors


def _known_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the mean of each column's known values, NaN where it has none."""
    known = np.isfinite(values)
    total: NDArray[np.float64] = np.where(known, values, 0.0).sum(axis=0)
    means: NDArray[np.float64] = np.where(
        known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan
    )
    return means


def choose_number(scores: tuple[Score, ...]) -> Score:
    """Return the score with the fewest kernels among those as good as the best.

    A score is as good when it is within its standard error, or `NEAR_TIE`, of the best: of many
    numbers that do equally well, the best is so by chance. It is the achieved score that
    counts, not the ceiling: more kernels always raise the ceiling, and can lower what the tree
    makes of them.
    """
    best = max(score.achieved for score in scores)
    near = [score for score in scores if score.achieved >= best - max(score.error, NEAR_TIE)]
    return min(near, key=lambda score: score.kernels)


def learn(dataset: Dataset, operation: Operation, options: LearnOptions | None = None) -> Selector:
    """Select kernels and train the tree: scores on held-out problems, then all problems used.

    Runs on one thread: matrices are small, and the result then depends on nothing but the
    dataset and the options.

    Raises:
        ConfigurationError: an unknown method, more kernels than the dataset can give, or
            patterns that no configuration matches.
        DatasetError: nothing usable in the dataset.
    """
    options = options or LearnOptions()
    options.check()
    evidence = prepare(
        dataset, operation, options.repeats(), options.configurations, options.bit_stable
    )
    with single_thread():
        scores = trade_off(evidence, options)
        n_kernels = options.n_kernels or (choose_number(scores).kernels if scores else 1)
        chosen = choose_kernels(evidence, options, n_kernels, logging.INFO)
        nodes = _train(evidence, options, chosen)
    return Selector(
        operation=dataset.operation,
        data_type=dataset.data_type,
        device_key=dataset.device.key,
        kernels=tuple(evidence.configurations[column] for column in chosen.columns),
        features=evidence.feature_names,
        nodes=nodes,
        scores=scores,
        held_out=next((score for score in scores if score.kernels == n_kernels), None),
        options=_as_mapping(options),
        dataset_digest=dataset.digest,
        notes=evidence.notes + _refill_note(options, chosen),
    )


def _train(evidence: Evidence, options: LearnOptions, chosen: Selection) -> tuple[TreeNode, ...]:
    training = TrainingSet(
        evidence.feature_names,
        evidence.features,
        evidence.shares[:, list(chosen.columns)],
        evidence.repeats,
    )
    return train(training, options.limits, options.random_state)


def _as_mapping(options: LearnOptions) -> dict[str, str | int | float]:
    return {
        "selection": options.selection,
        "normalisation": options.normalisation,
        "n_kernels": options.n_kernels,
        "max_tried": options.max_tried,
        "splits": options.splits,
        "random_state": options.random_state,
        "max_depth": options.limits.max_depth,
        "min_samples_leaf": options.limits.min_samples_leaf,
        "emphasised": len(options.emphasised),
        "configurations": ";".join(options.configurations),
        "bit_stable": int(options.bit_stable),
    }


def _refill_note(options: LearnOptions, chosen: Selection) -> tuple[str, ...]:
    if not chosen.refilled:
        return ()
    proposed = len(chosen.columns) - chosen.refilled
    return (
        f"{options.selection} proposed {proposed} distinct kernels of {len(chosen.columns)}; "
        f"{chosen.refilled} added by marginal gain",
    )
