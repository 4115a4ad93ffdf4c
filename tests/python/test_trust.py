# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What is shipped was compared with the reference, just as it is shipped."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import synthetic
from build_world import KEY, OWN_PROBLEMS, small_dataset, table
from hornbeam.bench.deadline import DeadlineError
from hornbeam.errors import BenchmarkError
from hornbeam.evaluate import learn
from hornbeam.pipeline import Tune, selectors, trust
from hornbeam.types import Status

WRONG = trust.Failure(Status.WRONG_RESULT, "m=3 k=5")


@pytest.fixture
def learned(monkeypatch):
    """Digests of the datasets that are learned from, one for each time."""
    seen = []

    def counted(dataset, *arguments):
        seen.append(dataset.digest)
        return learn(dataset, *arguments)

    for module in (trust, selectors):
        monkeypatch.setattr(module, "learn", counted)
    return seen


def test_what_is_verified_is_what_is_shipped_and_learned_once(world, learned):
    world.device(synthetic.DEVICE)
    result = world.configure(
        problems=world.problems(), data_types=("float",), n_kernels=6, tune=Tune.FORCE
    )
    assert [kernels for _, kernels in world.verified] == [table(result)["kernels"]]
    assert learned == [table(result)["dataset_digest"]] == [world.stored().digest]


def test_own_problems_decide_what_is_verified(world, monkeypatch):
    """They weigh more, so another selection may be shipped than without them."""
    world.device(synthetic.DEVICE)
    options = []
    monkeypatch.setattr(trust, "learn", lambda d, o, given: options.append(given) or learn(d, o))
    world.configure(problems=world.problems(), data_types=("float",))
    assert [given.emphasised for given in options] == [dict.fromkeys(OWN_PROBLEMS, 1.0)]


def test_a_type_that_another_stands_in_for_is_verified_too(world):
    world.device(synthetic.DEVICE)
    world.configure(tune=Tune.FORCE, budget_s=60.0)
    assert [types for types, _ in world.verified] == [("float", "double")]


def test_a_type_with_measurements_of_its_own_needs_no_stand_in(world):
    world.store(small_dataset(data_type="double"))
    world.device(synthetic.DEVICE)
    world.configure(tune=Tune.FORCE, budget_s=60.0)
    world.configure(tune=Tune.FORCE, budget_s=600.0)
    assert [types for types, _ in world.verified] == [("float",), ("float",), ("double",)]


def test_a_type_that_the_device_lacks_is_not_verified(world):
    world.device(replace(synthetic.DEVICE, data_types=("float",)))
    world.configure(tune=Tune.FORCE)
    assert [types for types, _ in world.verified] == [("float",)]


def test_wrong_kernels_are_dropped_before_they_are_shipped(world):
    world.device(synthetic.DEVICE)
    first = world.configure(data_types=("float",), n_kernels=4, tune=Tune.FORCE)
    wrong = table(first)["kernels"][0]
    world.verified.clear()
    world.failures = [{wrong: WRONG}]
    result = world.configure(data_types=("float",), n_kernels=4, tune=Tune.FORCE, budget_s=601.0)
    assert len(world.verified) == 2
    assert wrong in world.verified[0][1]
    assert wrong not in world.verified[1][1]
    assert table(result)["kernels"] == world.verified[1][1]
    assert any("failed on this device" in note for note in table(result)["notes"])
    stored = world.stored()
    column = [one.id for one in stored.configurations].index(wrong)
    assert set(stored.status[:, column]) == {Status.WRONG_RESULT}


def test_too_little_time_to_verify_is_told_of(world):
    world.device(synthetic.DEVICE)
    world.failures = [DeadlineError("late")]
    warnings = world.configure(data_types=("float",)).warnings
    assert any("time did not suffice to compare" in warning for warning in warnings)


def test_measurements_are_stored_before_they_are_verified(world):
    world.device(synthetic.DEVICE)
    world.failures = [BenchmarkError("the driver died")]
    with pytest.raises(BenchmarkError, match="the driver died"):
        world.configure(data_types=("float",), tune=Tune.FORCE)
    assert world.stored().device.key == KEY
    assert world.configure(data_types=("float",)).manifest.targets[0]["match"] == "exact"


def test_dropping_keeps_what_was_never_tried_unknown():
    dataset = synthetic.dataset(5, missing=0.3)
    name = dataset.configurations[4].id
    tried = np.isfinite(dataset.time_s[:, 4])
    dropped = trust.without(dataset, {name: WRONG})
    assert [status is not None for status in dropped.status[:, 4]] == list(tried)
    assert np.isnan(dropped.time_s[:, 4]).all()
    np.testing.assert_array_equal(dropped.time_s[:, 5], dataset.time_s[:, 5])
