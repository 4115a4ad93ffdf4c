# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Two tunings of one device, scored on each other's times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import stability
import synthetic
from hornbeam.dataset import save
from hornbeam.evaluate import LearnOptions
from hornbeam.operations import get_operation

MATMUL = get_operation("matmul")
QUICK = LearnOptions(splits=1, max_tried=2, n_kernels=2)


@pytest.fixture
def tuning():
    return synthetic.few(synthetic.dataset(24))


def noisy(dataset, by, seed):
    factors = 1 + by * np.random.default_rng(seed).uniform(-1, 1, dataset.time_s.shape)
    return replace(dataset, time_s=dataset.time_s * factors)


def test_equal_tunings_lose_nothing(tuning):
    scores = stability.compare((tuning, tuning), MATMUL, QUICK)
    assert [score.loss for score in scores] == [0.0, 0.0]
    assert all(score.known == 1.0 and score.passes for score in scores)


def test_a_little_noise_loses_little_and_much_loses_much(tuning):
    little = stability.compare((tuning, noisy(tuning, 0.01, 1)), MATMUL, QUICK)
    assert all(score.passes for score in little)
    times_s = tuning.time_s[:, np.random.default_rng(2).permutation(tuning.time_s.shape[1])]
    much = stability.compare((tuning, replace(tuning, time_s=times_s)), MATMUL, QUICK)
    assert not all(score.passes for score in much)


def test_what_the_other_did_not_measure_does_not_count(tuning):
    problems = len(tuning.problems)
    own = stability.learn(tuning, MATMUL, QUICK)
    kept = [c.id != own.kernels[0].id for c in tuning.configurations]
    other = synthetic.part(tuning, range(problems), np.flatnonzero(kept))
    score = stability.compare((tuning, other), MATMUL, QUICK)[0]
    assert 0.0 < score.known < 1.0


def test_the_command_says_what_is_lost(tmp_path, tuning, monkeypatch):
    monkeypatch.setattr(stability, "learn", lambda d, o, _: learn(d, o, QUICK))
    folders = []
    for name, dataset in (("a", tuning), ("b", noisy(tuning, 0.01, 1))):
        save(tmp_path / name, dataset)
        folders.append(str(tmp_path / name))
    done = CliRunner().invoke(stability.main, folders)
    assert done.exit_code == 0, done.output
    assert "first on second: " in done.output
    assert CliRunner().invoke(stability.main, folders[:1]).exit_code == 2
    assert CliRunner().invoke(stability.main, [*folders, "--tune-budget", "9"]).exit_code == 2


learn = stability.learn
