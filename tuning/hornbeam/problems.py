# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Problem sets: CSV files of input sizes, the user's own and those that come with hornbeam."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path

from hornbeam.errors import DatasetError, choose
from hornbeam.operations import Operation
from hornbeam.types import Problem


def parse_problems(text: str, operation: Operation, source: str) -> list[Problem]:
    """Parse the text of a problem file.

    The first line names the columns, in any order. Blank lines and lines that start
    with ``#`` are ignored, repeated problems are kept once.

    Args:
        text: comma-separated values.
        operation: gives the columns and their defaults.
        source: name of the file for messages.

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
    problems: dict[Problem, None] = {}
    for number, line in lines[1:]:
        problems[_parse_line(line, header, operation, f"{source}:{number}")] = None
    if not problems:
        raise DatasetError(f"{source}: holds no problem below its header")
    return list(problems)


def read_problems(path: Path, operation: Operation) -> list[Problem]:
    """Read a problem file; see `parse_problems`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DatasetError(f"{path}: is not UTF-8 text: {error.reason}") from error
    return parse_problems(text, operation, str(path))


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
    required = ", ".join(operation.required_fields)
    return f"a header with {required} and optionally {', '.join(optional)} is expected"


def _header(line: tuple[int, str], operation: Operation, source: str) -> list[str]:
    number, text = line
    names = [name.strip() for name in text.split(",")]
    unknown = [name for name in names if name not in operation.problem_columns]
    missing = [name for name in operation.required_fields if name not in names]
    if unknown or missing or len(set(names)) != len(names):
        faults = [f"unknown column {name[:40]!r}" for name in unknown[:8]]
        faults += [f"missing column {name!r}" for name in missing]
        what = ", ".join(faults) or "a column is named twice"
        raise DatasetError(f"{source}:{number}: {what}; {_expected(operation)}")
    return names


def _parse_line(line: str, header: Sequence[str], operation: Operation, place: str) -> Problem:
    cells = [cell.strip() for cell in line.split(",")]
    if len(cells) != len(header):
        raise DatasetError(f"{place}: {len(cells)} values, but the header names {len(header)}")
    values = {name: default or 0 for name, default in operation.problem_columns.items()}
    for name, cell in zip(header, cells, strict=True):
        if not (cell.isascii() and cell.isdigit() and len(cell) < 19):
            raise DatasetError(f"{place}: {name} = {cell[:40]!r} is not a whole number")
        values[name] = int(cell)
    problem = tuple(values[name] for name in operation.problem_fields)
    try:
        operation.check_problem(problem)
    except DatasetError as error:
        raise DatasetError(f"{place}: {error}") from error
    return problem
