# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Where datasets are looked for, and which one serves a device."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam import paths
from hornbeam.dataset import contents, file_name, load, read_description
from hornbeam.dataset_schema import DESCRIPTION
from hornbeam.device import match
from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.operations import Operation
from hornbeam.types import Dataset, DeviceInfo, Match

DATASET_DIR_VARIABLE = "HORNBEAM_DATASET_DIR"


@dataclass(frozen=True)
class Found:
    """A dataset and how it was come by.

    Attributes:
        dataset: the measurements.
        key: of the device they were made on.
        match: how closely that device is the one asked for.
        folder: of the device, where they are stored.
        files: that were read.
        warnings: for the user, one a line.
    """

    dataset: Dataset
    key: str
    match: Match
    folder: Path
    files: tuple[Path, ...]
    warnings: tuple[str, ...]


def own_dataset_dir(extra: Path | None = None) -> Path:
    """Folder that tuning writes to: ``extra``, else ``HORNBEAM_DATASET_DIR``, else the cache."""
    if extra is not None:
        return extra
    variable = os.environ.get(DATASET_DIR_VARIABLE)
    return Path(variable) if variable else paths.user_dataset_dir()


def search_path(extra: Path | None = None) -> list[Path]:
    """Folders of datasets, the user's own before those that come with hornbeam."""
    return [own_dataset_dir(extra), paths.shipped_dataset_dir()]


def device_folders(path: Sequence[Path]) -> tuple[dict[str, list[Path]], list[str]]:
    """Device key -> its folders in the order of the search path, and warnings on damaged ones."""
    folders: dict[str, list[Path]] = {}
    warnings: list[str] = []
    for place in path:
        for description in sorted(place.glob(f"*/{DESCRIPTION}")) if place.is_dir() else []:
            folder = description.parent
            try:
                key = read_description(folder)["device"]["key"]
            except DatasetError as error:
                warnings.append(f"{error}; this dataset is left out")
                continue
            if key != folder.name:
                warnings.append(f"{folder}: describes {key!r}; this dataset is left out")
                continue
            folders.setdefault(key, []).append(folder)
    return folders, warnings


def keys(path: Sequence[Path]) -> list[str]:
    """Keys of all devices with a dataset."""
    return sorted(device_folders(path)[0])


def find(
    operation: Operation, data_type: str, target: DeviceInfo | str, path: Sequence[Path]
) -> Found | None:
    """Find the dataset that serves a device.

    Args:
        operation: what has to be measured in it.
        data_type: element type.
        target: a device, served by the closest dataset; or a key, which must exist.
        path: see `search_path`.

    Returns:
        None where no dataset holds measurements of this operation and type (for a key:
        where that device's dataset does not).

    Raises:
        ConfigurationError: an unknown key, listing the known ones.
    """
    folders, warnings = device_folders(path)
    if isinstance(target, str) and target not in folders:
        known = ", ".join(sorted(folders)) or "none"
        raise ConfigurationError(
            f"unknown device key {target!r}; stored: {known} (looked in "
            f"{', '.join(map(str, path))}); tune on that device to make a dataset"
        )
    able = {
        key: [f for f in places if (operation.name, data_type) in contents(f)]
        for key, places in folders.items()
        if not isinstance(target, str) or key == target
    }
    while True:
        chosen = match(target, [key for key, places in able.items() if places])
        if chosen is None:
            return None
        key, level = chosen
        folder = able[key].pop(0)
        try:
            dataset, remarks = load(folder, operation, data_type)
        except DatasetError as error:
            warnings.append(f"{error}; this dataset is left out")
            continue
        files = (folder / DESCRIPTION, folder / file_name(operation.name, data_type))
        return Found(dataset, key, level, folder, files, (*warnings, *remarks))


def why(found: Found, target: DeviceInfo) -> str:
    """Say why a dataset was chosen to serve a device."""
    if found.match is Match.EXACT:
        return f"exact match: the key is {target.key}"
    if found.match is Match.FAMILY:
        return f"family match: there is none of {target.key}, but of the same type and architecture"
    return f"default match: there is none of {target.key} or its family, and no other is closer"


def exact(operation: Operation, data_type: str, key: str, path: Sequence[Path]) -> Found | None:
    """Find the dataset of one device; None where nothing of it is stored."""
    return find(operation, data_type, key, path) if key in keys(path) else None
