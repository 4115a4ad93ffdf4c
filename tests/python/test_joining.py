# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements made apart: united where their times compare, refused with the reason elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hornbeam.cells import cells_of
from hornbeam.dataset import save
from hornbeam.errors import DatasetError
from hornbeam.joining import join, read_all
from hornbeam.journal import open_journal
from hornbeam.journal_rows import Row
from hornbeam.types import Dataset, Status
from tuning_helpers import IDS, PROBLEMS, SOURCE, device, row, small_dataset

KIND = ("matmul", "float")


def journal(folder: Path, name: str, *rows: Row) -> Path:
    with open_journal(folder / name) as opened:
        for one in rows:
            opened.append(one)
    return folder / name


@pytest.fixture
def described(tmp_path: Path) -> Path:
    """A folder of the device, with a dataset."""
    save(tmp_path / "datasets" / SOURCE.device_key, small_dataset())
    return tmp_path / "datasets" / SOURCE.device_key


def other(**changes: str) -> Dataset:
    dataset = small_dataset()
    return replace(dataset, provenance=replace(dataset.provenance, **changes))


def test_journals_and_folders_are_joined_and_the_last_counts(
    tmp_path: Path, described: Path
) -> None:
    new = (5, 6, 7, 1, 0, 0)
    first = journal(tmp_path, "a.jsonl", row(PROBLEMS[0], IDS[0], time_s=7e-3))
    second = journal(tmp_path, "b.jsonl", row(new, IDS[3], time_s=2e-3))
    found = read_all([described, first, second])
    assert [measured.warnings for measured in found] == [(), (), ()]
    united = cells_of(join([measured.datasets[KIND] for measured in found]))
    assert united[PROBLEMS[0], IDS[0]].median_s == 7e-3
    assert united[new, IDS[3]].median_s == 2e-3
    assert united[PROBLEMS[0], IDS[2]].status is Status.WRONG_RESULT
    assert (PROBLEMS[1], IDS[3]) not in united, "what nobody measured stays unknown"


def test_a_journal_needs_a_description_of_its_device(tmp_path: Path, described: Path) -> None:
    alone = journal(tmp_path, "a.jsonl", row())
    with pytest.raises(DatasetError, match=f"names its device, {SOURCE.device_key}, but"):
        read_all([alone])
    (found,) = read_all([alone], stored=[described])
    assert found.datasets[KIND].device == device()


def test_rows_of_an_older_toolchain_and_damage_are_told_of(tmp_path: Path, described: Path) -> None:
    old = replace(SOURCE, driver="driver 0")
    rows = [row(source=old, time="2025-01-02T03:04:05Z"), row(), row(round_=1)]
    path = journal(tmp_path, "a.jsonl", *rows)
    with path.open("a") as file:
        file.write('{"torn')
    (found,) = read_all([path], stored=[described])
    assert [text.split(": ")[1] for text in found.warnings] == [
        "1 damaged rows are left out",
        "1 rows of another toolchain or device are left out",
    ]
    assert found.datasets[KIND].provenance.driver == SOURCE.driver
    empty = tmp_path / "empty.jsonl"
    empty.write_text("nonsense\n")
    with pytest.raises(DatasetError, match="no usable row"):
        read_all([empty], stored=[described])


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (other(driver="driver 2"), "differ in driver: driver 1 and driver 2"),
        (other(compiler="compiler 2"), "differ in compiler: compiler 1 and compiler 2"),
        (other(kernel_digest="cd" * 32), "differ in kernel digest: abab"),
        (
            replace(small_dataset(), device=device("amd-cpu-avx2-2cu")),
            "differ in device: intel-cpu",
        ),
        (
            replace(small_dataset(), device=replace(device(), name="B CPU")),
            f"differ in device: A CPU and B CPU, both {SOURCE.device_key}",
        ),
    ],
    ids=["driver", "compiler", "kernels", "key", "name"],
)
def test_what_does_not_compare_is_refused(second: Dataset, message: str) -> None:
    with pytest.raises(DatasetError, match=message):
        join([small_dataset(), second])


def test_what_compares_is_not(tmp_path: Path) -> None:
    twice = join([small_dataset(), small_dataset()])
    np.testing.assert_array_equal(twice.time_s, small_dataset().time_s)
