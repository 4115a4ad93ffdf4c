# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of a measurement file: comma-separated text, each row with a checksum of its own."""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache, partial

from hornbeam.cells import Cell, Cells, sorted_keys
from hornbeam.errors import DatasetError
from hornbeam.operations import Operation
from hornbeam.space import configuration_order
from hornbeam.types import Problem, Status

_FIGURES = ("status", "samples", "median_s", "min_s", "spread", "single_launch", "rotated")
_GREATEST_BYTES = 1 << 27
"""Of a measurement file once decompressed: a million rows."""
_GREATEST_RATIO = 100
"""Of its size once decompressed to that before; rows compress by less than 20."""
_GREATEST_TIME_S = 1e6
_MOST_SAMPLES = 1 << 31
_ID = re.compile(r"[A-Za-z0-9_]{1,96}")
_FLAGS = {"0": False, "1": True}


def columns(operation: Operation) -> tuple[str, ...]:
    """Columns of a measurement file."""
    return (*operation.problem_fields, "configuration", *_FIGURES, "checksum")


def format_rows(operation: Operation, cells: Cells) -> str:
    """Text of a measurement file, rows in the order of a dataset."""
    lines = [",".join(columns(operation))]
    for problem, id in sorted_keys(operation, cells):
        cell = cells[problem, id]
        text = ",".join((*map(str, problem), id, *_figures(cell)))
        lines.append(f"{text},{checksum(text)}")
    return "\n".join(lines) + "\n"


def parse_rows(
    content: bytes, operation: Operation
) -> tuple[dict[tuple[Problem, str], Cell], list[str]]:
    """Parse a measurement file, leaving out what can't be trusted.

    Returns:
        The usable cells, and one remark for each kind of row that was left out.

    Raises:
        DatasetError: where the header is not the expected one.
    """
    lines = content.decode("ascii", errors="replace").splitlines()
    expected = columns(operation)
    if not lines or lines[0] != ",".join(expected):
        raise DatasetError(f"measurements do not start with the header {','.join(expected)}")
    known = configuration_order(operation)
    problem_of = lru_cache(maxsize=None)(partial(_parse_problem, operation))
    cells: dict[tuple[Problem, str], Cell] = {}
    faults: Counter[str] = Counter()
    for line in lines[1:]:
        try:
            problem, id, cell = _parse_row(line, expected, problem_of)
        except (ValueError, KeyError, DatasetError) as error:
            faults[str(error) if isinstance(error, _RowError) else "impossible value"] += 1
            continue
        if id not in known:
            faults["unknown configuration"] += 1
        elif (problem, id) in cells:
            faults["repeated"] += 1
        else:
            cells[problem, id] = cell
    return cells, [f"{n} row(s) left out: {fault}" for fault, n in sorted(faults.items())]


def read_compressed(stored: bytes) -> tuple[bytes, bool]:
    """Decompress as much of a gzip file as is intact.

    Returns:
        The bytes and whether the stream was complete.

    Raises:
        DatasetError: where it is unreasonably large.
    """
    limit = min(_GREATEST_BYTES, (1 << 16) + _GREATEST_RATIO * len(stored))
    stream = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    size = 0
    step = 1 << 12
    try:
        for start in range(0, len(stored), step):
            part = stream.decompress(stored[start : start + step])
            size += len(part)
            if size > limit:
                raise DatasetError(f"the measurements decompress to more than {limit} bytes")
            parts.append(part)
            if stream.eof:
                break
    except zlib.error:
        return b"".join(parts), False
    return b"".join(parts), stream.eof


def checksum(text: str) -> str:
    """CRC-32 of a row without its checksum, eight hex digits."""
    return f"{zlib.crc32(text.encode('ascii', errors='replace')):08x}"


class _RowError(ValueError):
    """A row that is left out, with the reason."""


def _figures(cell: Cell) -> tuple[str, ...]:
    return (
        cell.status.value,
        str(cell.samples),
        _number(cell.median_s, 5),
        _number(cell.min_s, 5),
        _number(cell.spread, 3),
        str(int(cell.single_launch)),
        str(int(cell.rotated)),
    )


def _number(value: float, digits: int) -> str:
    return "" if math.isnan(value) else f"{value:.{digits}g}"


def _parse_row(
    line: str, names: Sequence[str], problem_of: Callable[[tuple[str, ...]], Problem]
) -> tuple[Problem, str, Cell]:
    text, _, check = line.rpartition(",")
    if checksum(text) != check:
        raise _RowError("wrong checksum")
    fields = text.split(",")
    if len(fields) != len(names) - 1:
        raise _RowError("wrong number of columns")
    count = names.index("configuration")
    problem = problem_of(tuple(fields[:count]))
    id = fields[count]
    if not _ID.fullmatch(id):
        raise _RowError("malformed configuration id")
    return problem, id, _parse_cell(fields[count + 1 :])


def _parse_problem(operation: Operation, fields: tuple[str, ...]) -> Problem:
    problem = tuple(int(field) for field in fields)
    operation.check_problem(problem)
    return problem


def _parse_cell(fields: list[str]) -> Cell:
    status, samples, median_s, min_s, spread, single_launch, rotated = fields
    if Status(status) is not Status.OK:
        return Cell(Status(status))
    cell = Cell(
        status=Status.OK,
        samples=int(samples),
        median_s=float(median_s),
        min_s=float(min_s),
        spread=float(spread or "nan"),
        single_launch=_FLAGS[single_launch],
        rotated=_FLAGS[rotated],
    )
    plausible = (
        1 <= cell.samples <= _MOST_SAMPLES
        and 0.0 < cell.min_s <= cell.median_s < _GREATEST_TIME_S
        and (math.isnan(cell.spread) or 0.0 <= cell.spread < math.inf)
    )
    if not plausible:
        raise _RowError("impossible value")
    return cell
