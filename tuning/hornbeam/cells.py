# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Cells of a dataset: one (problem, configuration) pair each, and the arrays made of them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from hornbeam.operations import Operation
from hornbeam.space import configuration_from_id, configuration_order
from hornbeam.types import CellDetails, Dataset, DeviceInfo, Problem, Provenance, Status


@dataclass(frozen=True)
class Cell:
    """What is known of one configuration on one problem.

    Attributes:
        status: outcome; the figures below are meaningful for `Status.OK` only.
        samples: number of samples, at least 1.
        median_s, min_s: of the samples, in seconds.
        spread: (max - min) / median of the samples; NaN for a single sample.
        single_launch: timed by one launch, because far slower than the best.
        rotated: operands rotated through more memory than the last-level cache.
    """

    status: Status
    samples: int = 0
    median_s: float = math.nan
    min_s: float = math.nan
    spread: float = math.nan
    single_launch: bool = False
    rotated: bool = False


Cells = Mapping[tuple[Problem, str], Cell]
"""(problem, configuration id) -> cell."""


def sorted_keys(
    operation: Operation, keys: Iterable[tuple[Problem, str]]
) -> list[tuple[Problem, str]]:
    """The order of a dataset: by problem, then as the kernels' spaces list configurations."""
    order = configuration_order(operation)
    return sorted(keys, key=lambda key: (key[0], order[key[1]]))


def build_dataset(
    operation: Operation,
    data_type: str,
    device: DeviceInfo,
    provenance: Provenance,
    cells: Cells,
    digest: str = "",
) -> Dataset:
    """Arrange cells in arrays.

    Args:
        operation: gives the order of the configurations.
        data_type: element type.
        device: where they were measured.
        provenance: see `Provenance`.
        cells: every configuration id resolves.
        digest: of the stored form, empty where there is none yet.
    """
    order = configuration_order(operation)
    problems = sorted({problem for problem, _ in cells})
    ids = sorted({id for _, id in cells}, key=order.__getitem__)
    row = {problem: i for i, problem in enumerate(problems)}
    column = {id: i for i, id in enumerate(ids)}
    shape = (len(problems), len(ids))
    time_s, min_s, spread = (np.full(shape, np.nan) for _ in range(3))
    single, rotated = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
    samples = np.zeros(shape, dtype=np.int64)
    status = np.full(shape, None, dtype=np.object_)
    for (problem, id), cell in cells.items():
        at = (row[problem], column[id])
        status[at] = cell.status
        samples[at] = cell.samples
        single[at], rotated[at] = cell.single_launch, cell.rotated
        if cell.status is Status.OK:
            time_s[at], min_s[at], spread[at] = cell.median_s, cell.min_s, cell.spread
    return Dataset(
        operation=operation.name,
        data_type=data_type,
        device=device,
        provenance=provenance,
        problems=tuple(problems),
        configurations=tuple(configuration_from_id(operation, id) for id in ids),
        time_s=time_s,
        spread=spread,
        single_launch=single,
        status=status,
        digest=digest,
        details=CellDetails(samples=samples, min_s=min_s, rotated=rotated),
    )


def cells_of(dataset: Dataset) -> dict[tuple[Problem, str], Cell]:
    """The cells of a dataset; the inverse of `build_dataset`."""
    cells: dict[tuple[Problem, str], Cell] = {}
    for i, problem in enumerate(dataset.problems):
        for j, configuration in enumerate(dataset.configurations):
            status = dataset.status[i, j]
            if status is not None:
                cells[problem, configuration.id] = _cell(dataset, i, j, Status(status))
    return cells


def settled(dataset: Dataset) -> int:
    """Number of cells of which something is known: a time, or why there is none."""
    return sum(status is not None for status in dataset.status.ravel())


def _cell(dataset: Dataset, i: int, j: int, status: Status) -> Cell:
    if status is not Status.OK:
        return Cell(status)
    details = dataset.details
    single = bool(dataset.single_launch[i, j])
    return Cell(
        status=status,
        samples=int(details.samples[i, j]) if details else (1 if single else 3),
        median_s=float(dataset.time_s[i, j]),
        min_s=float(details.min_s[i, j] if details else dataset.time_s[i, j]),
        spread=float(dataset.spread[i, j]),
        single_launch=single,
        rotated=bool(details.rotated[i, j]) if details else False,
    )
