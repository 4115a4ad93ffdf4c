# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam dataset``: stored measurements, shown, checked and exported."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import numpy as np

from hornbeam import store
from hornbeam.cells import cells_of
from hornbeam.cli.common import (
    dataset_dir_option,
    emit_json,
    emit_lines,
    emit_table,
    emit_warnings,
    format_option,
    one_of,
    operation_of,
    operation_option,
    type_option,
)
from hornbeam.cli.exchanging import import_command
from hornbeam.cli.joining import compare, merge
from hornbeam.cli.rebasing import rebase
from hornbeam.cli.validation import validate_folder
from hornbeam.dataset import load, read_description
from hornbeam.dataset_rows import format_rows
from hornbeam.errors import ConfigurationError, DatasetError, ExitCode
from hornbeam.interchange import to_t4
from hornbeam.operations import Operation, get_operation
from hornbeam.types import Problem, Status


@click.group()
def dataset() -> None:
    """Work with stored measurements."""


for command in (merge, compare, rebase, import_command):
    dataset.add_command(command)


def _folders(dataset_dir: Path | None) -> dict[str, list[Path]]:
    return store.device_folders(store.search_path(dataset_dir))[0]


@dataset.command()
@click.argument("key", required=False)
@dataset_dir_option
@format_option
def show(key: str | None, dataset_dir: Path | None, format_: str) -> int:
    """List stored datasets, or describe those of one device KEY."""
    known = _folders(dataset_dir)
    if key is not None and key not in known:
        raise ConfigurationError(
            f"unknown device key {key!r}; stored: {', '.join(sorted(known)) or 'none'}"
        )
    described = [
        {"key": name, "folder": str(folder), **_described(folder, key is not None)}
        for name, folders in sorted(known.items())
        if key in (None, name)
        for folder in folders
    ]
    if format_ == "json":
        emit_json({"datasets": described})
    else:
        _show(described)
    return ExitCode.OK if described else ExitCode.NOTHING_FOUND


def _described(folder: Path, closely: bool) -> dict[str, Any]:
    description = read_description(folder)
    measurements = description["measurements"]
    if closely:
        for entry in measurements:
            entry |= _figures(folder, entry["operation"], entry["data_type"])
    return {"device": description["device"], "measurements": measurements}


def _figures(folder: Path, operation: str, data_type: str) -> dict[str, Any]:
    try:
        loaded, warnings = load(folder, get_operation(operation), data_type)
    except DatasetError as error:
        return {"warnings": [str(error)]}
    states = [status for status in loaded.status.ravel() if status is not None]
    return {
        "problems": len(loaded.problems),
        "configurations": len(loaded.configurations),
        "measured_share": float(np.isfinite(loaded.time_s).mean()),
        "median_spread": _median(loaded.spread),
        "single_launches": int(loaded.single_launch.sum()),
        "failures": {
            status.value: count
            for status in Status
            if status is not Status.OK and (count := states.count(status.value))
        },
        "warnings": warnings,
    }


def _median(values: np.ndarray[Any, np.dtype[np.float64]]) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else None


def _show(described: list[dict[str, Any]]) -> None:
    rows = [
        [
            entry["key"],
            f"{measured['operation']} {measured['data_type']}",
            f"{measured['rows']} rows",
            measured["provenance"]["date"],
            entry["folder"],
        ]
        for entry in described
        for measured in entry["measurements"]
    ]
    if not rows:
        click.echo("no stored datasets", err=True)
        return
    emit_table(["device", "measured", "size", "date", "folder"], rows)
    for entry in described:
        for measured in entry["measurements"]:
            if "problems" in measured:
                emit_lines(_figure_lines(measured))
            emit_lines(f"warning: {warning}" for warning in measured.get("warnings", []))


def _figure_lines(measured: dict[str, Any]) -> list[str]:
    spread = measured["median_spread"]
    failures = ", ".join(f"{count} {name}" for name, count in measured["failures"].items())
    return [
        f"{measured['operation']} {measured['data_type']}: {measured['problems']} problems x "
        f"{measured['configurations']} configurations, {measured['measured_share']:.1%} measured",
        f"  median spread {'unknown' if spread is None else format(spread, '.1%')}, "
        f"{measured['single_launches']} cells timed by a single launch, "
        f"failures: {failures or 'none'}",
        f"  {measured['provenance']['compiler']}, driver {measured['provenance']['driver']}",
    ]


@dataset.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, file_okay=False))
@dataset_dir_option
@format_option
def validate(folders: tuple[Path, ...], dataset_dir: Path | None, format_: str) -> int:
    """Check the FOLDERS of devices, by default all; exits with 1 where something is damaged."""
    places = list(folders)
    damaged: list[str] = []
    if not folders:
        found, damaged = store.device_folders(store.search_path(dataset_dir))
        places = [folder for key in sorted(found) for folder in found[key]]
    verdicts = {str(folder): validate_folder(folder) for folder in places}
    if format_ == "json":
        emit_json({"unreadable": damaged, "folders": {f: vars(v) for f, v in verdicts.items()}})
    else:
        emit_lines(damaged)
        for folder, verdict in verdicts.items():
            click.echo(f"{folder}: {'damaged' if verdict.faults else 'fine'}")
            emit_lines(f"  damaged: {fault}" for fault in verdict.faults)
            emit_lines(f"  remark: {remark}" for remark in verdict.remarks)
    faulty = damaged or any(verdict.faults for verdict in verdicts.values())
    return ExitCode.FAILED if faulty else ExitCode.OK


@dataset.command()
@click.argument("key")
@operation_option
@type_option()
@dataset_dir_option
@click.option(
    "--format",
    "format_",
    callback=one_of("format", lambda: ["csv", "t4"]),
    default="csv",
    show_default=True,
    help="csv, or t4: results of one kernel on one size, as autotuners share them.",
)
@click.option("--kernel", default="", help="Kernel whose results are written as t4.")
@click.option("--size", default="", help="Size as in the CSV, all fields, separated by commas.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write; standard output by default.",
)
def export(
    key: str,
    operation: str,
    data_type: str,
    dataset_dir: Path | None,
    format_: str,
    kernel: str,
    size: str,
    output: Path | None,
) -> None:
    """Write the measurements of a device KEY as plain CSV, or one kernel's on a size as T4."""
    known = operation_of(operation, data_type)
    found = store.find(known, data_type, key, store.search_path(dataset_dir))
    if found is None:
        raise DatasetError(f"{key} has no {operation} measurements of {data_type}")
    emit_warnings(list(found.warnings))
    if format_ == "t4":
        document = to_t4(found.dataset, kernel, _size(size, known))
        text = json.dumps(document, indent=1, allow_nan=False) + "\n"
    else:
        text = format_rows(known, cells_of(found.dataset))
    if output is None:
        click.echo(text, nl=False)
    else:
        try:
            output.write_text(text, encoding="utf-8")
        except OSError as error:
            raise DatasetError(f"{output}: cannot be written: {error.strerror}") from error


def _size(text: str, operation: Operation) -> Problem:
    fields = text.split(",")
    if len(fields) != len(operation.problem_fields) or not all(f.isdecimal() for f in fields):
        raise ConfigurationError(
            f"--size takes {','.join(operation.problem_fields)}, not {text[:60]!r}"
        )
    return tuple(map(int, fields))
