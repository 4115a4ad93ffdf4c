# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Experiments of a study, their tables and the page."""

from __future__ import annotations

import csv
import json
import re
import sys

import numpy as np
import pytest

import study_world
from command_world import KEY
from hornbeam.errors import ExitCode
from hornbeam.selection import SELECTIONS
from hornbeam.study import report
from hornbeam.study.experiments import SplitScores, combine
from hornbeam.study.statistics import grouped_splits, interval
from hornbeam.study.tables import tables_of


@pytest.fixture(scope="module")
def study():
    return study_world.small_study()


@pytest.fixture(scope="module")
def page(study):
    pytest.importorskip("plotly", reason="requirements-study.txt is not installed")
    return report.render(study)


def test_sizes_are_grouped_up_to_transposes():
    group = study_world.OPERATION.group
    same = [(3, 5, 7, 1, 0, 0), (3, 5, 7, 16, 0, 1), (7, 5, 3, 1, 1, 1)]
    assert len({group(problem) for problem in same}) == 1
    assert group((5, 3, 7, 1, 0, 0)) != group(same[0])


def test_splits_never_part_a_group():
    groups = np.arange(60) // 3
    for train, test in grouped_splits(groups, 5, 0):
        assert sorted([*train, *test]) == list(range(60))
        assert len(test) == 12
        assert not {groups[i] for i in train} & {groups[i] for i in test}


def test_intervals_are_wider_than_those_of_independent_samples():
    found = interval([0.90, 0.92, 0.94, 0.92])
    assert found.mean == pytest.approx(0.92)
    half = 3.182 * np.sqrt((1 / 4 + 1 / 4) * np.var([0.90, 0.92, 0.94, 0.92], ddof=1))
    assert found.high - found.mean == pytest.approx(half, rel=1e-3)
    assert found.mean - found.low == pytest.approx(half, rel=1e-3)
    assert np.isnan(interval([0.9]).low)


def test_what_a_split_could_not_give_is_left_out():
    def scores(achieved, test, share):
        rows = np.array(test)
        return SplitScores({}, achieved, 0.5, rows, {("s", 3): np.full(len(rows), share)})

    full = {("s", "ours", 3): 0.9, ("s", "tree A", 3): 0.8, ("s", "ours", 4): 0.9}
    part = {("s", "ours", 3): 0.7, ("s", "tree A", 3): 0.5}
    found = combine([scores(full, [0, 1], 0.4), scores(part, [1, 2], 0.8)], 4)
    assert set(found.achieved) == {("s", "ours", 3), ("s", "tree A", 3)}
    assert found.gains["s", "tree A", 3].mean == pytest.approx(0.15)
    np.testing.assert_allclose(found.problems["s", 3], [0.4, 0.6, 0.8, np.nan])


def test_everything_is_scored(study):
    outcome, plan = study.outcome, study_world.QUICK
    assert {key[0] for key in outcome.ceilings} == set(SELECTIONS)
    assert {key[1] for key in outcome.achieved} == set(plan.classifiers or ())
    for (selection, _, count), score in outcome.achieved.items():
        assert score.mean <= outcome.ceilings[selection, "scaled", count].mean + 1e-9
    for greedy, optimum in study.optima.values():
        assert greedy <= optimum.bound + 1e-9
    assert study.confusion.sum() == len(study.evidence.problems)
    assert study.sets["all"].all()


def test_tables_are_written_as_csv_and_json(study, tmp_path):
    pytest.importorskip("plotly", reason="requirements-study.txt is not installed")
    report.write(study, tmp_path)
    document = json.loads((tmp_path / "study.json").read_text())
    for name, table in tables_of(study).items():
        with (tmp_path / f"{name}.csv").open(newline="") as file:
            header, *rows = csv.reader(file)
        assert tuple(header) == table.columns
        assert len(rows) == len(table.rows) == len(document[name])


def test_the_page_refers_to_no_network(page):
    assert not re.search(r"<(link|iframe|object|embed|base)\b", page.split("<script>")[0])
    assert "default-src 'none'" in page
    own = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"<[a-z][^>]*\s(src|href|action)\s*=|url\(|https?://", own)


def test_names_in_a_dataset_are_text(page):
    assert study_world.HOSTILE not in page
    assert "<img" not in re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert "&lt;/script&gt;&lt;img src=x" in page


def test_a_missing_library_is_missed_at_once(commands, monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    monkeypatch.setattr("hornbeam.study.study.study", lambda *_: pytest.fail("took minutes"))
    status, _, err = commands("study", "--target", KEY, "--out", commands.folder / "report")
    assert status != ExitCode.OK
    assert "pip install 'hornbeam[study]'" in err


def test_the_command_writes_a_report(commands, monkeypatch):
    pytest.importorskip("plotly", reason="requirements-study.txt is not installed")
    monkeypatch.setattr("hornbeam.study.study.study", lambda *_: study_world.small_study())
    folder = commands.folder / "report"
    status, out, err = commands("study", "--target", KEY, "--jobs", 1, "--out", folder)
    assert (status, err) == (ExitCode.OK, "")
    assert "best achieved" in out
    assert (folder / "index.html").exists()
    status, _, err = commands("study", "--target", "nobody", "--out", folder)
    assert status == ExitCode.USAGE
    assert KEY in err
