# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled tree, the tree in Python and scikit-learn's own pick the same kernel."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import compiled_tree
import synthetic
from hornbeam.classifier import GREATEST_LOSS, TrainingSet, TreeLimits, to_nodes
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.space import all_configurations
from hornbeam.tree import predict
from hornbeam.types import Problem, Selector
from tree_parity import (
    FIELDS,
    NAMES,
    OPERATION,
    around_thresholds,
    assert_agreement,
    compiled,
    features_of,
    random_problem,
    reference,
    reference_of,
)


@pytest.fixture(scope="module", params=["pca_kmeans", "tree_regressor"])
def learned(request, tmp_path_factory):
    dataset = synthetic.dataset(90)
    options = LearnOptions(selection=request.param, n_kernels=8, max_tried=1, splits=1)
    selector = learn(dataset, OPERATION, options)
    library = compiled(selector, tmp_path_factory.mktemp("learned"))
    return dataset, selector, reference_of(selector, dataset, options), library


def test_every_problem_of_the_dataset(learned):
    dataset, selector, tree, library = learned
    assert_agreement(selector, tree, library, dataset.problems)


def test_thousands_of_sizes_around_each_threshold(learned):
    _, selector, tree, library = learned
    problems = around_thresholds(selector, 1000, 12)
    assert len(problems) > 1000
    assert_agreement(selector, tree, library, problems)


def test_sizes_far_from_anything_measured(learned):
    _, selector, tree, library = learned
    generator = np.random.default_rng(5)
    problems = [tuple(random_problem(generator, 40)) for _ in range(2000)]
    assert_agreement(selector, tree, library, problems)


@pytest.mark.parametrize("seed", range(3))
def test_sizes_that_float32_rounds(seed, tmp_path):
    """A deep tree over sizes beyond 2^24, where neighbours share a float32."""
    generator = np.random.default_rng(seed)
    training_problems = [tuple(random_problem(generator, 36)) for _ in range(400)]
    features = features_of(training_problems)
    shares = generator.uniform(0.1, 1, (400, 5))
    training = TrainingSet(NAMES, features, shares)
    tree = reference(training, TreeLimits(max_depth=9, min_samples_leaf=1), seed)
    selector = replace(_selector(5), nodes=to_nodes(tree.regressor, training))
    library = compiled(selector, tmp_path)
    problems = around_thresholds(selector, 60, 30)
    assert _told_apart_by_float64(selector, problems) > 0, "the test must meet float32 rounding"
    assert_agreement(selector, tree, library, problems)
    assert_agreement(selector, tree, library, training_problems)


def test_picks_are_those_of_predict_where_no_loss_is_cut_off(tmp_path):
    generator = np.random.default_rng(7)
    training_problems = [tuple(random_problem(generator, 12)) for _ in range(300)]
    shares = generator.uniform(1.01 - GREATEST_LOSS, 1, (300, 4))
    training = TrainingSet(NAMES, features_of(training_problems), shares)
    tree = reference(training, TreeLimits())
    selector = replace(_selector(4), nodes=to_nodes(tree.regressor, training))
    problems = around_thresholds(selector, 100, 12)
    picked = tree.regressor.predict(features_of(problems)).argmax(axis=1)
    assert len(set(picked)) == 4
    np.testing.assert_array_equal(predict(selector.nodes, NAMES, features_of(problems)), picked)
    np.testing.assert_array_equal(
        compiled_tree.select(compiled(selector, tmp_path), problems), picked
    )


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
