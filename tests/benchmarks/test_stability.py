# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Two tunings of one device: when they agree. How they are scored: test_comparison.py."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import stability
import synthetic
from hornbeam.comparison import CrossScore
from hornbeam.dataset import save

TUNING = synthetic.few(synthetic.dataset(24))


@pytest.mark.parametrize(
    ("score", "agreed"),
    [
        (CrossScore(20, 0.9, 0.9), True),
        (CrossScore(10, 0.9, 0.9), True),
        (CrossScore(9, 0.9, 0.9), False),
        (CrossScore(20, 0.89, 0.9), True),
        (CrossScore(20, 0.87, 0.9), False),
        (None, False),
    ],
)
def test_little_may_be_lost_on_what_is_known(score, agreed):
    assert stability.agrees(score, 20) is agreed


def noisy(by):
    factors = 1 + by * np.random.default_rng(1).uniform(-1, 1, TUNING.time_s.shape)
    return replace(TUNING, time_s=TUNING.time_s * factors)


def shuffled():
    order = np.random.default_rng(2).permutation(len(TUNING.configurations))
    return replace(TUNING, time_s=TUNING.time_s[:, order])


def other_driver():
    return replace(TUNING, provenance=replace(TUNING.provenance, driver="9.9"))


def command(folder, second, *arguments):
    places = [folder / "a" / TUNING.device.key, folder / "b" / TUNING.device.key]
    for place, dataset in zip(places, (TUNING, second), strict=True):
        save(place, dataset)
    return CliRunner().invoke(stability.main, [*map(str, places), *arguments])


def test_the_command_says_what_is_lost(tmp_path):
    done = command(tmp_path, noisy(0.01))
    assert done.exit_code == 0, done.output
    assert "first on second: " in done.output
    assert "lost, on 24 of 24 problems" in done.output


def test_tunings_that_choose_differently_do_not_agree(tmp_path):
    done = command(tmp_path, shuffled())
    assert done.exit_code == 1
    assert "the tunings do not agree" in done.output


def test_times_of_another_driver_are_not_compared(tmp_path):
    done = command(tmp_path, other_driver())
    assert "differ in driver" in f"{done.output}{done.exception}"
    assert done.exit_code != 0


def test_it_takes_two_folders_or_a_budget(tmp_path):
    assert command(tmp_path, TUNING, "--tune-budget", "9").exit_code == 2
    assert CliRunner().invoke(stability.main, [str(tmp_path)]).exit_code == 2
