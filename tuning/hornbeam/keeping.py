# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Storing new measurements without losing what was stored before.

Files that are replaced, or found damaged, stay beside the dataset under names that nothing
reads: ``matmul-float.csv.gz.replaced-1``.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hornbeam.cells import settled
from hornbeam.compaction import difference, merge
from hornbeam.dataset import contents, file_name, load, read_description, save
from hornbeam.dataset_schema import DESCRIPTION
from hornbeam.errors import DatasetError
from hornbeam.operations import get_operation
from hornbeam.types import Dataset

REPLACED = "replaced"
DAMAGED = "damaged"


@dataclass(frozen=True)
class Kept:
    """What became of new measurements.

    Attributes:
        dataset: as it is stored now; None where the one that was there is better, and stays.
        warnings: for the user, one a line.
    """

    dataset: Dataset | None
    warnings: tuple[str, ...]


def keep(place: Path, dataset: Dataset, replace_better: bool) -> Kept:
    """Store new measurements.

    They are united with stored ones whose times compare with theirs. Stored ones from another
    compiler, driver or kernel are replaced, and a copy of them is kept aside; but not where
    they say more, unless that is asked for.

    Args:
        place: folder of the device in a folder of datasets.
        dataset: new measurements.
        replace_better: whether to replace stored measurements that hold more cells.

    Raises:
        DatasetError: the folder can't be written.
    """
    stored, warnings = _stored(place, dataset)
    if stored is None:
        return Kept(save(place, dataset), tuple(warnings))
    what = difference(stored, dataset)
    if not what:
        united = merge(get_operation(dataset.operation), [stored, dataset])
        return Kept(save(place, united), tuple(warnings))
    name = f"{dataset.operation} {dataset.data_type}"
    if settled(stored) > settled(dataset) and not replace_better:
        warnings.append(
            f"{place}: its {settled(stored)} {name} measurements are of another {what}, but the "
            f"{settled(dataset)} new ones are fewer and do not replace them; HORNBEAM_TUNE=FORCE "
            "or 'hornbeam tune --replace' does"
        )
        return Kept(None, tuple(warnings))
    aside = copy_aside(place, dataset.operation, dataset.data_type, REPLACED)
    warnings.append(
        f"{place}: its {settled(stored)} {name} measurements were of another {what}; they are "
        f"replaced, a copy is {aside.name}"
    )
    return Kept(save(place, dataset), tuple(warnings))


def check_writable(folder: Path, remedy: str) -> None:
    """Make a folder where it is missing, and make sure that files can be written into it.

    Args:
        folder: that will be written to.
        remedy: what to do if it can't be, for people.

    Raises:
        DatasetError: they can't.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written: {error.strerror}; {remedy}") from error


def copy_aside(place: Path, operation: str, data_type: str, why: str) -> Path:
    """Copy measurements and their description to names that nothing reads.

    Returns:
        The copy of the measurements.

    Raises:
        DatasetError: the folder can't be written.
    """
    name = file_name(operation, data_type)
    number = _free_number(place, (name, DESCRIPTION), why)
    try:
        for part in (name, DESCRIPTION):
            if (place / part).exists():
                shutil.copy2(place / part, place / f"{part}.{why}-{number}")
    except OSError as error:
        raise DatasetError(f"{place}: cannot be written: {error.strerror}") from error
    return place / f"{name}.{why}-{number}"


def _stored(place: Path, dataset: Dataset) -> tuple[Dataset | None, list[str]]:
    """Read what is stored of the same device, operation and data type; damage is set aside."""
    name = (dataset.operation, dataset.data_type)
    if not (place / DESCRIPTION).exists():
        return None, []
    try:
        key = read_description(place)["device"]["key"]
        if key != dataset.device.key:
            raise DatasetError(f"{place / DESCRIPTION}: belongs to device {key!r}")
    except DatasetError as error:
        return None, [f"{error}; {_move_aside(place)}"]
    if name not in contents(place):
        return None, []
    try:
        stored, remarks = load(place, get_operation(dataset.operation), dataset.data_type)
    except DatasetError as error:
        aside = copy_aside(place, *name, DAMAGED)
        return None, [f"{error}; it is set aside as {aside.name}"]
    if remarks:
        aside = copy_aside(place, *name, DAMAGED)
        remarks.append(f"{place}: the damaged measurements are set aside as {aside.name}")
    return stored, remarks


def _move_aside(place: Path) -> str:
    """Rename everything in the folder of a device; returns what was done, in words."""
    parts = [path.name for path in sorted(place.glob("*.csv.gz"))] + [DESCRIPTION]
    number = _free_number(place, parts, DAMAGED)
    try:
        for part in parts:
            (place / part).rename(place / f"{part}.{DAMAGED}-{number}")
    except OSError as error:
        raise DatasetError(f"{place}: cannot be written: {error.strerror}") from error
    return f"the files there are set aside as *.{DAMAGED}-{number}"


def _free_number(place: Path, names: Iterable[str], why: str) -> int:
    names = list(names)
    number = 1
    while any((place / f"{name}.{why}-{number}").exists() for name in names):
        number += 1
    return number
