# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""From journal rows to datasets."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from hornbeam.cells import cells_of
from hornbeam.compaction import compact, merge, merge_rounds
from hornbeam.errors import DatasetError
from hornbeam.types import Status
from tuning_helpers import IDS, MATMUL, PROBLEMS, SOURCE, device, row, small_dataset


def test_rounds_are_merged_by_their_median() -> None:
    cell = merge_rounds([row(round_=r, time_s=t) for r, t in enumerate((3e-3, 1e-3, 2e-3))])
    assert cell.median_s == 2e-3
    assert cell.min_s == pytest.approx(0.9e-3)
    assert cell.spread == pytest.approx(1.0)
    assert cell.samples == 9


def test_one_round_keeps_the_spread_of_its_samples() -> None:
    assert merge_rounds([row()]).spread == 0.2
    assert merge_rounds([row(single_launch=True)]).single_launch


def test_a_failed_round_outweighs_the_others() -> None:
    cell = merge_rounds([row(), row(round_=1, status=Status.LAUNCH_ERROR)])
    assert cell.status is Status.LAUNCH_ERROR
    assert math.isnan(cell.median_s)


def test_compact_arranges_cells() -> None:
    rows = [
        row(PROBLEMS[0], IDS[0], time_s=1e-3),
        row(PROBLEMS[1], IDS[0], time_s=2e-3),
        row(PROBLEMS[1], IDS[1], status=Status.TIMEOUT),
    ]
    dataset = compact(rows, MATMUL, "float", device())
    assert dataset.problems == tuple(sorted(PROBLEMS))
    assert np.count_nonzero(~np.isnan(dataset.time_s)) == 2
    assert sorted(str(s) for s in dataset.status.ravel()) == sorted(
        ["None", str(Status.OK), str(Status.OK), str(Status.TIMEOUT)]
    )
    assert dataset.provenance.date == "2026-01-02"
    assert dataset.provenance.load == 0.5


def test_sources_are_never_mixed() -> None:
    newer = replace(SOURCE, kernel_digest="cd" * 32)
    rows = [
        row(time_s=1e-3),
        row(time_s=5e-3, source=newer, time="2026-02-01T00:00:00Z"),
        row(time_s=1e-3, time="2026-01-09T00:00:00Z"),
    ]
    assert compact(rows, MATMUL, "float", device()).time_s[0, 0] == 5e-3
    assert compact(rows, MATMUL, "float", device(), SOURCE).time_s[0, 0] == 1e-3


def test_nothing_to_compact_is_an_error() -> None:
    with pytest.raises(DatasetError, match="no measurement of matmul double"):
        compact([row()], MATMUL, "double", device())
    with pytest.raises(DatasetError, match="no measurement"):
        compact([row(configuration="gone_1")], MATMUL, "float", device())
    with pytest.raises(DatasetError, match="no measurement"):
        compact([row()], MATMUL, "float", device("amd-cpu-avx2-2cu"))


def test_merging_unites_cells_and_the_last_counts() -> None:
    first = small_dataset(problems=PROBLEMS)
    second = small_dataset(problems=(PROBLEMS[0], (5, 6, 7, 1, 0, 0)), scale=2.0)
    merged = merge(MATMUL, [first, second])
    assert len(merged.problems) == 3
    cells, old, new = (cells_of(dataset) for dataset in (merged, first, second))
    assert cells.keys() == old.keys() | new.keys()
    assert cells[PROBLEMS[0], IDS[0]] == new[PROBLEMS[0], IDS[0]]


def test_merging_what_does_not_compare_is_refused() -> None:
    first = small_dataset()
    other = replace(first, provenance=replace(first.provenance, driver="driver 2"))
    with pytest.raises(DatasetError, match="differ in driver"):
        merge(MATMUL, [first, other])
    with pytest.raises(DatasetError, match="no dataset"):
        merge(MATMUL, [])
