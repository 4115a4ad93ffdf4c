# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Held-out scores for every number of kernels, the choice of that number, and `learn`.

Scores are shares of the best measured speed, combined by geometric mean over problems that
neither selection nor training has seen, and averaged over repeated 80/20 splits by problem.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
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
        emphasised: problems that the tree should know well (the user's own): each counts
            ``limits.min_samples_leaf`` times, enough for a leaf of its own.
        configurations: shell-style patterns of the ids of configurations that may be chosen.
        bit_stable: whether only those may that give the same bits as each other.
    """

    selection: str = "pca_kmeans"
    normalisation: str = "scaled"
    n_kernels: int = 0
    max_tried: int = 16
    splits: int = 10
    random_state: int = 0
    limits: TreeLimits = field(default_factory=TreeLimits)
    emphasised: frozenset[Problem] = frozenset()
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
        return dict.fromkeys(self.emphasised, self.limits.min_samples_leaf)


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
) -> Score:
    """Score one number of kernels on held-out problems.

    An estimate counts for no more than the best of the N kernels that was measured on a problem.

    Args:
        training: problems to select and train on.
        test: problems to score on.
        completed: float64[P_test, C], the test problems' shares with estimates for NaN.
        options: see `LearnOptions`.
        n_kernels: N.
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
    single, default = best_single(training.shares), training.default
    return Score(
        kernels=n_kernels,
        ceiling=geometric_mean(reached.max(axis=1)),
        achieved=geometric_mean(reached[np.arange(len(reached)), picked]),
        single_best=geometric_mean(completed[:, single]),
        default=None if default is None else geometric_mean(completed[:, default]),
    )


def trade_off(evidence: Evidence, options: LearnOptions) -> tuple[Score, ...]:
    """Return the held-out score of every number of kernels from 1 up, averaged over splits.

    Empty when there are too few problems to hold one out.
    """
    tried = set(range(1, options.max_tried + 1)) | {options.n_kernels} - {0}
    completed = complete(evidence.shares)
    scores: dict[int, list[Score]] = {n: [] for n in sorted(tried)}
    for train_rows, test_rows in splits(len(completed), options.splits, options.random_state):
        training, test = evidence.rows(train_rows), evidence.rows(test_rows)
        available = len(measured_part(training.shares)[1])
        for n_kernels in [n for n in scores if n <= available]:
            found = score(training, test, completed[test_rows], options, n_kernels)
            scores[n_kernels].append(found)
    return tuple(_average(found) for found in scores.values() if found)


def _average(scores: list[Score]) -> Score:
    defaults = [score.default for score in scores if score.default is not None]
    return Score(
        kernels=scores[0].kernels,
        ceiling=float(np.mean([score.ceiling for score in scores])),
        achieved=float(np.mean([score.achieved for score in scores])),
        single_best=float(np.mean([score.single_best for score in scores])),
        default=float(np.mean(defaults)) if defaults else None,
    )


def choose_number(scores: tuple[Score, ...]) -> Score:
    """Return the score with the fewest kernels among those within `NEAR_TIE` of the best.

    It is the achieved score that counts, not the ceiling: more kernels always raise the
    ceiling, and can lower what the tree makes of them.
    """
    best = max(score.achieved for score in scores)
    near = [score for score in scores if score.achieved >= best - NEAR_TIE]
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
