# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Problem sets: CSV files of input sizes, the user's own and those that come with hornbeam."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from hornbeam.errors import DatasetError, choose
from hornbeam.operations import Operation
from hornbeam.types import Problem

WEIGHT = "weight"
"""Optional column: how often a problem is computed, relative to the others of the file."""


def parse_workload(text: str, operation: Operation, source: str) -> dict[Problem, float]:
    """Parse the text of a problem file.

    The first line names the columns, in any order. Blank lines and lines that start
    with ``#`` are ignored.

    Args:
        text: comma-separated values.
        operation: gives the columns and their defaults.
        source: name of the file for messages.

    Returns:
        Problem -> weight, 1 where the file gives none; of a problem that is repeated, the sum.

    Raises:
        DatasetError: naming the file, the line and the remedy.
    """
    lines = [
        (number, line)
        for number, line in enumerate(text.lstrip("\ufeff").splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise DatasetError(f"{source}: empty; {_expected(operation)}")
    header = _header(lines[0], operation, source)
    weights: dict[Problem, float] = {}
    for number, line in lines[1:]:
        problem, weight = _parse_line(line, header, operation, f"{source}:{number}")
        weights[problem] = weights.get(problem, 0.0) + weight
    if not weights:
        raise DatasetError(f"{source}: holds no problem below its header")
    return weights


def parse_problems(text: str, operation: Operation, source: str) -> list[Problem]:
    """Parse the text of a problem file, without weights; see `parse_workload`."""
    return list(parse_workload(text, operation, source))


def read_workload(path: Path, operation: Operation) -> dict[Problem, float]:
    """Read a problem file; see `parse_workload`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: is not UTF-8 text: {error.reason}") from error
    return parse_workload(text, operation, str(path))


def read_problems(path: Path, operation: Operation) -> list[Problem]:
    """Read a problem file, without weights; see `parse_workload`."""
    return list(read_workload(path, operation))


def format_problems(operation: Operation, problems: Iterable[Problem]) -> str:
    """Text of a problem file, with every column."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(operation.problem_fields)
    writer.writerows(problems)
    return text.getvalue()


def problem_sets(operation: Operation) -> list[str]:
    """Names of the problem sets that come with an operation."""
    return sorted(path.stem for path in operation.problem_dir().glob("*.csv"))


def load_problem_set(operation: Operation, name: str) -> list[Problem]:
    """Problems of a set that comes with an operation.

    Raises:
        ConfigurationError: listing the known sets.
    """
    choose("problem set", name, problem_sets(operation))
    return read_problems(operation.problem_dir() / f"{name}.csv", operation)


def _expected(operation: Operation) -> str:
    optional = [
        f"{name} (default {default})"
        for name, default in operation.problem_columns.items()
        if default is not None
    ]
    optional.append(f"{WEIGHT} (default 1)")
    required = ", ".join(operation.required_fields)
    return f"a header with {required} and optionally {', '.join(optional)} is expected"


def _header(line: tuple[int, str], operation: Operation, source: str) -> list[str]:
    number, text = line
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in (*operation.problem_columns, WEIGHT)]
    missing = [name for name in operation.required_fields if name not in names]
    if unknown or missing or len(set(names)) != len(names):
        faults = [f"unknown column {name[:40]!r}" for name in unknown[:8]]
        faults += [f"missing column {name!r}" for name in missing]
        what = ", ".join(faults) or "a column is named twice"
        raise DatasetError(f"{source}:{number}: {what}; {_expected(operation)}")
    return names


def _parse_line(
    line: str, header: Sequence[str], operation: Operation, place: str
) -> tuple[Problem, float]:
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != len(header):
        raise DatasetError(f"{place}: {len(cells)} values, but the header names {len(header)}")
    values = {name: default or 0 for name, default in operation.problem_columns.items()}
    weight = 1.0
    for name, cell in zip(header, cells, strict=True):
        if name == WEIGHT:
            weight = _parse_weight(cell, place)
            continue
        if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
            raise DatasetError(f"{place}: {name} = {cell[:40]!r} is not a whole number")
        values[name] = int(cell)
    problem = tuple(values[name] for name in operation.problem_fields)
    try:
        operation.check_problem(problem)
    except DatasetError as error:
        raise DatasetError(f"{place}: {error}") from error
    return problem, weight


def _parse_weight(cell: str, place: str) -> float:
    if re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,12})?", cell) is None or not float(cell):
        raise DatasetError(f"{place}: {WEIGHT} = {cell[:40]!r} is not a positive number like 2.5")
    return float(cell)
