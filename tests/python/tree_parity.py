# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Compares the compiled tree and the tree in Python with scikit-learn's own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.tree import DecisionTreeRegressor

import compiled_tree
from hornbeam.classifier import TrainingSet, TreeLimits, fit, leaf_kernels
from hornbeam.codegen import Target, render
from hornbeam.evaluate import LearnOptions
from hornbeam.evidence import prepare
from hornbeam.features import feature_matrix
from hornbeam.operations import get_operation
from hornbeam.tree import predict
from hornbeam.types import Problem, Selector

OPERATION = get_operation("matmul")
FIELDS = OPERATION.problem_fields
NAMES = tuple(feature.name for feature in OPERATION.features)
GREATEST = 2**40


def features_of(problems):
    return feature_matrix(OPERATION.features, FIELDS, problems)


def compiled(selector: Selector, folder):
    """The selector's tree as a library."""
    target = Target("acme-cpu-avx2-4cu", "acme-cpu-avx2-4cu", "exact", (selector,))
    return compiled_tree.build(render(OPERATION, [target], "0")["deployment.cpp"], folder)


@dataclass(frozen=True)
class Reference:
    """scikit-learn's tree, and what its leaves pick by plain means of what was measured.

    Attributes:
        regressor: the fitted tree.
        leaf_kernels: its leaves, by their index in it, and their kernels.
    """

    regressor: DecisionTreeRegressor
    leaf_kernels: dict[int, int]

    def predict(self, features):
        """The kernel for each row: the leaf is scikit-learn's, whatever hornbeam's walk finds."""
        return np.array([self.leaf_kernels[leaf] for leaf in self.regressor.apply(features)])


def reference(training: TrainingSet, limits: TreeLimits, random_state: int = 0) -> Reference:
    """Fit scikit-learn's tree; a leaf without gaps picks the best mean logarithm."""
    regressor = fit(training, limits, random_state)
    leaf_of = regressor.apply(training.features)
    kernels = leaf_kernels(regressor, training)
    for leaf in kernels:
        shares = training.shares[leaf_of == leaf]
        if np.isfinite(shares).all():
            kernels[leaf] = int(np.log(shares).mean(axis=0).argmax())
    return Reference(regressor, kernels)


def reference_of(selector: Selector, dataset, options: LearnOptions) -> Reference:
    """The tree that a selector's was made from, trained again."""
    evidence = prepare(dataset, OPERATION)
    columns = [evidence.configurations.index(kernel) for kernel in selector.kernels]
    training = TrainingSet(NAMES, evidence.features, evidence.shares[:, columns])
    return reference(training.measured(), options.limits)


def random_problem(generator: np.random.Generator, largest_bits: float) -> list[int]:
    sizes = [int(2 ** generator.uniform(0, largest_bits)) for _ in range(3)]
    return [*sizes, int(generator.integers(1, 40)), *(int(x) for x in generator.integers(0, 2, 2))]


def around_thresholds(selector: Selector, count: int, largest_bits: float) -> list[Problem]:
    """Problems whose features lie next to the thresholds of a tree, ``count`` draws for each."""
    generator = np.random.default_rng(0)
    by_name = {feature.name: feature for feature in OPERATION.features}
    return [
        problem
        for node in selector.nodes
        if node.feature is not None
        for problem in _near(by_name[node.feature], node.threshold, generator, count, largest_bits)
    ]


def assert_agreement(selector, tree: Reference, library, problems):
    features = features_of(problems)
    expected = tree.predict(features)
    np.testing.assert_array_equal(predict(selector.nodes, NAMES, features), expected)
    np.testing.assert_array_equal(compiled_tree.select(library, problems), expected)


def _near(
    feature, threshold: float, generator: np.random.Generator, count: int, largest_bits: float
) -> Iterator[Problem]:
    """Problems whose feature lies as close to a threshold as whole numbers allow."""
    for _ in range(count):
        problem = dict(zip(FIELDS, random_problem(generator, largest_bits), strict=True))
        solve = feature.numerator[0]
        if solve.startswith("transpose"):
            yield tuple(problem.values())
            continue
        others = np.prod([float(problem[f]) for f in feature.numerator[1:]])
        below = np.prod([float(problem[f]) for f in feature.denominator])
        value = round(threshold * below / others)
        for step in (-2, -1, 0, 1, 2):
            problem[solve] = min(max(1, value + step), GREATEST)
            yield tuple(problem.values())
