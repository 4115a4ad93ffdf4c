# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""When a build measures, what, and what becomes of it."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

import synthetic
from build_world import KEY, STRANGER, small_dataset
from hornbeam.errors import BenchmarkError, ConfigurationError, DatasetError, DeviceError
from hornbeam.pipeline import Tune, campaign, measuring


def test_auto_measures_a_device_without_a_dataset_of_its_family_once(world):
    world.store(small_dataset(STRANGER))
    world.device(synthetic.DEVICE)
    result = world.configure()
    assert [task.data_type for task in world.campaigns] == ["float", "double"]
    assert result.manifest.targets[0]["match"] == "exact"
    assert (world.own / KEY / "device.json").exists()
    assert world.configure().up_to_date
    assert len(world.campaigns) == 2


def test_auto_goes_on_with_the_default_dataset_when_measuring_fails(world):
    world.store(small_dataset(STRANGER))
    world.device(synthetic.DEVICE)
    world.error = BenchmarkError("no compiler")
    result = world.configure()
    assert result.manifest.targets[0]["dataset_key"] == STRANGER.key
    assert any("no compiler" in warning for warning in result.warnings)
    assert any("may be far from the best" in warning for warning in result.warnings)


def test_a_known_device_without_a_dataset_may_be_named_by_its_key(world):
    world.device(synthetic.DEVICE)
    assert world.configure(targets=(KEY,)).manifest.targets[0]["match"] == "exact"


def test_force_measures_although_there_is_a_dataset_but_only_once(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    forced = world.configure(tune=Tune.FORCE, budget_s=60.0)
    assert [task.data_type for task in world.campaigns] == ["float"], "60 s do for one type"
    assert "6 problems" in "\n".join(forced.manifest.summary)
    assert world.configure(tune=Tune.FORCE, budget_s=60.0).up_to_date
    assert len(world.campaigns) == 1
    reused = world.configure(tune=Tune.AUTO)
    assert reused.up_to_date, "AUTO uses what was forced"
    world.configure(tune=Tune.FORCE, budget_s=61.0)
    assert len(world.campaigns) == 2


def test_force_needs_the_device(world):
    world.store(small_dataset())
    with pytest.raises(DeviceError, match="no usable device"):
        world.configure(tune=Tune.FORCE)
    world.device(STRANGER)
    with pytest.raises(DeviceError, match=f"{KEY} cannot be measured here"):
        world.configure(tune=Tune.FORCE, targets=(KEY,))


def test_force_reports_why_it_could_not_measure(world):
    world.device(synthetic.DEVICE)
    world.error = BenchmarkError("no compiler")
    with pytest.raises(BenchmarkError, match="no compiler"):
        world.configure(tune=Tune.FORCE)


def test_running_out_of_time_leaves_a_working_library(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    world.result = lambda *_: None
    result = world.configure(tune=Tune.FORCE)
    assert any("time ran out" in warning for warning in result.warnings)
    assert result.manifest.targets[0]["match"] == "exact"
    measured = len(world.campaigns)
    world.result = small_dataset
    world.configure(tune=Tune.FORCE)
    assert len(world.campaigns) == 2 * measured, "what was forced in vain is tried again"


def test_auto_goes_on_when_the_folder_of_datasets_cannot_be_written(world):
    world.store(small_dataset(STRANGER))
    world.device(synthetic.DEVICE)
    world.own.touch()
    result = world.configure()
    assert result.manifest.targets[0]["dataset_key"] == STRANGER.key
    assert any("own" in w and "HORNBEAM_DATASET_DIR" in w for w in result.warnings)
    assert world.campaigns == [], "that is known before measuring"


def test_force_fails_at_once_when_the_folder_of_datasets_cannot_be_written(world):
    world.device(synthetic.DEVICE)
    world.own.touch()
    with pytest.raises(DatasetError, match="cannot be written"):
        world.configure(tune=Tune.FORCE)
    assert world.campaigns == []


@pytest.mark.parametrize("error", [DatasetError("x"), ConfigurationError("x"), DeviceError("x")])
def test_auto_goes_on_whatever_stops_measuring(world, error):
    world.store(small_dataset(STRANGER))
    world.device(synthetic.DEVICE)
    world.error = error
    result = world.configure()
    assert f"{KEY} was not measured: x" in result.warnings


def test_a_damaged_description_does_not_fail_a_run_at_its_end(world):
    world.device(synthetic.DEVICE)
    (world.own / KEY).mkdir(parents=True)
    (world.own / KEY / "device.json").write_text("{")
    result = world.configure(tune=Tune.FORCE, data_types=("float",))
    assert any("set aside as *.damaged-1" in warning for warning in result.warnings)
    assert world.stored().device.key == KEY
    assert result.manifest.targets[0]["match"] == "exact"


def test_force_adds_to_measurements_that_compare(world):
    world.store(small_dataset(), folder="own")
    world.device(synthetic.DEVICE)
    world.result = lambda device, data_type, _: small_dataset(
        device, data_type, sizes=[(3, 5, 7, 1, 0, 0)]
    )
    world.configure(tune=Tune.FORCE, budget_s=60.0, data_types=("float",))
    assert len(world.stored().problems) == 11
    assert world.campaigns[0].extends is not None


def test_force_replaces_better_measurements_of_another_driver_and_keeps_them(world):
    world.store(small_dataset(driver="0.9"), folder="own")
    world.device(synthetic.DEVICE)
    world.result = lambda device, data_type, _: small_dataset(
        device, data_type, sizes=[(3, 5, 7, 1, 0, 0)]
    )
    result = world.configure(tune=Tune.FORCE, budget_s=60.0, data_types=("float",))
    assert len(world.stored().problems) == 1
    assert (world.own / KEY / "matmul-float.csv.gz.replaced-1").exists()
    assert any("they are replaced, a copy is" in warning for warning in result.warnings)


def test_force_needs_a_type_that_the_device_has(world):
    world.device(replace(synthetic.DEVICE, data_types=("float", "half")))
    with pytest.raises(ConfigurationError, match="with double; it does with float, half"):
        world.configure(tune=Tune.FORCE, data_types=("double",))
    world.store(small_dataset())
    assert world.configure(data_types=("double",)).manifest.targets[0]["match"] == "exact"


def test_the_budget_starts_with_the_build(world):
    """What happens before measuring is not given back to it."""
    world.device(synthetic.DEVICE)
    seen = []

    def slow(operation, device, deadline):
        time.sleep(1.0)
        seen.append(deadline.remaining_s())
        return "bench"

    def measure(task, plan, bench, deadline, *_):
        seen.append(deadline.remaining_s())
        return campaign.Measured(small_dataset(task.device, task.data_type))

    world.patch.setattr(measuring, "bench_of", slow)
    world.patch.setattr(measuring, "measure", measure)
    world.configure(tune=Tune.FORCE, budget_s=60.0)
    assert seen[0] < 59.0
    assert 20.0 < seen[1] <= seen[0]
