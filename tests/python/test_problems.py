# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Problem files: what is read, and errors that name the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.operations import get_operation
from hornbeam.problems import (
    format_problems,
    load_problem_set,
    parse_problems,
    parse_workload,
    problem_sets,
    read_problems,
)

MATMUL = get_operation("matmul")


def test_three_lines_are_enough() -> None:
    text = "m,k,n\n1,2,3\n4,5,6\n7,8,9\n"
    assert parse_problems(text, MATMUL, "own.csv") == [
        (1, 2, 3, 1, 0, 0),
        (4, 5, 6, 1, 0, 0),
        (7, 8, 9, 1, 0, 0),
    ]


def test_any_order_of_columns_comments_and_repeats() -> None:
    text = "\ufeff# sizes of mine\nn, transpose_b, k, m\n\n3, 1, 2, 1\n3,1,2,1\n"
    assert parse_problems(text, MATMUL, "own.csv") == [(1, 2, 3, 1, 0, 1)]


def test_weights_are_optional_and_add_up() -> None:
    text = "m,weight,k,n\n1,2.5,2,3\n4,1,5,6\n1,0.5,2,3\n"
    assert parse_workload(text, MATMUL, "own.csv") == {
        (1, 2, 3, 1, 0, 0): 3.0,
        (4, 5, 6, 1, 0, 0): 1.0,
    }
    assert parse_workload("m,k,n\n1,2,3\n1,2,3\n4,5,6\n", MATMUL, "own.csv") == {
        (1, 2, 3, 1, 0, 0): 2.0,
        (4, 5, 6, 1, 0, 0): 1.0,
    }


@pytest.mark.parametrize("weight", ["0", "0.0", "-1", "nan", "inf", "1e3", "", "9" * 13, "0x1"])
def test_weights_are_positive_numbers(weight: str) -> None:
    with pytest.raises(DatasetError, match=r"own\.csv:2: weight = .* is not a positive"):
        parse_workload(f"m,k,n,weight\n1,2,3,{weight}\n", MATMUL, "own.csv")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "own.csv: empty; a header with m, k, n"),
        ("m,k,n\n", "no problem below its header"),
        ("m,k\n1,2\n", "own.csv:1: missing column 'n'"),
        ("m,k,n,colour\n1,2,3,4\n", "own.csv:1: unknown column 'colour'"),
        ("m,k,n,n\n1,2,3,4\n", "named twice"),
        ("m,k,n\n1,2,3\n1,2\n", "own.csv:3: 2 values, but the header names 3"),
        ("m,k,n\n1,x,3\n", "own.csv:2: k = 'x' is not a whole number"),
        ("m,k,n\n1,-2,3\n", "own.csv:2: k = '-2'"),
        ("m,k,n\n1,2.5,3\n", "own.csv:2: k = '2.5'"),
        ("m,k,n\n0,2,3\n", "own.csv:2: m = 0 is outside"),
        ("m,k,n\n" + "9" * 40 + ",2,3\n", "is not a whole number"),
        ("1,2,3\n", "unknown column '1'"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(DatasetError) as caught:
        parse_problems(text, MATMUL, "own.csv")
    assert message in str(caught.value)


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="cannot be read"):
        read_problems(tmp_path / "none.csv", MATMUL)
    binary = tmp_path / "binary.csv"
    binary.write_bytes(b"m,k,n\n\xff\xfe\n")
    with pytest.raises(DatasetError, match="UTF-8"):
        read_problems(binary, MATMUL)


def test_round_trip() -> None:
    problems = [(1, 2, 3, 4, 0, 1), (5, 6, 7, 8, 1, 0)]
    assert parse_problems(format_problems(MATMUL, problems), MATMUL, "x") == problems


def test_sets_are_listed_and_unknown_ones_refused() -> None:
    assert problem_sets(MATMUL) == ["mobilenet", "resnet50", "stored", "supplement", "vgg16"]
    with pytest.raises(ConfigurationError, match="supplement"):
        load_problem_set(MATMUL, "alexnet")
    assert len(load_problem_set(MATMUL, "stored")) >= 88
