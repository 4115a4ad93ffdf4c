# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The decision tree that picks one of the selected kernels from the features of a problem."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hornbeam.errors import DatasetError
from hornbeam.normalise import Shares
from hornbeam.stats import geometric_mean
from hornbeam.types import TreeNode

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeClassifier

_LEAST_WEIGHT = 0.01
_WEIGHT_DIGITS = 4  # the order in which numbers were summed must not decide between equal splits
_LEAF = -1


@dataclass(frozen=True)
class TreeLimits:
    """Bounds that keep the tree small and its leaves backed by evidence.

    Attributes:
        max_depth: comparisons on the longest path.
        min_samples_leaf: training problems that a leaf must hold.
    """

    max_depth: int = 6
    min_samples_leaf: int = 3


@dataclass(frozen=True)
class TrainingSet:
    """What the tree is trained on.

    Attributes:
        feature_names: F names, in the order of the columns of ``features``.
        features: float32[P, F].
        shares: float64[P, N], uncut shares of the selected kernels; NaN where not measured.
        repeats: int[P], how often a problem counts; None for once each.
    """

    feature_names: tuple[str, ...]
    features: NDArray[np.float32]
    shares: Shares
    repeats: NDArray[np.intp] | None = None

    def labelled(self) -> TrainingSet:
        """Return the problems for which at least one of the selected kernels was measured.

        Raises:
            DatasetError: there is none.
        """
        keep = np.isfinite(self.shares).any(axis=1)
        if not keep.any():
            raise DatasetError("none of the selected kernels was measured on any problem")
        repeats = None if self.repeats is None else self.repeats[keep]
        return replace(
            self, features=self.features[keep], shares=self.shares[keep], repeats=repeats
        )


def labels(shares: Shares) -> NDArray[np.intp]:
    """Return, for each problem, the fastest of the measured kernels: intp[P].

    ``shares`` must be uncut: after a cut-off a row may hold zeros only, and its arg-max would
    be the first kernel instead of the fastest.
    """
    best: NDArray[np.intp] = np.nanargmax(shares, axis=1)
    return best


def regret(shares: Shares) -> NDArray[np.float64]:
    """Return how much a random pick among the kernels loses, on average: float64[P].

    Used as sample weight, so that the tree does not spend its splits on problems where the
    kernels are alike.
    """
    rows = np.ascontiguousarray(shares)
    loss = np.nanmax(rows, axis=1) - np.nanmean(rows, axis=1)
    return np.asarray(np.maximum(loss, _LEAST_WEIGHT), dtype=np.float64).round(_WEIGHT_DIGITS)


def fit(training: TrainingSet, limits: TreeLimits, random_state: int = 0) -> DecisionTreeClassifier:
    """Fit scikit-learn's classifier; its classes are indices of kernels (columns of shares).

    Args:
        training: every problem labelled, see `TrainingSet.labelled`.
        limits: see `TreeLimits`.
        random_state: seed for the order in which equally good splits are tried.
    """
    from sklearn.tree import DecisionTreeClassifier

    repeats = training.repeats
    if repeats is None:
        repeats = np.ones(len(training.shares), dtype=np.intp)
    rows = np.repeat(np.arange(len(training.shares)), repeats)
    classifier = DecisionTreeClassifier(
        max_depth=limits.max_depth,
        min_samples_leaf=limits.min_samples_leaf,
        random_state=random_state,
    )
    with warnings.catch_warnings():
        # Nearly as many kernels as problems is odd, but it is what the user asked for.
        warnings.filterwarnings("ignore", message="The number of unique classes")
        return classifier.fit(
            training.features[rows],
            labels(training.shares)[rows],
            sample_weight=regret(training.shares)[rows],
        )


def to_nodes(classifier: DecisionTreeClassifier, training: TrainingSet) -> tuple[TreeNode, ...]:
    """Convert a fitted classifier to nodes, root first, children after their parent.

    Subtrees whose leaves all pick the same kernel become one leaf. A leaf's kernel is looked
    up in ``classes_``: columns of ``tree_.value`` follow the sorted classes that occurred in
    training, not the order of the kernels.
    """
    tree = classifier.tree_
    picks = classifier.classes_[tree.value[:, 0, :].argmax(axis=1)]
    members = classifier.decision_path(training.features).toarray().astype(bool)
    nodes: list[TreeNode] = []

    def uniform(index: int) -> int | None:
        """Return the one kernel that every leaf below picks, or None."""
        if tree.children_left[index] == _LEAF:
            return int(picks[index])
        left = uniform(tree.children_left[index])
        return left if left == uniform(tree.children_right[index]) else None

    def add(index: int) -> int:
        place = len(nodes)
        rows = members[:, index]
        kernel = uniform(index)
        if kernel is not None:
            shares = training.shares[rows, kernel]
            share = geometric_mean(shares[np.isfinite(shares)])
            nodes.append(TreeNode(kernel=kernel, expected_share=share, problems=int(rows.sum())))
            return place
        nodes.append(
            TreeNode(
                feature=training.feature_names[tree.feature[index]],
                threshold=float(tree.threshold[index]),
                problems=int(rows.sum()),
            )
        )
        left, right = add(tree.children_left[index]), add(tree.children_right[index])
        nodes[place] = replace(nodes[place], left=left, right=right)
        return place

    add(0)
    return tuple(nodes)


def train(
    training: TrainingSet, limits: TreeLimits | None = None, random_state: int = 0
) -> tuple[TreeNode, ...]:
    """Train a tree and return its nodes, root first.

    Raises:
        DatasetError: no problem has a measurement of any of the kernels.
    """
    labelled = training.labelled()
    classifier = fit(labelled, limits or TreeLimits(), random_state)
    return to_nodes(classifier, labelled)
