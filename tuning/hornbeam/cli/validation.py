# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a stored dataset, and what is merely worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hornbeam import paths
from hornbeam.bench.sources import kernel_digest
from hornbeam.dataset import load, read_description
from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.operations import get_operation
from hornbeam.types import Dataset

LARGE_SPREAD = 0.1
"""A median spread above this makes configurations that lie closer together interchangeable."""

_MOVED_TOGETHER = 0.75
# Of a problem's configurations: where so many differ between rounds it is not for their own sake.

_SOURCES = ("compiler", "driver", "kernel_digest")


@dataclass(frozen=True)
class Verdict:
    """Outcome for the folder of one device.

    Attributes:
        faults: what is damaged.
        remarks: what makes the numbers less telling.
    """

    faults: tuple[str, ...]
    remarks: tuple[str, ...]


def validate_folder(folder: Path) -> Verdict:
    """Read everything in the folder of a device."""
    faults: list[str] = []
    remarks: list[str] = []
    try:
        entries = read_description(folder)["measurements"]
    except DatasetError as error:
        return Verdict((str(error),), ())
    for entry in entries:
        try:
            operation = get_operation(entry["operation"])
            dataset, warnings = load(folder, operation, entry["data_type"])
        except (DatasetError, ConfigurationError) as error:
            faults.append(str(error))
            continue
        faults += warnings
        remarks += _about(dataset, kernel_digest(operation, paths.include_dir()))
    return Verdict(tuple(faults), (*remarks, *_mixed(entries)))


def _about(dataset: Dataset, digest: str) -> Iterator[str]:
    name = f"{dataset.operation} {dataset.data_type}"
    spreads = dataset.spread[np.isfinite(dataset.spread)]
    if spreads.size and float(np.median(spreads)) > LARGE_SPREAD:
        yield (
            f"{name}: repeats differ by {float(np.median(spreads)):.0%} (median); measure again on "
            "a quieter machine"
        )
    yield from _drift(dataset, name)
    load, units = dataset.provenance.load, dataset.device.limits.compute_units
    if load > units + 1:
        yield (
            f"{name}: measured at a load of {load:g} on {units} compute units; end other work and "
            "measure again"
        )
    if dataset.provenance.kernel_digest != digest:
        yield (
            f"{name}: the kernels have changed since {dataset.provenance.date}; measure again, or "
            "rebase where they compile to the same"
        )


def _drift(dataset: Dataset, name: str) -> Iterator[str]:
    """Tell of problems on which all configurations differ between rounds, as one machine does."""
    moved = []
    for problem, spreads in zip(dataset.problems, dataset.spread, strict=True):
        known = spreads[np.isfinite(spreads)]
        if known.size > 1 and float(np.mean(known > LARGE_SPREAD)) >= _MOVED_TOGETHER:
            moved.append(problem)
    if moved:
        shown = "; ".join(",".join(map(str, problem)) for problem in moved[:3])
        yield (
            f"{name}: on {len(moved)} of {len(dataset.problems)} problems nearly all "
            f"configurations differ between rounds by more than {LARGE_SPREAD:.0%} ({shown}"
            f"{'; ...' if len(moved) > len(moved[:3]) else ''}): the machine was throttled or "
            "busy; measure them again with 'hornbeam tune --problems FILE --only-problems' and a "
            "fresh --journal-dir"
        )


def _mixed(entries: list[dict[str, Any]]) -> Iterator[str]:
    for what in _SOURCES:
        values = sorted({entry["provenance"][what] for entry in entries})
        if len(values) > 1:
            shown = ", ".join(value[:40] for value in values)
            yield (
                f"measured with more than one {what.replace('_', ' ')}: {shown}; 'hornbeam tune "
                "--replace' measures all types with what is installed now"
            )
