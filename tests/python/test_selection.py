# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Normalisation and the choice of kernels."""

from __future__ import annotations

import itertools
import logging

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeRegressor

import synthetic
from hornbeam import selection
from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.normalise import (
    CUTOFF,
    NORMALISATIONS,
    cutoff,
    raw_cutoff,
    shares_of_best,
    sigmoid,
)
from hornbeam.selection import SELECTIONS, complete, refill, select
from hornbeam.selection_clustering import MAX_COMPONENTS, hdbscan_labels
from hornbeam.selection_optimum import optimum
from hornbeam.stats import geometric_mean


@pytest.fixture(scope="module")
def shares():
    return shares_of_best(synthetic.dataset(30).time_s)


@pytest.fixture(scope="module")
def features(shares):
    return np.random.default_rng(0).uniform(1, 100, (len(shares), 3)).astype(np.float32)


def test_shares_are_relative_to_the_best_of_each_problem():
    time_s = np.array([[1.0, 2.0, np.nan], [np.nan, 3.0, 4.0]])
    np.testing.assert_allclose(shares_of_best(time_s), [[1.0, 0.5, np.nan], [np.nan, 1.0, 0.75]])


@pytest.mark.parametrize("bad", [0.0, -1.0, np.inf])
def test_impossible_times_are_refused(bad):
    with pytest.raises(DatasetError, match="positive"):
        shares_of_best(np.array([[1.0, bad]]))


def test_a_problem_without_measurements_is_refused():
    with pytest.raises(DatasetError, match="problem 1"):
        shares_of_best(np.array([[1.0], [np.nan]]))


def test_unknown_stays_unknown_under_every_normalisation():
    known = np.array([[1.0, np.nan, 0.2]])
    for normalise in NORMALISATIONS.values():
        assert np.isnan(normalise(known)[0, 1])


def test_raw_cutoff_keeps_only_near_winners():
    np.testing.assert_array_equal(
        raw_cutoff(np.array([[1.0, 0.95, CUTOFF, 0.5]])), [[1.0, 0.95, 0.0, 0.0]]
    )


def test_cutoff_stretches_what_is_left_of_near_winners():
    found = cutoff(np.array([[1.0, 0.95, CUTOFF, 0.5]]))
    np.testing.assert_allclose(found, [[1.0, 0.5, 0.0, 0.0]], atol=1e-12)


def test_sigmoid_is_a_smooth_step():
    found = sigmoid(np.array([[1.0, 0.85, 0.7, 0.0]]))[0]
    step = 1 / (1 + np.exp(-7.5))
    np.testing.assert_allclose(found, [step, 0.5, 1 - step, 0.0], atol=1e-9)


@pytest.mark.parametrize("normalisation", NORMALISATIONS)
@pytest.mark.parametrize("method", SELECTIONS)
@pytest.mark.parametrize("n_kernels", [1, 2, 7, 29])
def test_exactly_n_distinct_kernels(shares, features, method, normalisation, n_kernels):
    found = select(method, shares, features, n_kernels, normalisation=normalisation)
    assert len(found.columns) == len(set(found.columns)) == n_kernels
    assert list(found.columns) == sorted(found.columns)
    again = select(method, shares, features, n_kernels, normalisation=normalisation)
    assert again == found


@pytest.mark.parametrize("method", SELECTIONS)
def test_more_kernels_than_problems(shares, features, method):
    assert len(set(select(method, shares[:3], features[:3], 8).columns)) == 8


@pytest.mark.parametrize("method", SELECTIONS)
def test_a_single_problem_is_enough(shares, features, method):
    found = select(method, shares[:1], features[:1], 1)
    assert found.columns == (int(np.argmax(shares[0])),)


@pytest.mark.parametrize("method", SELECTIONS)
def test_identical_rows_are_refilled_and_said_so(shares, features, method, caplog):
    same = np.repeat(shares[:1], 6, axis=0)
    with caplog.at_level(logging.INFO):
        found = select(method, same, features[:6], 4)
    assert len(set(found.columns)) == 4
    assert found.refilled == 3
    assert "added by marginal gain" in caplog.text


def test_duplicates_of_a_method_are_removed_and_refilled(shares, features, monkeypatch):
    monkeypatch.setattr(selection, "SELECTIONS", {"stuck": lambda *_: [5, 5, 2, 5]})
    found = select("stuck", shares, features, 4)
    assert {2, 5} < set(found.columns)
    assert (len(set(found.columns)), found.refilled) == (4, 2)


def test_refill_takes_the_largest_marginal_gain_of_the_geometric_mean():
    shares = np.array([[1.0, 0.1, 0.9, 0.2], [0.1, 1.0, 0.1, 0.3]])
    assert refill([0], shares, 2) == [0, 1]
    # Nothing can be gained any more: the best of the rest by its own mean is taken.
    assert refill([0, 1], shares, 4) == [0, 1, 2, 3]


def test_greedy_exchanges_what_was_added_first():
    # Column 2 is the best single one and added first; with it, two columns reach 0.8 of the
    # best on half of the problems. Columns 0 and 1 together are the best everywhere.
    shares = np.array([[1.0, 0.1, 0.8]] * 2 + [[0.1, 1.0, 0.8]] * 2)
    assert refill([], shares, 2)[0] == 2
    assert select("greedy", shares, np.zeros((4, 1), np.float32), 2).columns == (0, 1)


def test_greedy_choices_cannot_be_improved_by_an_exchange(shares, features):
    chosen = list(select("greedy", shares, features, 4).columns)
    logs = np.log(shares)
    reached = logs[:, chosen].max(axis=1).mean()
    for place in range(4):
        for column in range(shares.shape[1]):
            other = [*chosen[:place], column, *chosen[place + 1 :]]
            assert logs[:, other].max(axis=1).mean() <= reached + 1e-8


def test_greedy_gains_nothing_from_what_is_unknown():
    # Column 1 is the best where it was measured; column 2 is known to help on more problems.
    shares = np.array([[0.9, 1.0, 0.5], [0.5, np.nan, 1.0], [0.5, np.nan, 1.0], [1.0, 0.5, 0.5]])
    assert select("greedy", shares, np.zeros((4, 1), np.float32), 2).columns == (0, 2)


def test_groups_without_a_near_winner_get_the_best_kernel_not_the_first():
    # No kernel comes near the best of these problems (it is left out): all rows are cut to zero.
    shares = np.full((8, 3), 0.3)
    shares[:, 2] = 0.6
    for normalisation in ("raw_cutoff", "cutoff"):
        for method in SELECTIONS:
            found = select(
                method, shares, np.ones((8, 1), np.float32), 1, normalisation=normalisation
            )
            assert found.columns == (2,), method


def test_noise_is_no_cluster():
    # Two dense groups and a row that belongs to neither.
    rows = np.array([[0.0, 0.01 * i] for i in range(6)] + [[9.0, 0.01 * i] for i in range(6)])
    labels = hdbscan_labels(np.vstack([rows, [[99.0, 50.0]]]), 2)
    assert len(set(labels[:6])) == len(set(labels[6:12])) == 1
    assert labels[0] != labels[6]
    assert labels[12] == -1


@pytest.mark.parametrize("n_kernels", [1, 2, 3])
def test_the_optimum_is_the_best_of_all_choices(shares, n_kernels):
    logs = np.log(shares[:20, :60:6])
    every = itertools.combinations(range(logs.shape[1]), n_kernels)
    best = max(np.exp(logs[:, list(one)].max(axis=1).mean()) for one in every)
    found = optimum(logs, n_kernels, 0.0, limit_s=60.0)
    assert found.proven
    assert found.ceiling == pytest.approx(best, abs=1e-6)
    assert found.bound == pytest.approx(best, abs=1e-5)


@pytest.mark.parametrize("method", SELECTIONS)
def test_sparse_measurements(shares, features, method):
    sparse = shares.copy()
    sparse[np.random.default_rng(1).random(sparse.shape) < 0.5] = np.nan
    sparse[:, 7] = np.nan
    sparse[3] = np.nan
    found = select(method, sparse, features, 6)
    assert len(set(found.columns)) == 6
    assert 7 not in found.columns, "a configuration that was never measured is no candidate"


def test_a_slow_problem_does_not_make_the_unmeasured_look_bad():
    # Column 2 is as good as column 0 wherever both were measured: unknown is not zero.
    shares = np.array([[1.0, 0.3, np.nan], [0.9, 0.3, 0.9], [1.0, 0.25, np.nan], [0.8, 1.0, 0.8]])
    filled = complete(shares)
    known = np.isfinite(shares)
    np.testing.assert_array_equal(filled[known], shares[known])
    assert np.all(filled[~known] > 0.6)
    assert np.all(filled <= 1.0)


def test_completion_recovers_a_product_of_row_and_column():
    row, column = np.array([[0.5], [0.9], [0.7]]), np.array([[1.0, 0.6, 0.8, 0.3]])
    truth = row * column
    shares = truth.copy()
    shares[0, 1] = shares[2, 3] = np.nan
    np.testing.assert_allclose(complete(shares), truth, rtol=1e-6)


def test_completion_refuses_what_it_knows_nothing_of():
    with pytest.raises(DatasetError, match="without any measurement"):
        complete(np.array([[1.0, np.nan], [0.5, np.nan]]))


def test_principal_components_are_capped_by_rows(shares, features):
    few = shares[: MAX_COMPONENTS - 5]
    assert len(select("pca_kmeans", few, features[: len(few)], 4).columns) == 4


def test_tree_regressor_looks_at_leaves_alone():
    # The root's mean favours column 2, which is best in neither of the two leaves.
    shares = np.array([[1.0, 0.1, 0.8]] * 4 + [[0.1, 1.0, 0.8]] * 4)
    features = np.arange(8, dtype=np.float32).reshape(8, 1)
    root = DecisionTreeRegressor(max_leaf_nodes=2).fit(features, shares).tree_.value[0, :, 0]
    assert int(np.argmax(root)) == 2
    assert select("tree_regressor", shares, features, 2).columns == (0, 1)


def test_unknown_names_list_the_valid_ones(shares, features):
    with pytest.raises(
        ConfigurationError, match="pca_kmeans, kmeans, top_n, tree_regressor, greedy"
    ):
        select("magic", shares, features, 2)
    with pytest.raises(ConfigurationError, match="scaled, raw_cutoff"):
        select("kmeans", shares, features, 2, normalisation="magic")


def test_more_kernels_than_configurations_is_an_error(shares, features):
    with pytest.raises(ConfigurationError, match="5 usable"):
        select("kmeans", shares[:, :5], features, 6)


@given(st.data())
@settings(max_examples=12, deadline=None)
def test_any_matrix_gives_n_distinct_kernels(data):
    rows, columns = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 12))
    generator = np.random.default_rng(data.draw(st.integers(0, 1000)))
    shares = shares_of_best(generator.choice([0.5, 1.0, 2.0], (rows, columns)))
    features = generator.uniform(1, 9, (rows, 2)).astype(np.float32)
    n_kernels = data.draw(st.integers(1, columns))
    for method in SELECTIONS:
        found = select(method, shares, features, n_kernels, log_level=0)
        assert len(set(found.columns)) == n_kernels


@pytest.mark.parametrize("values", [[], [0.5, 0.0], [0.5, np.nan], [-1.0]])
def test_geometric_mean_hides_nothing(values):
    with pytest.raises(ValueError, match="positive"):
        geometric_mean(np.array(values))
