# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Configurations measured on a part of the problems: unknown elsewhere, neither slow nor best."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import synthetic
from hornbeam.compaction import merge
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.evidence import LEAST_COVERAGE, prepare
from hornbeam.operations import get_operation
from hornbeam.selection import SELECTIONS, best_single
from hornbeam.tree import predict

OPERATION = get_operation("matmul")
QUICK = LearnOptions(max_tried=4, splits=2)
SPEED_UP = 3.0


@pytest.fixture(scope="module")
def whole():
    return synthetic.dataset(60)


def specialist(whole, share):
    """A dataset with a configuration that beats all others, but was measured on some sizes only.

    Returns:
        The dataset, the configuration's id and the rows that it was measured on, those of the
        fewest rows of C.
    """
    order = sorted(range(len(whole.problems)), key=lambda i: whole.problems[i][0])
    rows = np.sort(order[: round(share * len(order))])
    kept, column = list(range(0, 600, 6)), 3
    few = synthetic.part(whole, rows, [column])
    few = replace(few, time_s=np.nanmin(whole.time_s[rows], axis=1, keepdims=True) / SPEED_UP)
    rest = synthetic.part(whole, range(len(whole.problems)), [c for c in kept if c != column])
    return merge(OPERATION, [rest, few]), whole.configurations[column].id, rows


@pytest.mark.parametrize("method", SELECTIONS)
def test_one_kernel_for_all_is_known_on_most(whole, method):
    dataset, id, _ = specialist(whole, 0.4)
    options = replace(QUICK, selection=method, n_kernels=1)
    if method != "top_n":  # which counts the problems that a configuration is known to win
        assert id not in {kernel.id for kernel in learn(dataset, OPERATION, options).kernels}
    evidence = prepare(dataset, OPERATION)
    assert evidence.configurations[best_single(evidence.shares)].id != id


@pytest.mark.parametrize("method", SELECTIONS)
def test_a_specialist_is_picked_where_it_was_measured(whole, method):
    dataset, id, rows = specialist(whole, 0.4)
    selector = learn(dataset, OPERATION, replace(QUICK, selection=method, n_kernels=5))
    ids = [kernel.id for kernel in selector.kernels]
    assert id in ids
    features = prepare(dataset, OPERATION).features
    picked = [ids[kernel] for kernel in predict(selector.nodes, selector.features, features)]
    told = {dataset.problems.index(whole.problems[row]) for row in rows}
    chosen = {row for row, name in enumerate(picked) if name == id}
    assert len(chosen & told) >= 0.8 * len(told)
    assert len(chosen - told) <= 2


@pytest.mark.parametrize("method", SELECTIONS)
def test_what_was_hardly_measured_is_no_candidate(whole, method):
    dataset, id, _ = specialist(whole, LEAST_COVERAGE / 2)
    selector = learn(dataset, OPERATION, replace(QUICK, selection=method))
    assert id not in {kernel.id for kernel in selector.kernels}
    assert any("too few problems" in note for note in selector.notes)


def test_held_out_scores_do_not_hope(whole):
    """What is unknown on a held-out size counts at most as the best that is known there."""
    dataset, _, _ = specialist(whole, 0.4)
    for score in learn(dataset, OPERATION, QUICK).scores:
        assert 0 < score.achieved <= score.ceiling + 1e-12
        assert score.single_best <= 1
    rest = synthetic.part(whole, range(len(whole.problems)), range(0, 600, 6))
    plain = learn(rest, OPERATION, QUICK).scores
    hopeful = learn(dataset, OPERATION, QUICK).scores
    assert hopeful[0].achieved <= plain[0].achieved + 0.02


def test_missing_cells_of_all_alike_change_little():
    """In the mean of a few datasets: in a single one it depends on which cells are missing."""
    lost = []
    for seed in range(3):
        full, sparse = (synthetic.dataset(60, seed=seed, missing=part) for part in (0.0, 0.3))
        evidence = prepare(full, OPERATION)
        reached = []
        for dataset in (full, sparse):
            kernels = learn(dataset, OPERATION, replace(QUICK, n_kernels=6)).kernels
            columns = [evidence.configurations.index(kernel) for kernel in kernels]
            reached.append(evidence.shares[:, columns].max(axis=1).mean())
        lost.append(reached[0] - reached[1])
    assert np.mean(lost) < 0.05
