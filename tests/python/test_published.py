# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements in the layout of those that were published with the method."""

from __future__ import annotations

import pytest

from hornbeam.errors import DatasetError, ExitCode
from hornbeam.operations import get_operation
from hornbeam.published import read_published

OPERATION = get_operation("matmul")
COLUMNS = "m,k,n,batch,row_tile,acc_tile,col_tile,wg_a,wg_b,wg_c,items_per_second"


def test_rows_become_times(tmp_path):
    path = tmp_path / "published.csv"
    good = ["64,32,16,1,4,4,4,8,8,1,1e9", "64,32,16,1,8,2,1,16,8,1,2e9"]
    path.write_text("\n".join([COLUMNS, *good, "64,32,16,1,3,4,4,8,8,1,1"]) + "\n")
    dataset, warnings = read_published(path, OPERATION, "float")
    assert dataset.problems == ((64, 32, 16, 1, 0, 0),)
    times = {c.id: t for c, t in zip(dataset.configurations, dataset.time_s[0], strict=True)}
    assert times == pytest.approx(
        {
            "register_tile_4x4x4_8x8": 2 * 64 * 32 * 16 / 1e9,
            "register_tile_8x2x1_16x8": 2 * 64 * 32 * 16 / 2e9,
        }
    )
    assert len(warnings) == 1
    assert f"{path}:4:" in warnings[0]


@pytest.mark.parametrize(
    "row",
    [
        "64,32,16,1,4,4,4,8,8,2,1e9",
        "64,32,16,1,4,4,4,8,8,1,nan",
        "64,32,16,1,4,4,4,8,8,1,-1",
        "64,32,16,1,4,4,4,8,8,1,1e999",
        "0,32,16,1,4,4,4,8,8,1,1e9",
        "inf,32,16,1,4,4,4,8,8,1,1e9",
        "64,32,16",
        "64.5,32,16,1,4,4,4,8,8,1,1e9",
        "{m},32,16,1,4,4,4,8,8,1,1e9",
    ],
)
def test_a_file_without_a_usable_row_is_refused(tmp_path, row):
    path = tmp_path / "published.csv"
    path.write_text(f"{COLUMNS}\n{row}\n")
    with pytest.raises(DatasetError, match=r"no usable row; first: .*:2:"):
        read_published(path, OPERATION, "float")


@pytest.mark.parametrize("text", ["", "m,k,n\n1,2,3\n", COLUMNS + "\n", "\x00", "a" * 200_000])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "published.csv"
    path.write_text(text)
    with pytest.raises(DatasetError, match=str(path)):
        read_published(path, OPERATION, "float")


def test_a_study_takes_one_source(commands):
    status, _, err = commands("study", "--out", commands.folder / "report")
    assert status == ExitCode.USAGE
    assert "--published" in err
