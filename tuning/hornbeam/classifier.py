# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The decision tree that picks one of the selected kernels from the features of a problem."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hornbeam.errors import DatasetError
from hornbeam.normalise import Shares
from hornbeam.selection import best_of, complete
from hornbeam.stats import geometric_mean
from hornbeam.types import TreeNode

if TYPE_CHECKING:
    from sklearn.tree import DecisionTreeRegressor

GREATEST_LOSS = 0.2
"""Part of the speed beyond which a pick counts as no worse when the tree is split."""

_TARGET_DIGITS = 6  # the last bits of a logarithm must not decide between equal splits
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

    def measured(self) -> TrainingSet:
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

    def repeated_rows(self) -> NDArray[np.intp]:
        """Return the index of each problem, as often as it counts."""
        index = np.arange(len(self.shares), dtype=np.intp)
        return index if self.repeats is None else np.repeat(index, self.repeats)


def loss_targets(shares: Shares, reached: Shares) -> NDArray[np.float64]:
    """Return what the tree is to tell apart: logarithms of shares of the best of the N kernels.

    Losses are cut off at `GREATEST_LOSS`: a kernel that takes three times as long is as wrong a
    pick as one that takes ten times as long, and a few of the latter would govern every split.

    Args:
        shares: float64[P, N], uncut; NaN where not measured, a measurement in each row.
        reached: float64[P, N], see `with_estimates`.

    Returns:
        float64[P, N], at most 0, which is the best kernel of a problem.
    """
    best = np.nanmax(shares, axis=1, keepdims=True)
    relative = np.maximum(reached / best, 1.0 - GREATEST_LOSS)
    targets: NDArray[np.float64] = np.log(relative).round(_TARGET_DIGITS)
    return targets


def with_estimates(shares: Shares) -> Shares:
    """Return shares with an estimate for NaN, no better than the best measured of the N kernels.

    Args:
        shares: float64[P, N]; NaN where not measured.

    Raises:
        DatasetError: a row or a column holds no measurement.
    """
    filled: Shares = np.minimum(complete(shares), np.nanmax(shares, axis=1, keepdims=True))
    return filled


def fit(training: TrainingSet, limits: TreeLimits, random_state: int = 0) -> DecisionTreeRegressor:
    """Fit scikit-learn's regressor, an output for each kernel; it decides where to split.

    Args:
        training: at least one kernel measured on every problem, see `TrainingSet.measured`.
        limits: see `TreeLimits`.
        random_state: seed for the order in which equally good splits are tried.

    Raises:
        DatasetError: a kernel was not measured on any problem.
    """
    from sklearn.tree import DecisionTreeRegressor

    rows = training.repeated_rows()
    targets = loss_targets(training.shares, with_estimates(training.shares))
    regressor = DecisionTreeRegressor(
        max_depth=limits.max_depth,
        min_samples_leaf=limits.min_samples_leaf,
        random_state=random_state,
    )
    return regressor.fit(training.features[rows], targets[rows])


def leaf_kernels(regressor: DecisionTreeRegressor, training: TrainingSet) -> dict[int, int]:
    """Return, for each leaf of scikit-learn's tree, the kernel that its problems do best with.

    It is the one with the best geometric mean of its uncut shares among those that are well
    measured there, see `hornbeam.selection.best_of`.
    """
    reached = with_estimates(training.shares)
    rows = training.repeated_rows()
    leaf_of = regressor.apply(training.features)[rows]
    return {
        int(leaf): best_of(training.shares[members], reached[members])
        for leaf in np.unique(leaf_of)
        for members in [rows[leaf_of == leaf]]
    }


def to_nodes(regressor: DecisionTreeRegressor, training: TrainingSet) -> tuple[TreeNode, ...]:
    """Convert a fitted regressor to nodes, root first, children after their parent.

    Subtrees whose leaves all pick the same kernel become one leaf.
    """
    tree = regressor.tree_
    picks = leaf_kernels(regressor, training)
    members = regressor.decision_path(training.features).toarray().astype(bool)
    nodes: list[TreeNode] = []

    def uniform(index: int) -> int | None:
        """Return the one kernel that every leaf below picks, or None."""
        if tree.children_left[index] == _LEAF:
            return picks[index]
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
        DatasetError: no problem has a measurement of any of the kernels, or a kernel of any of
            the problems.
    """
    measured = training.measured()
    regressor = fit(measured, limits or TreeLimits(), random_state)
    return to_nodes(regressor, measured)
