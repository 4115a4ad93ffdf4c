# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Repeats go on until it is safe to say who is the best of a problem, and no longer."""

from __future__ import annotations

import random

import pytest

from hornbeam.measure.racing import contenders


def race(true_s, noise, seed, rounds=3, most=7, drift=0.0):
    """Measure until the race is over; returns rounds by rival."""
    chance = random.Random(seed)
    times_s = {name: {} for name in true_s}
    wanted = set(true_s)
    for round_ in range(most):
        common = 1 + drift * round_
        for name in sorted(wanted):
            times_s[name][round_] = true_s[name] * common * (1 + chance.gauss(0, noise))
        wanted = contenders(times_s, rounds, most)
        if not wanted:
            break
    return {name: len(mine) for name, mine in times_s.items()}


def test_nobody_races_alone():
    assert contenders({}, 3, 7) == frozenset()
    assert contenders({"a": {0: 1.0}}, 1, 5) == frozenset()
    assert contenders({"a": {0: 1.0}}, 3, 7) == {"a"}


def test_who_is_certainly_worse_is_dropped_early():
    counts = race({"a": 1.0, "b": 1.02, "slow": 2.0, "slower": 5.0}, 0.005, seed=1)
    assert counts["slow"] == counts["slower"] == 1
    assert counts["a"] >= 3


def test_a_quiet_machine_needs_fewer_repeats_than_a_noisy_one():
    rivals = {f"r{i}": 1 + 0.03 * i for i in range(8)}
    quiet = sum(sum(race(rivals, 0.001, seed, 2, 15).values()) for seed in range(10))
    noisy = sum(sum(race(rivals, 0.03, seed, 2, 15).values()) for seed in range(10))
    assert quiet < 0.7 * noisy


def test_ties_end_the_race_where_they_are_sure():
    """Two that are equal to within a tie can't be told apart by more repeats."""
    rivals = {f"r{i}": 1 + 0.0005 * i for i in range(12)}
    assert max(race(rivals, 0.0005, seed=3, most=30).values()) < 30


def test_drift_hits_rivals_alike():
    rivals = {"a": 1.0, "b": 1.1, "c": 1.3, "d": 1.0}
    steady = race(rivals, 0.004, seed=5)
    assert race(rivals, 0.004, seed=5, drift=0.2) == steady


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.1])
def test_the_best_is_hardly_ever_dropped(noise):
    """What is kept to the end is within a few percent of the best, whatever the noise."""
    lost = 0
    for seed in range(100):
        counts = race({f"r{i}": 1 + 0.05 * i for i in range(10)}, noise, seed)
        lost += counts["r0"] < max(counts.values())
    assert lost <= 5


def test_an_outlier_keeps_the_race_open():
    """A rival that was disturbed once is not given up for it."""
    times_s = {"a": {0: 1.0, 1: 1.0}, "b": {0: 1.4, 1: 0.98}, "c": {0: 1.2, 1: 1.2}}
    assert "b" in contenders(times_s, 3, 7)
