# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that measure."""

from __future__ import annotations

import json
import re
import shutil
import sys
from dataclasses import replace

import numpy as np
import pytest

import synthetic
from command_world import KEY, measured_now, small
from hornbeam.cli import tuning as tuning_commands
from hornbeam.dataset import load, save
from hornbeam.errors import DeviceError, ExitCode
from hornbeam.operations import get_operation
from hornbeam.pipeline import measuring, trust
from hornbeam.pipeline.campaign import Measured
from hornbeam.space import measurable


def test_plan_says_what_would_be_measured(commands, monkeypatch):
    monkeypatch.setattr(tuning_commands, "tunable_device", lambda: synthetic.DEVICE)
    status, out, _ = commands("plan", "--tune-budget", "100000", "--data-types", "float")
    assert status == ExitCode.OK
    count = len(measurable(get_operation("matmul"), synthetic.DEVICE.limits.of_elements(4)))
    assert f"{count} of {count} configurations" in out
    assert "verifying what is selected" in out
    shutil.rmtree(commands.folder / "shipped")
    arguments = ["plan", *own_problems(commands)[:3], "--format", "json"]
    document = json.loads(commands(*arguments)[1])
    assert document["device"] == KEY
    assert [one["problems"] for one in document["plans"]] == [[[1, 2, 3, 1, 0, 0]]] * 2


def test_plan_without_a_device(commands):
    status, _, err = commands("plan")
    assert status == ExitCode.NOTHING_FOUND
    assert "hornbeam doctor" in err


def test_tune_stores_what_it_measures(commands):
    asked = commands.pretend_to_measure()
    status, out, _ = commands("tune", "--data-types", "float", "--tune-budget", "60")
    assert status == ExitCode.OK
    assert f"{KEY}: matmul float, 5 problems x 40 configurations" in out
    assert (commands.folder / "own" / KEY / "device.json").exists()
    journals = commands.folder / "cache" / "hornbeam" / "journal"
    assert asked[0].journal == journals / f"{KEY}-matmul-float.jsonl"


def own_problems(commands):
    path = commands.folder / "own.csv"
    path.write_text("m,k,n\n1,2,3\n")
    return ["--problems", path, "--only-problems", "--data-types", "float"]


def test_only_problems_are_added_to_the_devices_dataset(commands):
    asked = commands.pretend_to_measure()
    save(commands.folder / "shipped" / KEY, small(**measured_now()))
    status, out, _ = commands("tune", *own_problems(commands))
    assert status == ExitCode.OK
    assert "9 problems x 40 configurations" in out
    assert asked[0].problems == ()


def measure_the_plan(monkeypatch):
    """Replace the benchmark by the made-up device's times for what is planned."""

    def measure(_campaign, plan, *_):
        full = synthetic.dataset(sizes=plan.problems[:5])
        wanted = {configuration.id for configuration in plan.configurations}
        columns = [i for i, one in enumerate(full.configurations) if one.id in wanted]
        dataset = synthetic.part(full, range(len(full.problems)), columns)
        provenance = replace(full.provenance, **measured_now())
        return Measured(replace(dataset, provenance=provenance))

    monkeypatch.setattr(measuring, "measure", measure)


SOME = ["--data-types", "float", "--configurations", "register_tile_2x2x2_*"]


def test_configurations_by_pattern_join_what_is_stored(commands, monkeypatch):
    commands.pretend_to_measure()
    measure_the_plan(monkeypatch)
    before = save(commands.folder / "datasets" / KEY, small(**measured_now()))
    folder = ["--dataset-dir", commands.folder / "datasets"]
    arguments = ("tune", *SOME, "--configurations", "*_8x8x8_8x8", *folder)
    assert commands(*arguments)[0] == ExitCode.OK
    after, _ = load(commands.folder / "datasets" / KEY, get_operation("matmul"), "float")
    kept = [after.configurations.index(c) for c in before.configurations]
    rows = [after.problems.index(problem) for problem in before.problems]
    np.testing.assert_array_equal(after.time_s[np.ix_(rows, kept)], before.time_s)
    new = {c.id for c in after.configurations} - {c.id for c in before.configurations}
    assert all(id.startswith("register_tile_2x2x2_") or id.endswith("_8x8x8_8x8") for id in new)
    assert len(new) >= 10
    columns = [i for i, c in enumerate(after.configurations) if c.id in new]
    unknown = np.isnan(after.time_s[np.ix_(rows, columns)])
    assert unknown.any(), "where they were not measured nothing is known"


def test_configurations_by_pattern_join_the_shipped_dataset(commands, monkeypatch):
    commands.pretend_to_measure()
    measure_the_plan(monkeypatch)
    save(commands.folder / "shipped" / KEY, small(**measured_now()))
    assert commands("tune", *SOME)[0] == ExitCode.OK
    after, _ = load(commands.folder / "own" / KEY, get_operation("matmul"), "float")
    assert len(after.configurations) >= len(small().configurations) + 9


def test_kernels_that_are_not_bit_stable_are_measured_and_verified_alone(commands, monkeypatch):
    commands.pretend_to_measure()
    measure_the_plan(monkeypatch)
    verified = []
    trusted = trust.verify

    def verify(operation, data_types, kernels, *others):
        verified.extend(kernels)
        return trusted(operation, data_types, kernels, *others)

    monkeypatch.setattr(trust, "verify", verify)
    some = ["--data-types", "float", "--configurations", "split_k_*"]
    assert commands("tune", *some)[0] == ExitCode.OK
    assert verified
    assert {kernel.kernel for kernel in verified} == {"split_k"}


def test_configurations_by_pattern_say_where_they_stand_alone(commands, monkeypatch):
    """Times of another driver are left as they are, and those that a build takes come first."""
    commands.pretend_to_measure()
    measure_the_plan(monkeypatch)
    status, _, err = commands("tune", *SOME)
    assert status == ExitCode.OK
    assert "these configurations alone" in err
    save(commands.folder / "own" / KEY, small())
    status, _, err = commands("tune", *SOME)
    assert status == ExitCode.USAGE
    assert "leave out --configurations" in err


def the_plan(commands, *arguments):
    document = json.loads(commands("plan", *SOME, *arguments, "--format", "json")[1])
    return document["plans"][0]


def test_plan_says_what_is_stored_and_why_it_matches(commands):
    commands.pretend_to_measure()
    out = commands("plan", *SOME)[1]
    assert f"exact match: the key is {KEY}" in out
    assert "8 problems x 40 configurations" in out
    assert "are not mixed in" in out
    save(commands.folder / "own" / KEY, small(**measured_now()))
    assert "what is measured is added to it" in commands("plan", *SOME)[1]
    shutil.rmtree(commands.folder / "shipped")
    shutil.rmtree(commands.folder / "own")
    assert the_plan(commands)["dataset"] is None
    other = replace(synthetic.DEVICE, key="acme-cpu-avx2-64cu")
    kept = replace(small(**measured_now()), device=other)
    save(commands.folder / "own" / other.key, kept)
    found = the_plan(commands)["dataset"]
    assert (found["match"], found["comparable"], found["extended"]) == ("family", False, False)
    assert "same type and architecture" in found["why"]


def test_a_busy_machine_is_given_less_to_do(commands, monkeypatch):
    commands.pretend_to_measure()
    monkeypatch.setattr(tuning_commands, "slowness", lambda: 1.0)
    idle = the_plan(commands, "--tune-budget", "100")
    monkeypatch.setattr(tuning_commands, "slowness", lambda: 4.0)
    busy = the_plan(commands, "--tune-budget", "100")
    assert len(busy["problems"]) < len(idle["problems"])
    assert sum(busy["estimate_s"].values()) <= busy["budget_s"]
    assert "the machine is busy" in commands("plan", *SOME)[1]


def test_what_is_planned_is_what_is_measured(commands, monkeypatch):
    commands.pretend_to_measure()
    for module in (tuning_commands, measuring):
        monkeypatch.setattr(module, "slowness", lambda: 1.0)
    executed = []

    def measure(_campaign, plan, *_):
        executed.append(plan)
        return Measured(None)

    monkeypatch.setattr(measuring, "measure", measure)
    budget = ["--tune-budget", "5000"]
    planned = the_plan(commands, *budget)
    commands("tune", *SOME, *budget)
    assert [list(p) for p in executed[0].problems] == planned["problems"]
    assert [c.id for c in executed[0].configurations] == planned["configurations"]


@pytest.mark.parametrize("command", ["plan", "tune"])
def test_patterns_must_match_something(commands, command):
    asked = commands.pretend_to_measure()
    status, _, err = commands(command, *SOME, "--configurations", "tall_*")
    assert status == ExitCode.USAGE
    assert re.search(r"'tall_\*'; ids look like \w+", err)
    assert asked == []


def test_plan_of_configurations_by_pattern(commands):
    commands.pretend_to_measure()
    out = commands("plan", *SOME, "--tune-budget", "100000", "--format", "json")[1]
    (one,) = json.loads(out)["plans"]
    assert len(one["configurations"]) == 10
    assert (one["variants"], one["reduced"]) == (1, False)


def test_only_problems_never_stand_in_for_the_devices_dataset(commands):
    """Times of another driver do not compare, so they would have to give way to a few sizes."""
    asked = commands.pretend_to_measure()
    status, _, err = commands("tune", *own_problems(commands))
    assert status == ExitCode.USAGE
    assert "leave out --only-problems" in err
    assert asked == []


def test_only_problems_of_a_new_device_make_its_dataset(commands):
    commands.pretend_to_measure()
    shutil.rmtree(commands.folder / "shipped")
    status, out, _ = commands("tune", *own_problems(commands))
    assert status == ExitCode.OK
    assert "1 problems" in out


def test_a_better_dataset_is_replaced_on_request_only(commands):
    commands.pretend_to_measure()
    save(commands.folder / "own" / KEY, small())
    arguments = ["tune", "--data-types", "float", "--tune-budget", "60"]
    status, _, err = commands(*arguments)
    assert status == ExitCode.FAILED
    assert "'hornbeam tune --replace' does" in err
    status, out, err = commands(*arguments, "--replace")
    assert status == ExitCode.OK
    assert "5 problems" in out
    assert "matmul-float.csv.gz.replaced-1" in err


@pytest.mark.parametrize("command", ["plan", "tune"])
@pytest.mark.parametrize("budget", ["0", "-1", "nan", "inf"])
def test_budgets_are_numbers_of_seconds(commands, command, budget):
    status, _, err = commands(command, "--tune-budget", budget)
    assert status == ExitCode.USAGE
    assert "more than 0" in err


def test_types_that_the_device_lacks_are_refused(commands, monkeypatch):
    device = replace(synthetic.DEVICE, data_types=("float",))
    monkeypatch.setattr(tuning_commands, "tunable_device", lambda: device)
    status, _, err = commands("tune", "--data-types", "double")
    assert status == ExitCode.USAGE
    assert "does not compute with double; it does with float" in err


def test_an_interrupted_run_says_how_to_go_on(commands, monkeypatch):
    commands.pretend_to_measure()

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "measure", interrupt)
    monkeypatch.setattr(sys, "argv", ["hornbeam", "tune", "--problems", "my sizes.csv"])
    status, out, err = commands("tune")
    assert (status, out) == (ExitCode.INTERRUPTED, "")
    assert "go on with: hornbeam tune --problems 'my sizes.csv'" in err


def test_nothing_measured_is_a_failure(commands, monkeypatch):
    commands.pretend_to_measure()
    monkeypatch.setattr(measuring, "measure", lambda *_: Measured(None))
    status, _, err = commands("tune", "--data-types", "float")
    assert status == ExitCode.FAILED
    assert "time ran out" in err


def test_device_errors_have_their_exit_code(commands, monkeypatch):
    def none():
        raise DeviceError("no usable device")

    monkeypatch.setattr(tuning_commands, "tunable_device", none)
    assert commands("tune")[0] == ExitCode.NOTHING_FOUND
