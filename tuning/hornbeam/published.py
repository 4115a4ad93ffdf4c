# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements that others published, in a layout of their own: one row a configuration and size.

An operation says what the columns mean, see `hornbeam.operations.PublishedLayout`. Nothing is known
of the device but the numbers.
"""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Mapping
from pathlib import Path

from hornbeam.cells import Cell, build_dataset
from hornbeam.errors import DatasetError, HornbeamError
from hornbeam.operations import Operation, PublishedLayout
from hornbeam.space import configuration_from_id
from hornbeam.types import Dataset, DeviceInfo, DeviceLimits, Problem, Provenance, Status

DEVICE = DeviceInfo(
    key="unknown-accelerator-published-1cu",
    vendor="unknown",
    type="accelerator",
    architecture="published",
    name="published measurements",
    driver="unknown",
    platform="unknown",
    limits=DeviceLimits(max_work_group_size=1, local_memory_bytes=0, compute_units=1),
    supports_spirv=False,
    data_types=(),
)
_PROVENANCE = Provenance("unknown", "unknown", "0" * 64, "unknown", 0.0)


def read_published(path: Path, operation: Operation, data_type: str) -> tuple[Dataset, list[str]]:
    """Read a CSV file in the operation's published layout.

    Returns:
        The dataset and warnings, one a line: rows that are left out are counted, with the first
        reason.

    Raises:
        DatasetError: it can't be read, lacks columns, or holds no usable row.
    """
    layout = operation.published
    if layout is None:
        raise DatasetError(f"{operation.name} knows no published layout: {path} is not read")
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise DatasetError(f"{path}: cannot be read: {error}") from error
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""))
        names, rows = reader.fieldnames or (), list(reader)
    except csv.Error as error:
        raise DatasetError(f"{path}: is no CSV file: {error}") from error
    missing = sorted(set(layout.columns) - set(names))
    if missing:
        raise DatasetError(f"{path}: lacks the columns {', '.join(missing)}")
    cells: dict[tuple[Problem, str], Cell] = {}
    faults: list[str] = []
    for number, row in enumerate(rows, start=2):
        try:
            problem, name, time_s = _parse(row, layout, operation)
        except (ValueError, TypeError, OverflowError, HornbeamError) as error:
            faults.append(f"{path}:{number}: {error}")
            continue
        if (problem, name) not in cells or time_s < cells[problem, name].median_s:
            cells[problem, name] = Cell(Status.OK, 1, time_s, time_s)
    if not cells:
        raise DatasetError(f"{path}: no usable row" + (f"; first: {faults[0]}" if faults else ""))
    warnings = [f"{len(faults)} rows are left out; the first: {faults[0]}"] if faults else []
    digest = hashlib.sha256(text.encode()).hexdigest()
    return build_dataset(operation, data_type, DEVICE, _PROVENANCE, cells, digest), warnings


def _parse(
    row: Mapping[str, str], layout: PublishedLayout, operation: Operation
) -> tuple[Problem, str, float]:
    """Return the problem, the configuration's id and the seconds of one row."""
    values = {name: _whole(row[name]) for name in layout.columns if name != layout.rate}
    problem = tuple(
        values[name] if name in values else operation.problem_columns[name] or 0
        for name in operation.problem_fields
    )
    operation.check_problem(problem)
    for column, value in layout.fixed.items():
        if values[column] != value:
            raise ValueError(f"{column} is {values[column]}; only {value} is known")
    name = layout.configuration.format(**values)
    configuration_from_id(operation, name)
    rate = float(row[layout.rate])
    if not 0.0 < rate < math.inf:
        raise ValueError(f"{layout.rate} is {rate}, not a positive number")
    return problem, name, operation.work(problem) / rate


def _whole(text: str) -> int:
    """A whole number, which may be written like 4.0."""
    value = float(text)
    if not value.is_integer():
        raise ValueError(f"{text} is not a whole number")
    return int(value)
