# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""From journal rows to a dataset, and several datasets of one device to one."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence

from hornbeam.cells import Cell, build_dataset, cells_of
from hornbeam.errors import DatasetError
from hornbeam.journal_controls import counted
from hornbeam.journal_rows import Row, Source
from hornbeam.operations import Operation
from hornbeam.space import configuration_order
from hornbeam.types import Dataset, DeviceInfo, Problem, Provenance, Status


def compact(
    rows: Iterable[Row],
    operation: Operation,
    data_type: str,
    device: DeviceInfo,
    source: Source | None = None,
) -> Dataset:
    """Merge the rounds of each cell: median of medians, least of minima.

    Rounds that were disturbed and taken again don't count.

    Args:
        rows: of a journal.
        operation: which of them are meant.
        data_type: which of them are meant.
        device: which of them are meant.
        source: which of them are meant; None takes the source of the newest row.

    Raises:
        DatasetError: where no row is left.
    """
    known = configuration_order(operation)
    mine = [
        row
        for row in rows
        if (row.operation, row.data_type) == (operation.name, data_type)
        and row.source.device_key == device.key
        and row.configuration in known
    ]
    if not mine:
        raise DatasetError(f"no measurement of {operation.name} {data_type} on {device.key}")
    chosen = source or max(mine, key=lambda row: row.time).source
    grouped: dict[tuple[Problem, str], list[Row]] = defaultdict(list)
    for row in counted([row for row in mine if row.source == chosen]):
        grouped[row.problem, row.configuration].append(row)
    if not grouped:
        raise DatasetError(f"no measurement of {operation.name} from {chosen}")
    provenance = _provenance(chosen, [row for group in grouped.values() for row in group])
    cells = {key: merge_rounds(group) for key, group in grouped.items()}
    return build_dataset(operation, data_type, device, provenance, cells)


def merge_rounds(rows: Sequence[Row]) -> Cell:
    """One cell from its rounds.

    A round that failed outweighs those that did not: a kernel that is wrong or hangs now
    and then is not one to ship. The spread is taken over the rounds, which lie minutes
    apart, where there are several.
    """
    failed = [row for row in rows if row.status is not Status.OK]
    if failed:
        return Cell(failed[-1].status)
    medians_s = [row.median_s for row in rows]
    median_s = statistics.median(medians_s)
    spread = rows[0].spread
    if len(rows) > 1:
        spread = (max(medians_s) - min(medians_s)) / median_s
    return Cell(
        status=Status.OK,
        samples=sum(row.samples for row in rows),
        median_s=median_s,
        min_s=min(row.min_s for row in rows),
        spread=spread,
        single_launch=any(row.single_launch for row in rows),
        rotated=all(row.rotated for row in rows),
    )


def merge(operation: Operation, datasets: Sequence[Dataset]) -> Dataset:
    """Unite datasets of one device and data type; where a cell is in several, the last counts.

    Raises:
        DatasetError: where they differ in device, data type, compiler, driver or kernels,
            so that their times do not compare.
    """
    if not datasets:
        raise DatasetError("no dataset to merge")
    first = datasets[0]
    for other in datasets[1:]:
        check_alike(first, other)
    cells = {key: cell for dataset in datasets for key, cell in cells_of(dataset).items()}
    last = max(datasets, key=lambda dataset: dataset.provenance.date)
    return build_dataset(operation, first.data_type, first.device, last.provenance, cells)


def check_alike(first: Dataset, other: Dataset) -> None:
    """Raise unless times of two datasets compare.

    Raises:
        DatasetError: says in what they differ.
    """
    what = difference(first, other)
    if what:
        mine, theirs = (_identity(dataset)[what] for dataset in (first, other))
        raise DatasetError(f"datasets differ in {what}: {mine} and {theirs}")


def difference(first: Dataset, other: Dataset) -> str:
    """Return in what two datasets differ so that their times do not compare; empty if they do."""
    mine, theirs = _identity(first), _identity(other)
    return next((what for what in mine if mine[what] != theirs[what]), "")


def _identity(dataset: Dataset) -> dict[str, str]:
    """What a time depends on beside the cell, by its name for people."""
    return {
        "device": dataset.device.key,
        "data type": dataset.data_type,
        "compiler": dataset.provenance.compiler,
        "driver": dataset.provenance.driver,
        "kernel digest": dataset.provenance.kernel_digest,
    }


def _provenance(source: Source, rows: Sequence[Row]) -> Provenance:
    load = statistics.median(row.load for row in rows)
    return Provenance(
        compiler=source.compiler,
        driver=source.driver,
        kernel_digest=source.kernel_digest,
        date=max(row.time for row in rows)[:10],
        load=round(load, 2) if math.isfinite(load) else 0.0,
    )
