# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A study of one dataset: the experiments, and what describes the dataset itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import PCA
from sklearn.model_selection import GroupKFold

from hornbeam.classifier import TrainingSet, train
from hornbeam.evidence import Evidence, prepare
from hornbeam.normalise import NORMALISATIONS
from hornbeam.operations import Operation
from hornbeam.problems import load_problem_set, problem_sets
from hornbeam.selection import complete, select, single_thread
from hornbeam.selection_optimum import Optimum
from hornbeam.study.estimators import LossTree
from hornbeam.study.experiments import Outcome, Table, optima, run
from hornbeam.study.plan import Plan
from hornbeam.types import Dataset, Problem, TreeNode

ALL_PROBLEMS = "all"
SHOWN_KERNELS = 8
"""Number of kernels of the tree and the confusion that are shown, where there are as many."""

_FOLDS = 5


@dataclass(frozen=True)
class Study:
    """Everything that the report tells.

    Attributes:
        dataset: that was studied.
        operation: that was measured.
        evidence: its usable part: P problems, C configurations.
        sets: name of a problem set -> bool[P], which of the problems it holds.
        variance: normalisation -> part of the variance in each principal component.
        outcome: scores.
        optima: N -> ceiling of `greedy` and the proven optimum, on all problems.
        kernels: columns of the shown kernels, chosen from all problems.
        tree: of builds, for these.
        confusion: int[N, N], held-out problems by their best kernel and the one picked.
        plan: what was tried.
    """

    dataset: Dataset
    operation: Operation
    evidence: Evidence
    sets: Mapping[str, NDArray[np.bool_]]
    variance: Mapping[str, NDArray[np.float64]]
    outcome: Outcome
    optima: Mapping[int, tuple[float, Optimum]]
    kernels: tuple[int, ...]
    tree: tuple[TreeNode, ...]
    confusion: NDArray[np.int64]
    plan: Plan


def study(
    dataset: Dataset, operation: Operation, plan: Plan, jobs: int = 1, bit_stable: bool = True
) -> Study:
    """Run all experiments on a dataset.

    Args:
        dataset: measurements.
        operation: that was measured.
        plan: what is tried.
        jobs: processes.
        bit_stable: whether only kernels may be chosen that give the same bits as each other.

    Raises:
        DatasetError: nothing usable in it.
    """
    evidence = prepare(dataset, operation, bit_stable=bit_stable)
    names = [operation.group(problem) for problem in evidence.problems]
    seen = {name: index for index, name in enumerate(dict.fromkeys(names))}
    groups = np.array([seen[name] for name in names], dtype=np.intp)
    completed = complete(evidence.shares)
    table = Table(evidence.features, evidence.shares, completed, groups)
    outcome = run(table, plan, jobs)
    count = min(SHOWN_KERNELS, completed.shape[1])
    with single_thread():
        chosen = select(plan.selectors[0], table.shares, table.features, count, log_level=0).columns
        shown = evidence.shares[:, list(chosen)]
        tree = train(TrainingSet(evidence.feature_names, evidence.features, shown))
        return Study(
            dataset=dataset,
            operation=operation,
            evidence=evidence,
            sets=_sets(operation, evidence.problems),
            variance={name: _variance(scale(completed)) for name, scale in NORMALISATIONS.items()},
            outcome=outcome,
            optima=optima(table, plan),
            kernels=chosen,
            tree=tree,
            confusion=_confusion(table, chosen),
            plan=plan,
        )


def _sets(operation: Operation, problems: tuple[Problem, ...]) -> dict[str, NDArray[np.bool_]]:
    found = {ALL_PROBLEMS: np.ones(len(problems), dtype=np.bool_)}
    for name in problem_sets(operation):
        members = set(load_problem_set(operation, name))
        inside = np.array([problem in members for problem in problems], dtype=np.bool_)
        if inside.any() and not inside.all():
            found[name] = inside
    return found


def _variance(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    if not np.ptp(rows, axis=0).any() or len(rows) < 2:
        return np.ones(1)
    ratios: NDArray[np.float64] = PCA(svd_solver="full").fit(rows).explained_variance_ratio_
    return ratios


def _confusion(table: Table, chosen: tuple[int, ...]) -> NDArray[np.int64]:
    """Count (best, picked) kernels over problems held out in folds of whole groups."""
    shares = table.completed[:, list(chosen)]
    counts = np.zeros((len(chosen), len(chosen)), dtype=np.int64)
    folds = min(_FOLDS, len(set(table.groups)))
    if folds < 2:
        return counts
    for old, new in GroupKFold(folds).split(shares, groups=table.groups):
        picked = LossTree().fit(table.features[old], shares[old]).predict(table.features[new])
        np.add.at(counts, (shares[new].argmax(axis=1), picked), 1)
    return counts
