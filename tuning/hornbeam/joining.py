# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements made apart, brought together: folders of datasets and journals of tuning runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hornbeam.compaction import check_alike, compact, merge
from hornbeam.dataset import contents, load, read_description
from hornbeam.dataset_schema import DESCRIPTION, device_from
from hornbeam.errors import DatasetError
from hornbeam.journal import read_journal
from hornbeam.operations import get_operation
from hornbeam.types import Dataset, DeviceInfo

Kind = tuple[str, str]
"""Operation and data type."""


@dataclass(frozen=True)
class Measured:
    """What one folder or journal holds.

    Attributes:
        path: of the folder of a device, or of the journal.
        datasets: by operation and data type.
        warnings: for the user, one a line.
    """

    path: Path
    datasets: Mapping[Kind, Dataset]
    warnings: tuple[str, ...]


def read_all(paths: Sequence[Path], stored: Iterable[Path] = ()) -> list[Measured]:
    """Read folders of devices and journals.

    Args:
        paths: of either kind.
        stored: further folders of devices, which journals' devices may be described in.

    Raises:
        DatasetError: one can't be read, holds nothing usable, or is a journal of a device that
            none of the folders describes.
    """
    described: dict[str, DeviceInfo] = {}
    for folder in [*paths, *stored]:
        if (folder / DESCRIPTION).is_file():
            device = device_from(read_description(folder)["device"])
            described.setdefault(device.key, device)
    return [_folder(p) if p.is_dir() else _journal(p, described) for p in paths]


def join(datasets: Sequence[Dataset]) -> Dataset:
    """Unite measurements of one operation and data type; where cells overlap, the last count.

    Raises:
        DatasetError: their times do not compare; says in what they differ.
    """
    for other in datasets[1:]:
        check_joinable(datasets[0], other)
    return merge(get_operation(datasets[0].operation), datasets)


def check_joinable(first: Dataset, other: Dataset) -> None:
    """Raise unless times of two datasets that were made apart compare.

    On one machine a key says enough; on two it may stand for two models of a processor.

    Raises:
        DatasetError: says in what they differ.
    """
    check_alike(first, other)
    names = [dataset.device.name.strip() for dataset in (first, other)]
    if names[0] != names[1]:
        raise DatasetError(
            f"datasets differ in device: {names[0]} and {names[1]}, both {first.device.key}"
        )


def _folder(path: Path) -> Measured:
    found, warnings = {}, []
    for operation, data_type in contents(path):
        dataset, remarks = load(path, get_operation(operation), data_type)
        found[operation, data_type] = dataset
        warnings += remarks
    return Measured(path, found, tuple(warnings))


def _journal(path: Path, described: Mapping[str, DeviceInfo]) -> Measured:
    content = read_journal(path)
    if not content.rows:
        raise DatasetError(f"{path}: no usable row")
    newest = max(content.rows, key=lambda row: row.time).source
    if newest.device_key not in described:
        raise DatasetError(
            f"{path}: a journal names its device, {newest.device_key}, but does not describe it; "
            "name a folder of that device's dataset beside it"
        )
    device = replace(described[newest.device_key], driver=newest.driver)
    warnings = []
    if content.skipped:
        warnings.append(f"{path}: {content.skipped} damaged rows are left out")
    others = sum(row.source != newest for row in content.rows)
    if others:
        warnings.append(f"{path}: {others} rows of another toolchain or device are left out")
    kinds = sorted({(row.operation, row.data_type) for row in content.rows if row.source == newest})
    found = {
        (operation, data_type): compact(
            content.rows, get_operation(operation), data_type, device, newest
        )
        for operation, data_type in kinds
    }
    return Measured(path, found, tuple(warnings))
