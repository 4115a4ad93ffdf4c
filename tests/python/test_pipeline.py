# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Configuring a build: which dataset serves it, when it measures, what it writes."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import synthetic
from hornbeam import paths
from hornbeam.bench import Deadline
from hornbeam.bench.deadline import DeadlineError
from hornbeam.dataset import save
from hornbeam.device import Probe
from hornbeam.errors import BenchmarkError, ConfigurationError, DatasetError, DeviceError
from hornbeam.operations import get_operation
from hornbeam.pipeline import (
    BuildOptions,
    Tune,
    campaign,
    configure,
    generate,
    machine,
    manifest,
    measuring,
    parse_list,
    parse_tune,
    trust,
)
from hornbeam.pipeline.sources import UNKNOWN_KEY
from hornbeam.selector_file import read_selector
from hornbeam.types import Status

OPERATION = get_operation("matmul")
KEY = synthetic.DEVICE.key
SIBLING = replace(synthetic.DEVICE, key="acme-cpu-avx2-16cu")
STRANGER = replace(synthetic.DEVICE, key="acme-cpu-sse42-2cu", architecture="sse42")
OWN = "m,k,n\n5,7,11\n300,20,700\n"


def small_dataset(device=synthetic.DEVICE, data_type="float", sizes=None, configurations=40):
    """A few problems and configurations, so that learning takes no time."""
    full = synthetic.dataset(10, device=device, data_type=data_type, sizes=sizes)
    kept = slice(0, configurations * 19, 19)
    return replace(
        full,
        configurations=full.configurations[kept],
        time_s=full.time_s[:, kept],
        spread=full.spread[:, kept],
        single_launch=full.single_launch[:, kept],
        status=full.status[:, kept],
        details=None,
        provenance=replace(full.provenance, **_provenance(device)),
    )


def _provenance(device):
    source = campaign.source_of(OPERATION, device)
    return {
        "compiler": source.compiler,
        "driver": source.driver,
        "kernel_digest": source.kernel_digest,
    }


class World:
    """Folders of datasets, a device or none, and a benchmark that only pretends."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.own = folder / "own"
        self.output = folder / "output"
        self.folder = folder
        self.campaigns = []
        self.error = None
        self.result = small_dataset
        self._patch = monkeypatch
        monkeypatch.setattr(paths, "shipped_dataset_dir", lambda: folder / "shipped")
        monkeypatch.setattr(measuring, "bench_of", self._bench_of)
        monkeypatch.setattr(measuring, "measure", self._measure)
        monkeypatch.setattr(trust, "verify", lambda *_: {})
        whole = BuildOptions.learning
        monkeypatch.setattr(
            BuildOptions, "learning", lambda self: replace(whole(self), splits=1, max_tried=4)
        )
        self.device()

    def device(self, *devices):
        found = Probe(devices, "" if devices else "no OpenCL driver is registered")
        self._patch.setattr(machine, "probe", lambda: found)
        self._patch.setattr("hornbeam.device.probe", lambda: found)

    def store(self, *datasets, folder="shipped"):
        for dataset in datasets:
            save(self.folder / folder / dataset.device.key, dataset)

    def options(self, **changes):
        return BuildOptions(output_dir=self.output, dataset_dir=self.own, **changes)

    def configure(self, **changes):
        return configure(self.options(**changes))

    def problems(self, text=OWN):
        path = self.folder / "own.csv"
        path.write_text(text)
        return path

    def files(self):
        return {
            path.relative_to(self.output): path.stat().st_mtime_ns
            for path in self.output.rglob("*")
            if path.is_file()
        }

    def _bench_of(self, task):
        if self.error is not None:
            raise self.error
        return "bench"

    def _measure(self, task, bench, deadline):
        assert bench == "bench"
        assert isinstance(deadline, Deadline)
        self.campaigns.append(task)
        sizes = [*task.required, *task.problems][:6]
        return self.result(task.device, task.data_type, sizes)


@pytest.fixture
def world(tmp_path, monkeypatch):
    return World(tmp_path, monkeypatch)


def table(result, target=0, number=0):
    return result.manifest.targets[target]["tables"][number]


def test_an_exact_dataset_is_used_without_measuring(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    result = world.configure(data_types=("float",), n_kernels=3)
    target = result.manifest.targets[0]
    assert (target["key"], target["dataset_key"], target["match"]) == (KEY, KEY, "exact")
    assert len(table(result)["kernels"]) == 3
    assert world.campaigns == []
    assert result.warnings == ()


def test_the_summary_says_what_was_used(world):
    world.store(small_dataset())
    text = "\n".join(world.configure(targets=(KEY,), n_kernels=2).manifest.summary)
    assert f"{KEY} (exact match)" in text
    assert "held-out score" in text
    assert "10 problems x 40 configurations" in text


def test_a_sibling_serves_as_family(world):
    world.store(small_dataset(SIBLING))
    world.device(synthetic.DEVICE)
    result = world.configure(data_types=("float",))
    target = result.manifest.targets[0]
    assert (target["key"], target["dataset_key"]) == (KEY, SIBLING.key)
    assert target["match"] == "family"
    assert world.campaigns == []


def test_configuring_twice_changes_nothing(world):
    world.store(small_dataset())
    assert not world.configure(targets=(KEY,)).up_to_date
    before = world.files()
    again = world.configure(targets=(KEY,))
    assert again.up_to_date
    assert again.changed == ()
    assert world.files() == before


def test_the_second_run_does_not_load_scikit_learn(world, monkeypatch):
    world.store(small_dataset())
    world.configure(targets=(KEY,))
    monkeypatch.setattr("hornbeam.pipeline.selectors.learn", lambda *_: pytest.fail("learned"))
    assert world.configure(targets=(KEY,)).up_to_date


def test_same_inputs_same_bytes(world, tmp_path):
    world.store(small_dataset())
    first = world.configure(targets=(KEY,))
    contents = {name: (world.output / name).read_bytes() for name in first.manifest.files}
    manifest_json = (world.output / manifest.JSON_NAME).read_bytes()
    shutil.rmtree(world.output)
    second = world.configure(targets=(KEY,))
    assert contents == {name: (world.output / name).read_bytes() for name in second.manifest.files}
    assert manifest_json == (world.output / manifest.JSON_NAME).read_bytes()


def test_another_number_of_kernels_selects_again_without_measuring(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    few = world.configure(n_kernels=2)
    many = world.configure(n_kernels=5)
    assert (len(table(few)["kernels"]), len(table(many)["kernels"])) == (2, 5)
    assert few.manifest.tuned_digest != many.manifest.tuned_digest
    assert world.campaigns == []


def test_files_of_an_earlier_run_are_removed(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=9)
    many = sorted((world.output / "device").iterdir())
    world.configure(targets=(KEY,), n_kernels=1, data_types=("float",))
    assert len(list((world.output / "device").iterdir())) == 2 < len(many)
    assert not (world.output / "selector-double.json").exists()


def test_a_damaged_output_is_repaired(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,))
    source = world.output / "deployment.cpp"
    intact = source.read_text()
    for damage in (lambda: source.write_text("x"), source.unlink):
        damage()
        assert world.configure(targets=(KEY,)).changed == ("deployment.cpp",)
        assert source.read_text() == intact
    (world.output / manifest.JSON_NAME).write_text("{")
    assert not world.configure(targets=(KEY,)).up_to_date


def test_a_changed_dataset_regenerates(world):
    world.store(small_dataset())
    first = world.configure(targets=(KEY,), n_kernels=3)
    changed = small_dataset()
    world.store(replace(changed, time_s=changed.time_s[:, ::-1].copy()))
    second = world.configure(targets=(KEY,), n_kernels=3)
    assert not second.up_to_date
    assert table(first)["kernels"] != table(second)["kernels"]


def test_own_datasets_are_preferred(world):
    world.store(small_dataset())
    world.store(small_dataset(sizes=synthetic.problems(7, seed=3)), folder="own")
    assert any("7 problems" in line for line in world.configure(targets=(KEY,)).manifest.summary)


def test_a_type_that_was_not_measured_uses_the_selection_of_another(world):
    world.store(small_dataset())
    result = world.configure(targets=(KEY,), data_types=("double", "float"), n_kernels=3)
    double, single = table(result), table(result, number=1)
    assert double["kernels"] == single["kernels"]
    assert "selected from float measurements" in double["notes"][0]
    assert read_selector(world.output / "selector-double.json").data_type == "double"


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data_types": ("half",)}, "unknown data type 'half'; valid: float, double"),
        ({"selection": "magic"}, "pca_kmeans, kmeans, top_n, tree_regressor"),
        ({"normalisation": "magic"}, "scaled, raw_cutoff"),
        ({"n_kernels": 65}, r"1\.\.64"),
        ({"operation": "stencil"}, "unknown operation 'stencil'; valid: matmul"),
        ({"budget_s": 0.0}, "more than 0"),
        ({"targets": ()}, "at least one"),
    ],
)
def test_unknown_values_list_the_valid_ones(world, changes, message):
    with pytest.raises(ConfigurationError, match=message):
        world.configure(**changes)


def test_more_kernels_than_were_measured_is_an_error(world):
    world.store(small_dataset(configurations=5))
    with pytest.raises(ConfigurationError, match="5 usable"):
        world.configure(targets=(KEY,), n_kernels=6)


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


def test_own_problems_are_measured_and_added(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    result = world.configure(problems=world.problems(), data_types=("float",))
    assert [task.required for task in world.campaigns] == [
        ((5, 7, 11, 1, 0, 0), (300, 20, 700, 1, 0, 0))
    ]
    assert world.campaigns[0].problems == ()
    assert "12 problems" in "\n".join(result.manifest.summary)
    assert result.warnings == ()
    assert world.configure(problems=world.problems(), data_types=("float",)).up_to_date
    assert len(world.campaigns) == 1


def test_own_problems_that_cannot_be_measured_again_are_not_tried_at_each_configure(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    world.result = lambda *_: small_dataset()
    for _ in range(3):
        result = world.configure(problems=world.problems(), data_types=("float",))
        assert any("2 of your 2 problems" in warning for warning in result.warnings)
    assert len(world.campaigns) == 1


def test_own_problems_beside_times_of_another_driver_mean_a_whole_campaign(world):
    old = small_dataset()
    world.store(replace(old, provenance=replace(old.provenance, driver="0.9")))
    world.device(synthetic.DEVICE)
    world.configure(problems=world.problems(), data_types=("float",))
    assert len(world.campaigns[0].problems) > 50
    assert len(world.campaigns[0].required) == 2


def test_reuse_reports_own_problems_that_are_missing(world):
    world.store(small_dataset())
    result = world.configure(targets=(KEY,), tune=Tune.REUSE, problems=world.problems())
    assert any("2 of your 2 problems (first: 5x7x11x1x0x0)" in w for w in result.warnings)


def test_own_problems_change_the_tree(world):
    sizes = [*synthetic.problems(10), (5, 7, 11, 1, 0, 0), (300, 20, 700, 1, 0, 0)]
    world.store(small_dataset(sizes=sizes))
    plain = world.configure(targets=(KEY,), n_kernels=6)
    own = world.configure(targets=(KEY,), n_kernels=6, problems=world.problems())
    assert own.warnings == ()
    assert own.manifest.tuned_digest != plain.manifest.tuned_digest


def test_an_old_dataset_is_told_of(world):
    old = small_dataset()
    world.store(replace(old, provenance=replace(old.provenance, kernel_digest="0" * 64)))
    result = world.configure(targets=(KEY,))
    assert any("kernels have changed" in warning for warning in result.warnings)


def test_a_damaged_dataset_is_told_of(world):
    world.store(small_dataset())
    file = world.folder / "shipped" / KEY / "matmul-float.csv.gz"
    file.write_bytes(file.read_bytes()[:-40])
    result = world.configure(targets=(KEY,), data_types=("float",))
    assert any(str(file) in warning for warning in result.warnings)


def test_several_targets_in_one_library(world):
    world.store(small_dataset(), small_dataset(STRANGER))
    result = world.configure(targets=(KEY, STRANGER.key, KEY), n_kernels=3)
    assert [target["key"] for target in result.manifest.targets] == [KEY, STRANGER.key]
    source = (world.output / "deployment.cpp").read_text()
    assert f'"{KEY}"' in source
    assert f'"{STRANGER.key}"' in source
    for key in (KEY, STRANGER.key):
        assert (world.output / f"selector-{key}-float.json").exists()
    text = "".join(path.read_text() for path in (world.output / "device").iterdir())
    names = [line for line in text.splitlines() if line.startswith("HORNBEAM_KERNEL(")]
    assert len(names) == len(set(names))


def test_generate_needs_nothing_but_selectors(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=3)
    selectors = [
        read_selector(world.output / f"selector-{name}.json") for name in ("float", "double")
    ]
    again = world.folder / "again"
    generate(selectors, None, again)
    assert (again / "deployment.cpp").read_text() == (world.output / "deployment.cpp").read_text()
    generate(selectors, SIBLING.key, again)
    assert '"family"' in (again / "deployment.cpp").read_text()
    with pytest.raises(ConfigurationError, match="each of another data type"):
        generate([selectors[0], selectors[0]], None, again)
    with pytest.raises(ConfigurationError, match="not a device key"):
        generate(selectors, "x; y", again)


def test_the_cmake_manifest_is_read_by_cmake(world):
    cmake = shutil.which("cmake", path=f"{Path(shutil.sys.executable).parent}:/usr/bin")
    if cmake is None:
        pytest.skip("no cmake")
    odd = world.folder / "a ;b ${x} $(y) \"'#"
    world.output = odd
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=3)
    script = world.folder / "read.cmake"
    script.write_text(
        f"include([====[{odd}/manifest.cmake]====])\n"
        "foreach(list IN ITEMS HORNBEAM_GENERATED_SOURCES HORNBEAM_GENERATED_DEVICE_SOURCES "
        "HORNBEAM_GENERATOR_INPUTS)\n"
        "  foreach(file IN LISTS ${list})\n"
        '    if(NOT EXISTS "${file}")\n      message(FATAL_ERROR "${list} ${file}")\n    endif()\n'
        '    message(STATUS "${list} ${file}")\n'
        "  endforeach()\nendforeach()\n"
        'message(STATUS "digest ${HORNBEAM_TUNED_DIGEST}")\n'
        'message(STATUS "${HORNBEAM_TUNING_SUMMARY}")\n'
    )
    done = subprocess.run([cmake, "-P", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("HORNBEAM_GENERATED_SOURCES ") == 1
    assert done.stdout.count("HORNBEAM_GENERATED_DEVICE_SOURCES ") >= 4
    assert "matmul-float.csv.gz" in done.stdout
    assert "deployment.cpp.j2" in done.stdout
    assert "held-out score" in done.stdout


def test_manifests_that_name_files_elsewhere_do_no_harm(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,))
    victim = world.folder / "victim"
    victim.write_text("precious")
    path = world.output / manifest.JSON_NAME
    document = json.loads(path.read_text())
    document["files"]["../victim"] = "0" * 64
    path.write_text(json.dumps(document))
    world.configure(targets=(KEY,))
    assert victim.read_text() == "precious"


def test_an_output_folder_that_cannot_be_written_is_an_error(world):
    world.output.write_text("a file")
    with pytest.raises(Exception, match="cannot be written") as caught:
        world.configure(tune=Tune.OFF)
    assert caught.type.__name__ == "CodegenError"


def test_wrong_kernels_are_dropped_before_they_are_shipped(world, monkeypatch):
    world.device(synthetic.DEVICE)
    seen = []

    def verify(operation, data_type, kernels, bench, deadline):
        seen.append([kernel.id for kernel in kernels])
        failure = trust.Failure(Status.WRONG_RESULT, "m=3 k=5")
        return {seen[0][0]: failure} if len(seen) == 1 else {}

    monkeypatch.setattr(trust, "verify", verify)
    result = world.configure(data_types=("float",), n_kernels=4)
    assert len(seen) == 2
    assert seen[0][0] not in seen[1]
    assert seen[0][0] not in table(result)["kernels"]
    assert any("failed on this device" in note for note in table(result)["notes"])


def test_too_little_time_to_verify_is_told_of(world, monkeypatch):
    world.device(synthetic.DEVICE)

    def verify(*_):
        raise DeadlineError("late")

    monkeypatch.setattr(trust, "verify", verify)
    warnings = world.configure(data_types=("float",)).warnings
    assert any("time did not suffice to compare" in warning for warning in warnings)


def test_dropping_keeps_what_was_never_tried_unknown():
    dataset = synthetic.dataset(5, missing=0.3)
    name = dataset.configurations[4].id
    tried = np.isfinite(dataset.time_s[:, 4])
    dropped = trust.without(dataset, {name: trust.Failure(Status.WRONG_RESULT, "")})
    assert [status is not None for status in dropped.status[:, 4]] == list(tried)
    assert np.isnan(dropped.time_s[:, 4]).all()
    np.testing.assert_array_equal(dropped.time_s[:, 5], dataset.time_s[:, 5])


def test_own_problems_must_be_readable(world):
    with pytest.raises(DatasetError, match="missing column 'n'"):
        world.configure(problems=world.problems("m,k\n1,2\n"))


def test_lists_and_modes():
    assert parse_list("auto") == ("auto",)
    assert parse_list(" a; b,a;;") == ("a", "b")
    assert parse_tune("force") is Tune.FORCE
    with pytest.raises(ConfigurationError, match="AUTO, REUSE, FORCE, OFF"):
        parse_tune("maybe")


def test_small_budgets_measure_the_first_type_only():
    assert campaign.affordable_types(("float", "double"), 60) == ("float",)
    assert campaign.affordable_types(("float", "double"), 600) == ("float", "double")


def test_the_budget_is_shared_by_building_measuring_and_verifying():
    assert campaign.measuring_time_s(60, 5) == 55
    assert campaign.measuring_time_s(60, 500) == 30
    assert campaign.verifying_time_s(500) == 100
    assert campaign.verifying_time_s(60) == 0
