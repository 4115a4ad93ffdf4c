# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Files of every format ever written must load; see docs/dataset-format.md."""

from __future__ import annotations

import numpy as np

from hornbeam import paths
from hornbeam.cells import cells_of
from hornbeam.compaction import compact
from hornbeam.dataset import load
from hornbeam.journal import read_journal
from hornbeam.types import Status
from tuning_helpers import IDS, MATMUL, PROBLEMS, device, small_dataset

FORMATS = paths.root() / "tests" / "data" / "formats"


def test_dataset_1() -> None:
    dataset, warnings = load(FORMATS / "dataset-1" / device().key, MATMUL, "float")
    expected = small_dataset()
    assert warnings == []
    assert dataset.problems == expected.problems
    assert dataset.configurations == expected.configurations
    np.testing.assert_allclose(dataset.time_s, expected.time_s, rtol=1e-4)
    assert cells_of(dataset).keys() == cells_of(expected).keys()
    assert dataset.digest == ("1f4c4ad054f0b12c483df00d337cf9cfd6e6644d81a69f5e27226217c0a3f320")


def test_journal_1() -> None:
    content = read_journal(FORMATS / "journal-1.jsonl")
    assert (len(content.rows), content.skipped) == (6, 0)
    dataset = compact(content.rows, MATMUL, "float", device())
    cells = cells_of(dataset)
    assert cells[PROBLEMS[0], IDS[0]].median_s == 1.5e-3
    assert cells[PROBLEMS[0], IDS[1]].status is Status.WRONG_RESULT
    assert cells[PROBLEMS[1], IDS[2]].single_launch
