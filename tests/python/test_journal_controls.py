# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Rows between slow control measurements are marked, and what is taken again takes their place."""

from __future__ import annotations

import json
from dataclasses import replace

from hornbeam.compaction import compact
from hornbeam.journal_controls import MOST_TAKES, counted, phases_of
from hornbeam.journal_rows import format_row, parse_row
from hornbeam.measure.ledger import Ledger
from hornbeam.types import Status
from tuning_helpers import IDS, MATMUL, PROBLEMS, SOURCE, device, plan, row


def control(time_s=1.0):
    return replace(row(configuration="reference", time_s=time_s), control=True)


def cell(name=IDS[0], time_s=1.0, **others):
    return row(configuration=name, time_s=time_s, **others)


def takes(rows):
    return {(id, round_) for _, id, round_ in phases_of(rows).open_takes()}


def test_without_controls_everything_counts():
    rows = [cell(time_s=2.0), cell(round_=1)]
    assert counted(rows) == rows
    assert takes(rows) == set()


def test_both_neighbours_of_a_slow_control_are_marked():
    rows = [
        *(control(), cell(IDS[0]), control(), cell(IDS[1]), control(1.5)),
        *(cell(IDS[2]), control(), cell(IDS[3]), control(1.05)),
    ]
    assert takes(rows) == {(IDS[1], 0), (IDS[2], 0)}


def test_what_is_taken_again_takes_the_place_of_what_was_disturbed():
    rows = [control(), cell(time_s=3.0), control(2.0), control(), cell(time_s=1.0), control()]
    assert [r.median_s for r in counted(rows)] == [1.0]
    assert takes(rows) == set()
    assert compact(rows, MATMUL, "float", device()).time_s[0, 0] == 1.0


def test_a_disturbance_found_later_never_replaces_an_undisturbed_time():
    rows = [control(), cell(time_s=1.0), control(), control(2.0), cell(time_s=3.0), control()]
    assert [r.median_s for r in counted(rows)] == [1.0]


def test_a_machine_that_begins_slow_is_found_out():
    rows = [control(2.0), cell(time_s=2.0), control(2.0)]
    assert takes(rows) == set()
    rows += [control(), cell(IDS[1]), control(), control(), control(), control(), control()]
    assert takes(rows) == {(IDS[0], 0)}


def test_a_machine_that_is_always_disturbed_is_taken_as_it_is():
    rows = [control()]
    for i in range(MOST_TAKES):
        rows += [control(2.0), cell(time_s=2.0 + i), control()]
        assert takes(rows) == ({(IDS[0], 0)} if i + 1 < MOST_TAKES else set())
    assert [r.median_s for r in counted(rows)] == [1.0 + MOST_TAKES]


def test_failures_count_whatever_the_controls_say():
    rows = [control(), cell(status=Status.TIMEOUT), control(2.0), control()]
    assert [r.status for r in counted(rows)] == [Status.TIMEOUT]
    assert takes(rows) == set()


def test_sources_are_judged_by_their_own_controls():
    other = replace(SOURCE, driver="driver 2")
    rows = [
        *(control(), cell(IDS[0]), control()),
        *(replace(control(3.0), source=other), cell(IDS[1], 3.0, source=other)),
    ]
    assert len(counted(rows)) == 2


def test_what_was_taken_again_is_not_wanted_before_the_next_control():
    what = plan(ids=IDS[:1], problems=PROBLEMS[:1], rounds=1)
    ledger = Ledger([control(), cell(time_s=3.0), control(2.0)])
    assert ledger.wanted(PROBLEMS[0], IDS[:1], what) == {IDS[0]: 0}
    assert ledger.to_be_taken_again()
    ledger.add(cell(time_s=2.0))
    assert ledger.wanted(PROBLEMS[0], IDS[:1], what) == {}
    ledger.add(control(2.0))
    assert ledger.wanted(PROBLEMS[0], IDS[:1], what) == {IDS[0]: 0}
    for row_ in (control(), cell(time_s=1.0), control()):
        ledger.add(row_)
    assert ledger.wanted(PROBLEMS[0], IDS[:1], what) == {}
    assert not ledger.to_be_taken_again()


def test_controls_are_rows_of_the_same_format():
    assert "control" not in json.loads(format_row(cell()))
    assert parse_row(format_row(control())).control
    assert not parse_row(format_row(cell())).control


def test_controls_are_no_part_of_a_dataset():
    dataset = compact([control(), cell(), control()], MATMUL, "float", device())
    assert [c.id for c in dataset.configurations] == [IDS[0]]
    assert dataset.problems == PROBLEMS[:1]
