# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""JSON that other parsers let pass, and files that cost more than they hold."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from hornbeam import strict_json
from hornbeam.dataset import load, save
from hornbeam.errors import DatasetError
from hornbeam.problems import parse_problems
from hornbeam.schemas import read_json
from tuning_helpers import MATMUL, device, small_dataset


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1" * 5000, "a number of 5000 digits"),
        (str(10**20), "a number of 21 digits"),
        ("1e999", "not a finite number"),
        ("NaN", "not a finite number"),
        ("[-Infinity]", "not a finite number"),
        ('{"a": 1, "a": 2}', "gives a name twice"),
        ("[" * 50000, "nested too deep"),
        (r'"\ud800"', "surrogates not allowed"),
        ("{", "property name"),
    ],
)
def test_what_is_refused(text: str, fault: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=fault):
        strict_json.loads(text)
    path = tmp_path / "some.json"
    path.write_text(text)
    with pytest.raises(DatasetError, match=f"some.json: is not valid JSON: .*{fault}"):
        read_json(path, {})


def test_what_is_meant_by_json_is_read() -> None:
    document = {"a": [1, -2.5, 2**63, True, None], "b": {"c": "é \U0001f600"}}
    assert strict_json.loads(json.dumps(document)) == document


@pytest.mark.parametrize(
    ("content", "fault"),
    [(b"," * (1 << 26), "decompress to more than"), (b"a,b\n", "header"), (b"", "header")],
)
def test_errors_inside_a_measurement_file_name_it(
    content: bytes, fault: str, tmp_path: Path
) -> None:
    folder = tmp_path / device().key
    save(folder, small_dataset())
    path = folder / "matmul-float.csv.gz"
    path.write_bytes(gzip.compress(content))
    with pytest.raises(DatasetError, match=rf"{path.name}: .*{fault}"):
        load(folder, MATMUL, "float")


def test_messages_about_problem_files_stay_short() -> None:
    with pytest.raises(DatasetError, match="unknown column") as caught:
        parse_problems(",".join("x" * 999 for _ in range(999)), MATMUL, "own.csv")
    assert len(str(caught.value)) < 1000
