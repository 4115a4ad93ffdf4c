# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled tree, the tree in Python and scikit-learn's predict pick the same kernel."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

import compiled_tree
import synthetic
from hornbeam.classifier import TrainingSet, TreeLimits, fit, to_nodes
from hornbeam.codegen import Target, render
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.evidence import prepare
from hornbeam.features import feature_matrix
from hornbeam.operations import get_operation
from hornbeam.space import all_configurations
from hornbeam.tree import predict
from hornbeam.types import Problem, Selector

OPERATION = get_operation("matmul")
FIELDS = OPERATION.problem_fields
NAMES = tuple(feature.name for feature in OPERATION.features)
GREATEST = 2**40


def features_of(problems):
    return feature_matrix(OPERATION.features, FIELDS, problems)


def compiled(selector: Selector, folder):
    target = Target("acme-cpu-avx2-4cu", "acme-cpu-avx2-4cu", "exact", "avx2", (selector,))
    return compiled_tree.build(render(OPERATION, [target], "0")["deployment.cpp"], folder)


def random_problem(generator: np.random.Generator, largest_bits: float) -> list[int]:
    sizes = [int(2 ** generator.uniform(0, largest_bits)) for _ in range(3)]
    return [*sizes, int(generator.integers(1, 40)), *(int(x) for x in generator.integers(0, 2, 2))]


def near(
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


def around_thresholds(selector: Selector, count: int, largest_bits: float) -> list[Problem]:
    generator = np.random.default_rng(0)
    by_name = {feature.name: feature for feature in OPERATION.features}
    return [
        problem
        for node in selector.nodes
        if node.feature is not None
        for problem in near(by_name[node.feature], node.threshold, generator, count, largest_bits)
    ]


def assert_agreement(selector, classifier, library, problems):
    features = features_of(problems)
    expected = classifier.predict(features)
    np.testing.assert_array_equal(predict(selector.nodes, NAMES, features), expected)
    np.testing.assert_array_equal(compiled_tree.select(library, problems), expected)


@pytest.fixture(scope="module", params=["pca_kmeans", "tree_regressor"])
def learned(request, tmp_path_factory):
    dataset = synthetic.dataset(90)
    options = LearnOptions(selection=request.param, n_kernels=8, max_tried=1, splits=1)
    selector = learn(dataset, OPERATION, options)
    evidence = prepare(dataset, OPERATION)
    columns = [evidence.configurations.index(kernel) for kernel in selector.kernels]
    training = TrainingSet(NAMES, evidence.features, evidence.shares[:, columns])
    library = compiled(selector, tmp_path_factory.mktemp("learned"))
    return dataset, selector, fit(training, options.limits), library


def test_every_problem_of_the_dataset(learned):
    dataset, selector, classifier, library = learned
    assert_agreement(selector, classifier, library, dataset.problems)


def test_thousands_of_sizes_around_each_threshold(learned):
    _, selector, classifier, library = learned
    problems = around_thresholds(selector, 1000, 12)
    assert len(problems) > 1000
    assert_agreement(selector, classifier, library, problems)


def test_sizes_far_from_anything_measured(learned):
    _, selector, classifier, library = learned
    generator = np.random.default_rng(5)
    problems = [tuple(random_problem(generator, 40)) for _ in range(2000)]
    assert_agreement(selector, classifier, library, problems)


@pytest.mark.parametrize("seed", range(3))
def test_sizes_that_float32_rounds(seed, tmp_path):
    """A deep tree over sizes beyond 2^24, where neighbours share a float32."""
    generator = np.random.default_rng(seed)
    training_problems = [tuple(random_problem(generator, 36)) for _ in range(400)]
    features = features_of(training_problems)
    shares = generator.uniform(0.1, 1, (400, 5))
    training = TrainingSet(NAMES, features, shares)
    classifier = fit(training, TreeLimits(max_depth=9, min_samples_leaf=1), seed)
    selector = replace(_selector(5), nodes=to_nodes(classifier, training))
    library = compiled(selector, tmp_path)
    problems = around_thresholds(selector, 60, 30)
    assert _told_apart_by_float64(selector, problems) > 0, "the test must meet float32 rounding"
    assert_agreement(selector, classifier, library, problems)
    assert_agreement(selector, classifier, library, training_problems)


def _selector(n_kernels: int) -> Selector:
    return Selector(
        operation="matmul",
        data_type="float",
        device_key="acme-cpu-avx2-4cu",
        kernels=tuple(all_configurations(OPERATION, None)[:n_kernels]),
        features=NAMES,
        nodes=(),
        scores=(),
        held_out=None,
        options={},
        dataset_digest="",
    )


def _told_apart_by_float64(selector: Selector, problems: list[Problem]) -> int:
    """How many comparisons would go the other way without the cast to float32."""
    differing = 0
    sizes = np.array(problems, dtype=np.float64)
    by_name = {feature.name: feature for feature in OPERATION.features}
    for node in selector.nodes:
        if node.feature is None:
            continue
        feature = by_name[node.feature]
        value = np.prod([sizes[:, FIELDS.index(f)] for f in feature.numerator], axis=0)
        for field in feature.denominator:
            value = value / sizes[:, FIELDS.index(field)]
        rounded = value.astype(np.float32).astype(np.float64)
        differing += int(((value <= node.threshold) != (rounded <= node.threshold)).sum())
    return differing
