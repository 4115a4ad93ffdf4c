# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Datasets on disk: one folder per device, a description and compressed measurements.

Nothing read from a file is executed or trusted: documents are checked against a schema,
rows against a checksum and against what such a value may be, and ids are resolved
through the kernels' definitions. ``docs/dataset-format.md`` describes the format.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any

from hornbeam.cells import Cells, build_dataset, cells_of
from hornbeam.dataset_rows import format_rows, parse_rows, read_compressed
from hornbeam.dataset_schema import (
    DESCRIPTION,
    DEVICE_SCHEMA,
    SCHEMA,
    description_of,
    device_from,
    provenance_from,
)
from hornbeam.errors import DatasetError
from hornbeam.operations import Operation, get_operation
from hornbeam.schemas import read_json
from hornbeam.types import Dataset, DeviceInfo


def load(folder: Path, operation: Operation, data_type: str) -> tuple[Dataset, list[str]]:
    """Load the measurements of one operation and data type.

    Args:
        folder: of one device, ``<datasets>/<device key>``.
        operation: what was measured.
        data_type: element type.

    Returns:
        The dataset and warnings, one a line, about anything that had to be left out.

    Raises:
        DatasetError: where the folder has no such measurements or none is usable.
    """
    description = read_description(folder)
    entry = _entry(description, folder, operation.name, data_type)
    path = folder / entry["file"]
    try:
        stored = path.read_bytes()
    except OSError as error:
        raise DatasetError(f"{path}: cannot be read: {error.strerror}") from error
    warnings = []
    if hashlib.sha256(stored).hexdigest() != entry["sha256"]:
        warnings.append(
            f"{path}: differs from the checksum in {DESCRIPTION}: edited or damaged; "
            "rows that fail their own checksum are left out"
        )
    try:
        content, complete = read_compressed(stored)
        cells, faults = parse_rows(content, operation)
    except DatasetError as error:
        raise DatasetError(f"{path}: {error}") from error
    if not complete:
        warnings.append(f"{path}: the compressed data ends early; the part before is used")
    warnings += [f"{path}: {fault}" for fault in faults]
    if not cells:
        raise DatasetError(f"{path}: no usable row; measure again or restore the file")
    if len(cells) < entry["rows"]:
        warnings.append(f"{path}: {len(cells)} of {entry['rows']} rows are usable")
    dataset = build_dataset(
        operation,
        data_type,
        device_from(description["device"]),
        provenance_from(entry["provenance"]),
        cells,
        digest=hashlib.sha256(content).hexdigest(),
    )
    return dataset, warnings


def save(folder: Path, dataset: Dataset) -> Dataset:
    """Write a dataset into the folder of its device; other measurements there are kept.

    Files are replaced atomically, measurements first and their description last.

    Returns:
        The dataset as `load` will give it back (times rounded to five digits).

    Raises:
        DatasetError: where the folder belongs to another device or can't be written.
    """
    operation = get_operation(dataset.operation)
    cells = cells_of(dataset)
    content = format_rows(operation, cells).encode("ascii")
    compressed = gzip.compress(content, compresslevel=9, mtime=0)
    name = file_name(dataset.operation, dataset.data_type)
    entry = {
        "operation": dataset.operation,
        "data_type": dataset.data_type,
        "file": name,
        "sha256": hashlib.sha256(compressed).hexdigest(),
        "rows": len(cells),
        "provenance": vars(dataset.provenance),
    }
    description = _updated(folder, dataset.device, entry)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        replace_file(folder / name, compressed)
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written: {error.strerror}") from error
    write_description(folder, description)
    rounded: Cells = parse_rows(content, operation)[0]
    digest = hashlib.sha256(content).hexdigest()
    return build_dataset(
        operation, dataset.data_type, dataset.device, dataset.provenance, rounded, digest
    )


def read_description(folder: Path) -> dict[str, Any]:
    """Read and check ``device.json``.

    Raises:
        DatasetError: where it is missing, damaged or of another version.
    """
    return read_json(folder / DESCRIPTION, DEVICE_SCHEMA)


def write_description(folder: Path, description: dict[str, Any]) -> None:
    """Replace ``device.json``.

    Raises:
        DatasetError: where it can't be written.
    """
    text = json.dumps(description, indent=2, ensure_ascii=True) + "\n"
    try:
        replace_file(folder / DESCRIPTION, text.encode("ascii"))
    except OSError as error:
        raise DatasetError(f"{folder}: cannot be written: {error.strerror}") from error


def contents(folder: Path) -> list[tuple[str, str]]:
    """(operation, data type) of all measurements in the folder of a device."""
    entries = read_description(folder)["measurements"]
    return [(entry["operation"], entry["data_type"]) for entry in entries]


def file_name(operation: str, data_type: str) -> str:
    """Name of a measurement file."""
    return f"{operation}-{data_type}.csv.gz"


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that readers see the old content or the new, never a part."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(0o644)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _entry(
    description: dict[str, Any], folder: Path, operation: str, data_type: str
) -> dict[str, Any]:
    entries: list[dict[str, Any]] = description["measurements"]
    for entry in entries:
        if (entry["operation"], entry["data_type"]) == (operation, data_type):
            if entry["file"] != file_name(operation, data_type):
                raise DatasetError(f"{folder / DESCRIPTION}: unexpected file {entry['file']!r}")
            return entry
    found = ", ".join(f"{e['operation']} {e['data_type']}" for e in entries) or "nothing"
    raise DatasetError(f"{folder}: holds no measurements of {operation} {data_type}, but {found}")


def _updated(folder: Path, device: DeviceInfo, entry: dict[str, Any]) -> dict[str, Any]:
    """The description with ``entry`` added or replaced, in a fixed order."""
    others: list[dict[str, Any]] = []
    if (folder / DESCRIPTION).exists():
        previous = read_description(folder)
        key = previous["device"]["key"]
        if key != device.key:
            raise DatasetError(f"{folder}: belongs to device {key!r}, not to {device.key!r}")
        others = previous["measurements"]
    name = (entry["operation"], entry["data_type"])
    entries = [e for e in others if (e["operation"], e["data_type"]) != name] + [entry]
    return {
        "schema": SCHEMA,
        "device": description_of(device),
        "measurements": sorted(entries, key=lambda e: (e["operation"], e["data_type"])),
    }
