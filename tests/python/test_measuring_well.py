# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Runs on machines that slow down, and on devices that vanish."""

from __future__ import annotations

import json
import random

import pytest

from hornbeam.bench import Deadline
from hornbeam.compaction import compact
from hornbeam.errors import BenchmarkError, DeviceError
from hornbeam.journal import open_journal, read_journal
from hornbeam.measure import control, run
from hornbeam.types import Status
from tuning_helpers import IDS, MATMUL, PROBLEMS, device, fake_bench, lines, plan


@pytest.fixture(autouse=True)
def _a_control_before_every_cell(monkeypatch):
    monkeypatch.setattr(control, "INTERVAL_S", 0.0)
    monkeypatch.setattr(control, "_LARGEST_SHARE", float("inf"))


def measured(folder, what, **variables):
    bench = fake_bench(folder, variables=variables)
    with open_journal(folder / "journal.jsonl") as journal:
        outcome = run(what, journal, bench, Deadline.after(120.0))
    rows = read_journal(folder / "journal.jsonl").rows
    return outcome, rows, compact(rows, MATMUL, "float", device()).time_s


def test_what_is_timed_while_the_machine_is_slow_is_taken_again(tmp_path):
    what = plan(rounds=1)
    _, quiet, expected_s = measured(tmp_path, what)
    folder = tmp_path / "slow"
    folder.mkdir()
    # Requests 5 to 10 are cells and controls in turn.
    outcome, rows, time_s = measured(folder, what, FAKE_SLOW="[[5, 10, 3.0]]")
    assert outcome.complete
    assert len(rows) > len(quiet)
    assert time_s.tolist() == expected_s.tolist()


def test_random_slowdowns_leave_no_trace(tmp_path):
    """Each hits two neighbouring requests, so a control and a cell."""
    chance = random.Random(7)
    starts = sorted(chance.sample(range(3, 60), 6))
    slow = [[start, start + 1, chance.uniform(1.5, 10.0)] for start in starts]
    what = plan(rounds=2)
    _, _, expected_s = measured(tmp_path, what)
    folder = tmp_path / "slow"
    folder.mkdir()
    _, rows, time_s = measured(folder, what, FAKE_SLOW=json.dumps(slow))
    assert any(row.control and row.median_s > 1.4 * rows[0].median_s for row in rows)
    assert time_s.tolist() == expected_s.tolist()


def test_a_machine_that_stays_slow_does_not_hold_up_the_run(tmp_path):
    outcome, _, time_s = measured(tmp_path, plan(rounds=1), FAKE_SLOW="[[4, 1e9, 2.0]]")
    assert outcome.complete
    assert time_s.shape == (2, 4)


def test_extra_rounds_end_where_the_decision_is_safe(tmp_path):
    _, rows, _ = measured(tmp_path, plan(rounds=2, extra_rounds=20))
    rounds = [row.round for row in rows if not row.control]
    assert max(rounds) < 21


@pytest.mark.parametrize("how", ["crash", "error"])
def test_a_vanished_device_is_blamed_on_no_configuration(tmp_path, how):
    bench = fake_bench(tmp_path, variables={"FAKE_GONE": f"9 {how}"})
    with (
        open_journal(tmp_path / "journal.jsonl") as journal,
        pytest.raises((DeviceError, BenchmarkError), match=r"no device|stopped working"),
    ):
        run(plan(), journal, bench, Deadline.after(60.0))
    rows = read_journal(tmp_path / "journal.jsonl").rows
    assert len(rows) >= 8
    assert {row.status for row in rows} == {Status.OK}


def test_one_that_fails_on_a_device_that_works_is_dropped(tmp_path):
    bench = fake_bench(tmp_path, {"measure": {"8x1x4": "crash", "4x4x4": "error"}})
    with open_journal(tmp_path / "journal.jsonl") as journal:
        outcome = run(plan(rounds=1), journal, bench, Deadline.after(60.0))
    rows = [row for row in read_journal(tmp_path / "journal.jsonl").rows if not row.control]
    assert outcome.complete
    failed = {row.configuration for row in rows if row.status is Status.LAUNCH_ERROR}
    assert failed == {IDS[0], IDS[3]}


def test_without_a_control_measuring_goes_on(tmp_path):
    """A reference kernel that can't be timed is no reason to give up."""
    bench = fake_bench(tmp_path, {"measure": {"reference": "error"}})
    with open_journal(tmp_path / "journal.jsonl") as journal:
        outcome = run(plan(rounds=1), journal, bench, Deadline.after(60.0))
    assert outcome.complete
    assert outcome.measured == len(IDS) * len(PROBLEMS)
    controls = [line for line in lines(tmp_path / "driver.log") if "reference_float_nn 1," in line]
    assert len(controls) <= 2
