# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The decision tree once trained: walking it, and saying its paths in words."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hornbeam.types import TreeNode


@dataclass(frozen=True)
class Bounds:
    """What a path asks of one feature: ``above < feature <= at_most``; None where it does not."""

    feature: str
    above: float | None = None
    at_most: float | None = None

    def __str__(self) -> str:
        """Return the bounds in words, numbers shortened to six digits."""
        parts = []
        if self.above is not None:
            parts.append(f"{self.feature} > {self.above:.6g}")
        if self.at_most is not None:
            parts.append(f"{self.feature} <= {self.at_most:.6g}")
        return " and ".join(parts)


def walk(
    nodes: Sequence[TreeNode], feature_names: Sequence[str], row: NDArray[np.float32]
) -> list[int]:
    """Return the indices of the nodes that a problem passes, from the root to its leaf.

    A float32 feature is compared with the float64 threshold as it is, both promoted to
    float64: this is what scikit-learn does and what the generated C++ does.

    Args:
        nodes: the tree, root first.
        feature_names: F names, in the order of ``row``.
        row: float32[F].
    """
    path = [0]
    while (name := nodes[path[-1]].feature) is not None:
        node = nodes[path[-1]]
        value = float(row[feature_names.index(name)])
        path.append(node.left if value <= node.threshold else node.right)
    return path


def predict(
    nodes: Sequence[TreeNode], feature_names: Sequence[str], features: NDArray[np.float32]
) -> NDArray[np.intp]:
    """Return the kernel that the tree picks for each row: float32[P, F] -> intp[P]."""
    leaves = [nodes[walk(nodes, feature_names, row)[-1]].kernel for row in features]
    return np.array(leaves, dtype=np.intp)


def leaves(nodes: Sequence[TreeNode]) -> list[int]:
    """Return the indices of the leaves from left to right."""
    found: list[int] = []
    waiting = [0]
    while waiting:
        index = waiting.pop()
        node = nodes[index]
        if node.feature is None:
            found.append(index)
        else:
            waiting += [node.right, node.left]
    return found


def _path_bounds(nodes: Sequence[TreeNode], path: Sequence[int]) -> list[Bounds]:
    """Return what a path asks of each feature it compares, in the order of first comparison.

    Args:
        nodes: the tree.
        path: node indices from the root to a leaf, as `walk` gives them.
    """
    bounds: dict[str, Bounds] = {}
    for index, following in itertools.pairwise(path):
        node = nodes[index]
        if node.feature is None:
            break
        old = bounds.get(node.feature, Bounds(node.feature))
        # Deeper comparisons of the same feature are the tighter ones.
        if following == node.left:
            bounds[node.feature] = Bounds(old.feature, old.above, node.threshold)
        else:
            bounds[node.feature] = Bounds(old.feature, node.threshold, old.at_most)
    return list(bounds.values())


def path_in_words(nodes: Sequence[TreeNode], leaf: int) -> str:
    """Return what leads to a leaf, e.g. ``m <= 96.5 and k > 12``; empty where it is the root."""
    parents = {child: i for i, node in enumerate(nodes) for child in (node.left, node.right)}
    path = [leaf]
    while path[-1] != 0:
        path.append(parents[path[-1]])
    return " and ".join(str(bounds) for bounds in _path_bounds(nodes, path[::-1]))
