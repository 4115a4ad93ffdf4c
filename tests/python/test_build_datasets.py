# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Which dataset serves a build, and what is shipped where none does."""

from __future__ import annotations

import pytest

import synthetic
from build_world import KEY, OPERATION, SIBLING, STRANGER, small_dataset, table
from hornbeam import store
from hornbeam.dataset import load
from hornbeam.errors import ConfigurationError
from hornbeam.pipeline import Tune, machine
from hornbeam.pipeline.sources import UNKNOWN_KEY
from hornbeam.selector_file import read_selector


def test_an_exact_dataset_is_used_without_measuring(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    result = world.configure(data_types=("float",), n_kernels=3)
    target = result.manifest.targets[0]
    assert (target["key"], target["dataset_key"], target["match"]) == (KEY, KEY, "exact")
    assert len(table(result)["kernels"]) == 3
    assert world.campaigns == []
    assert result.warnings == ()


def test_a_sibling_serves_as_family(world):
    world.store(small_dataset(SIBLING))
    world.device(synthetic.DEVICE)
    result = world.configure(data_types=("float",))
    target = result.manifest.targets[0]
    assert (target["key"], target["dataset_key"]) == (KEY, SIBLING.key)
    assert target["match"] == "family"
    assert world.campaigns == []


def test_own_datasets_are_preferred(world):
    world.store(small_dataset())
    world.store(small_dataset(sizes=synthetic.problems(7, seed=3)), folder="own")
    assert any("7 problems" in line for line in world.configure(targets=(KEY,)).manifest.summary)


def test_a_type_that_was_not_measured_uses_the_selection_of_another(world):
    world.store(small_dataset())
    types = ("double", "half", "float")
    result = world.configure(targets=(KEY,), data_types=types, n_kernels=3)
    single = table(result, number=2)
    for number, name in enumerate(types[:2]):
        other = table(result, number=number)
        assert other["kernels"] == single["kernels"]
        assert "selected from float measurements" in other["notes"][0]
        assert read_selector(world.output / f"selector-{name}.json").data_type == name


def test_a_type_of_the_same_device_beats_the_right_type_of_a_stranger(world):
    world.store(small_dataset(), small_dataset(STRANGER, "double"))
    world.device(synthetic.DEVICE)
    result = world.configure(data_types=("double",))
    assert result.manifest.targets[0]["dataset_key"] == KEY


@pytest.mark.parametrize("tune", [Tune.AUTO, Tune.REUSE, Tune.FORCE])
def test_unknown_keys_list_the_known_ones(world, tune):
    world.store(small_dataset())
    with pytest.raises(ConfigurationError, match=f"unknown target device 'nope'.*{KEY}"):
        world.configure(targets=("nope",), tune=tune)


def test_no_device_and_auto_takes_the_default_dataset_with_a_warning(world):
    world.store(small_dataset())
    result = world.configure()
    target = result.manifest.targets[0]
    assert (target["key"], target["match"]) == (KEY, "default")
    assert len(result.warnings) == 1
    assert "no OpenCL driver" in result.warnings[0]
    assert KEY in result.warnings[0]


def test_nothing_at_all_still_gives_a_library(world):
    result = world.configure()
    assert result.manifest.targets[0]["key"] == UNKNOWN_KEY
    assert table(result)["kernels"] == [OPERATION.default_configuration]
    assert any("no matmul dataset" in warning for warning in result.warnings)


def test_off_uses_the_default_kernel_whatever_is_stored(world):
    world.store(small_dataset())
    result = world.configure(targets=(KEY,), tune=Tune.OFF)
    assert table(result)["kernels"] == [OPERATION.default_configuration]
    assert table(result)["held_out"] is None
    assert "tuning is off" in table(result)["notes"][0]


def test_reuse_fails_on_a_miss_and_never_measures(world):
    world.store(small_dataset(STRANGER))
    world.device(synthetic.DEVICE)
    with pytest.raises(ConfigurationError, match=f"{KEY}.*{STRANGER.key}"):
        world.configure(tune=Tune.REUSE)
    world.device()
    with pytest.raises(ConfigurationError, match="no device here"):
        world.configure(tune=Tune.REUSE)
    assert world.campaigns == []


def test_reuse_by_key_does_not_look_for_devices(world, monkeypatch):
    world.store(small_dataset())
    monkeypatch.setattr(machine, "probe", lambda: pytest.fail("looked for a device"))
    assert world.configure(targets=(KEY,), tune=Tune.REUSE).warnings == ()


def test_what_cannot_be_closer_is_not_read(world, monkeypatch):
    world.store(small_dataset(), small_dataset(data_type="double"))
    world.device(synthetic.DEVICE)
    read = []

    def counted(folder, operation, data_type):
        read.append(data_type)
        return load(folder, operation, data_type)

    monkeypatch.setattr(store, "load", counted)
    world.configure()
    assert read == ["float", "double"]
