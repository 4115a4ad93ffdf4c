# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Selectors and classifiers as scikit-learn's estimators."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from hornbeam.selection import SELECTIONS
from hornbeam.study.estimators import CLASSIFIERS, KernelSelector, LabelClassifier, LossTree


@pytest.fixture(scope="module")
def problems():
    generator = np.random.default_rng(0)
    features = generator.uniform(1, 1000, (40, 3)).astype(np.float32)
    shares = generator.uniform(0.3, 0.9, (40, 4))
    shares[np.arange(40), np.where(features[:, 0] < 500, 1, 3)] = 1.0
    return features, shares


@pytest.mark.filterwarnings("ignore:Stochastic Optimizer")
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_are_estimators(problems, name):
    features, shares = problems
    estimator = CLASSIFIERS[name]()
    before = estimator.get_params()
    with pytest.raises(NotFittedError):
        estimator.predict(features)
    assert estimator.fit(features, shares) is estimator
    assert estimator.n_features_in_ == 3
    picked = estimator.predict(features)
    assert picked.shape == (40,)
    assert picked.dtype == np.intp
    assert set(picked) <= {0, 1, 2, 3}
    assert 0.5 < estimator.score(features, shares) <= 1.0
    assert estimator.get_params().keys() == before.keys()
    again = clone(estimator).fit(features, shares)
    np.testing.assert_array_equal(again.predict(features), picked)


@pytest.mark.parametrize("name", SELECTIONS)
def test_selectors_are_estimators(problems, name):
    features, shares = problems
    estimator = KernelSelector(name, n_kernels=2)
    with pytest.raises(NotFittedError):
        estimator.score(features, shares)
    assert estimator.fit(features, shares) is estimator
    assert clone(estimator).get_params() == estimator.get_params()
    assert len(set(estimator.columns_)) == 2
    assert estimator.score(features, shares) <= 1.0
    with pytest.raises(ValueError, match="Invalid parameter"):
        estimator.set_params(kernels=3)


def test_predictions_are_kernels_and_not_places_among_sorted_labels():
    # Kernels 0 and 2 never win: scikit-learn's classes_ are [1, 3].
    features = np.arange(8, dtype=np.float32).reshape(-1, 1)
    shares = np.full((8, 4), 0.5)
    shares[:4, 3], shares[4:, 1] = 1.0, 1.0
    tree = LabelClassifier(DecisionTreeClassifier()).fit(features, shares)
    assert list(tree.estimator_.classes_) == [1, 3]
    assert list(tree.predict(features)) == [3] * 4 + [1] * 4


def test_labels_come_from_uncut_shares():
    # No kernel reaches 0.9 of the best: after a cut-off the first column would win everywhere.
    features = np.arange(6, dtype=np.float32).reshape(-1, 1)
    shares = np.array([[0.2, 0.3, 0.8]] * 3 + [[0.2, 0.7, 0.1]] * 3)
    tree = LabelClassifier(DecisionTreeClassifier()).fit(features, shares)
    assert list(tree.predict(features)) == [2] * 3 + [1] * 3


def test_one_label_needs_no_classifier():
    features, shares = np.ones((5, 1), np.float32), np.array([[0.5, 1.0]] * 5)
    assert list(CLASSIFIERS["linear SVM"]().fit(features, shares).predict(features)) == [1] * 5


def test_the_first_classifier_is_the_tree_of_builds(problems):
    features, shares = problems
    assert next(iter(CLASSIFIERS.values())) is LossTree
    assert LossTree().fit(features, shares).score(features, shares) > 0.9
