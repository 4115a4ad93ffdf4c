# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Problem sets: derived from layer tables, equal to the published sizes, up to date on disk."""

from __future__ import annotations

import csv
import hashlib
import os
from pathlib import Path

import pytest

from hornbeam.operations import get_operation
from hornbeam.operations.matmul.networks import NETWORKS, network_problems, resnet50, vgg16
from hornbeam.operations.matmul.problem_sets import files, stored, supplement
from hornbeam.types import Problem

MATMUL = get_operation("matmul")
PUBLISHED = {"vgg16": "vgg.csv", "resnet50": "resnet.csv", "mobilenet": "mobilenet.csv"}

# SHA-256 over the lines "m,k,n,batch" of the published lists, distinct and in ascending order.
DIGESTS = {
    "vgg16": "03d54e61bd83a821708c3144c772875d59c015c5bad768a9891fd6891edbd332",
    "resnet50": "1ef19b880686b090e97fb3e90f61a66ab6d77cb4764f9821fa5d4d17fd7d6d20",
    "mobilenet": "ff9698cc23b8d2b182a34a0ea5cd1863cdb13951f9ecf9dbfbd68890d190c465",
}


def _digest(sizes: set[tuple[int, ...]]) -> str:
    text = "".join(",".join(map(str, size)) + "\n" for size in sorted(sizes))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _published(name: str) -> set[tuple[int, ...]]:
    folder = os.environ.get("HORNBEAM_WORKLOADS")
    if not folder:
        pytest.skip("HORNBEAM_WORKLOADS does not name the folder of the published files")
    with Path(folder, PUBLISHED[name]).open(encoding="utf-8") as file:
        return {tuple(map(int, line)) for line in list(csv.reader(file))[1:]}


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_derived_sizes_equal_the_published_ones(name: str) -> None:
    assert _digest({problem[:4] for problem in network_problems(name)}) == DIGESTS[name]


@pytest.mark.parametrize("name", sorted(NETWORKS))
def test_derived_sizes_equal_the_published_files(name: str) -> None:
    """Where the files are at hand, a difference is shown size by size."""
    published = _published(name)
    assert {problem[:4] for problem in network_problems(name)} == published
    assert _digest(published) == DIGESTS[name]


def test_layer_tables() -> None:
    assert len(vgg16()) == 13
    assert len([layer for layer in resnet50() if layer.window == 3]) == 16
    assert len(resnet50()) == 1 + 16 * 3 + 4


def test_files_are_up_to_date() -> None:
    for path, text in files():
        assert path.read_text(encoding="utf-8") == text, (
            f"{path} is out of date; run python -m hornbeam.operations.matmul.problem_sets"
        )


def test_supplement_holds_what_networks_lack() -> None:
    problems = supplement()
    assert len(problems) >= 24
    known = {problem for name in NETWORKS for problem in network_problems(name)}
    assert not known & set(problems)

    for least, kind in (
        (4, [p for p in problems if p[0] == 1]),
        (4, [p for p in problems if p[2] == 1]),
        (4, [p for p in problems if p[1] <= 8]),
        (4, [p for p in problems if p[3] > 1]),
        (2, [p for p in problems if p[4:] == (1, 0)]),
        (2, [p for p in problems if p[4:] == (0, 1)]),
        (2, [p for p in problems if p[4:] == (1, 1)]),
    ):
        assert len(kind) >= least


def test_stored_set_draws_on_all_networks() -> None:
    problems = set(stored())
    drawn: set[Problem] = set()
    for name in NETWORKS:
        mine = problems & set(network_problems(name))
        assert len(mine) >= 16, name
        drawn |= mine
    assert len(drawn) >= 64
    assert set(supplement()) <= problems
    assert max(MATMUL.work(problem) for problem in problems) <= 8e9
    small = [problem for problem in problems if MATMUL.work(problem) <= 0.7e9]
    assert len(small) >= 120
