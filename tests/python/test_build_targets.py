# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Builds for several targets: which there are, what serves each, and what is measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

import synthetic
from build_world import KEY, SIBLING, STRANGER, small_dataset, table
from hornbeam.errors import ConfigurationError, DeviceError
from hornbeam.pipeline import Tune, generate, machine
from hornbeam.selector_file import read_selector

BOTH = (KEY, STRANGER.key)


def keys(result):
    return [target["key"] for target in result.manifest.targets]


def datasets(result):
    return [target["dataset_key"] for target in result.manifest.targets]


@pytest.fixture
def stored(world):
    """A world with a dataset for each of two devices, and no device."""
    world.store(small_dataset(), small_dataset(STRANGER, sizes=synthetic.problems(9, seed=5)))
    return world


def test_each_target_has_its_own_kernels_and_selectors(stored):
    result = stored.configure(targets=BOTH, n_kernels=3)
    assert keys(result) == list(BOTH)
    assert result.warnings == ()
    for number, key in enumerate(BOTH):
        for name in ("float", "double"):
            selector = read_selector(stored.output / f"selector-{key}-{name}.json")
            assert selector.device_key == key
            assert len(selector.kernels) == 3
        assert table(result, number)["dataset_digest"] == selector.dataset_digest
    assert table(result, 0)["kernels"] != table(result, 1)["kernels"]


def test_shared_kernels_are_generated_once(stored):
    stored.configure(targets=BOTH, n_kernels=3)
    text = "".join(path.read_text() for path in stored.output.glob("device/*.cpp"))
    names = [line for line in text.splitlines() if line.startswith("HORNBEAM_KERNEL(")]
    assert len(names) == len(set(names))


def test_a_target_that_is_dropped_takes_its_selectors_with_it(stored):
    stored.configure(targets=BOTH, n_kernels=3)
    stored.configure(targets=(KEY,), n_kernels=3)
    names = sorted(path.name for path in stored.output.glob("selector-*.json"))
    assert names == ["selector-double.json", "selector-float.json"]


def test_auto_may_stand_among_keys(stored):
    stored.device(SIBLING)
    result = stored.configure(targets=(STRANGER.key, "auto"), n_kernels=3)
    assert keys(result) == [STRANGER.key, SIBLING.key]
    assert datasets(result) == [STRANGER.key, KEY]
    assert [target["match"] for target in result.manifest.targets] == ["exact", "family"]


@pytest.mark.parametrize("targets", [("auto", KEY), (KEY, "auto"), (KEY, KEY)])
@pytest.mark.parametrize("tune", [Tune.AUTO, Tune.REUSE])
def test_a_device_that_is_given_twice_counts_once(stored, targets, tune):
    stored.device(synthetic.DEVICE)
    assert keys(stored.configure(targets=targets, tune=tune, n_kernels=3)) == [KEY]
    assert (stored.output / "selector-float.json").exists()


def test_auto_stands_for_nothing_without_a_device(stored):
    result = stored.configure(targets=("auto", STRANGER.key), n_kernels=3)
    assert keys(result) == [STRANGER.key]
    (warning,) = result.warnings
    assert "no device was found here (no OpenCL driver is registered)" in warning
    assert f"so the build is for {STRANGER.key};" in warning


@pytest.mark.parametrize("tune", [Tune.AUTO, Tune.REUSE, Tune.FORCE, Tune.OFF])
def test_an_unknown_key_among_others_lists_the_known_ones(stored, tune):
    with pytest.raises(ConfigurationError, match=f"'nope'.*{KEY}, {STRANGER.key}"):
        stored.configure(targets=(KEY, "nope"), tune=tune)


def test_auto_measures_the_device_that_is_here(world):
    world.store(small_dataset(STRANGER))
    world.device(synthetic.DEVICE)
    result = world.configure(targets=("auto", STRANGER.key), data_types=("float",), n_kernels=3)
    assert [task.device.key for task in world.campaigns] == [KEY]
    assert datasets(result) == [KEY, STRANGER.key]
    assert result.warnings == ()


def test_force_measures_the_device_that_is_here_and_says_so(stored):
    stored.device(synthetic.DEVICE)
    result = stored.configure(targets=BOTH, tune=Tune.FORCE, data_types=("float",), n_kernels=3)
    assert [task.device.key for task in stored.campaigns] == [KEY]
    assert datasets(result) == list(BOTH)
    (warning,) = result.warnings
    assert f"for {STRANGER.key} stored measurements are used" in warning


def test_force_needs_one_of_the_devices(stored):
    stored.device(replace(synthetic.DEVICE, key="acme-gpu-x-1cu"))
    with pytest.raises(DeviceError, match=f"{KEY} or {STRANGER.key} cannot be measured here"):
        stored.configure(targets=BOTH, tune=Tune.FORCE)


def test_reuse_needs_a_dataset_for_each(world):
    world.store(small_dataset(STRANGER))
    world.device(synthetic.DEVICE)
    with pytest.raises(ConfigurationError, match=f"no matmul dataset of {KEY} or its family"):
        world.configure(targets=(STRANGER.key, "auto"), tune=Tune.REUSE)
    assert world.campaigns == []


def test_reuse_by_keys_does_not_look_for_devices(stored, monkeypatch):
    monkeypatch.setattr(machine, "probe", lambda: pytest.fail("looked for a device"))
    assert keys(stored.configure(targets=BOTH, tune=Tune.REUSE, n_kernels=3)) == list(BOTH)


def test_one_dataset_may_serve_two_targets(stored):
    stored.device(SIBLING)
    result = stored.configure(targets=("auto", KEY), n_kernels=3)
    assert keys(result) == [SIBLING.key, KEY]
    assert table(result, 0)["kernels"] == table(result, 1)["kernels"]
    assert (stored.output / f"selector-{SIBLING.key}-float.json").exists()


def test_selectors_of_several_devices_are_rendered_again(stored):
    stored.configure(targets=BOTH, n_kernels=3)
    selectors = [
        read_selector(stored.output / f"selector-{key}-{name}.json")
        for key in BOTH
        for name in ("float", "double")
    ]
    again = stored.folder / "again"
    generate(selectors, None, again)
    assert (again / "deployment.cpp").read_text() == (stored.output / "deployment.cpp").read_text()
    with pytest.raises(ConfigurationError, match="one of each data type"):
        generate(selectors[1:], None, again)
    with pytest.raises(ConfigurationError, match="one device's selectors"):
        generate(selectors, KEY, again)
