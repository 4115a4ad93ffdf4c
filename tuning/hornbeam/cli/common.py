# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Options and output that commands share."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

import click

from hornbeam.errors import choose
from hornbeam.operations import DEFAULT_DATA_TYPES, DEFAULT_OPERATION, Operation, get_operation

Command = TypeVar("Command", bound=Callable[..., Any])

FORMATS = ["text", "json"]


def one_of(
    what: str, valid: Callable[[], list[str]]
) -> Callable[[click.Context, click.Parameter, str], str]:
    """Return an option's callback that checks a name; an unknown one lists the valid ones.

    Args:
        what: the name stands for.
        valid: gives the names, called when one has to be checked.
    """

    def check(_context: click.Context, _parameter: click.Parameter, value: str) -> str:
        return choose(what, value, valid())

    return check


format_option = click.option(
    "--format",
    "format_",
    callback=one_of("format", lambda: FORMATS),
    default="text",
    show_default=True,
    help="text or json.",
)

operation_option = click.option(
    "--operation", default=DEFAULT_OPERATION, show_default=True, help="What is tuned."
)

dataset_dir_option = click.option(
    "--dataset-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of datasets, searched first and written to [default: HORNBEAM_DATASET_DIR, else "
    "a folder of the user's cache].",
)

problems_option = click.option(
    "--problems",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV file of your own sizes.",
)


def type_option(help_text: str = "Element type.") -> Callable[[Command], Command]:
    """Return the option for one data type."""
    default = DEFAULT_DATA_TYPES[0]
    return click.option("--type", "data_type", default=default, show_default=True, help=help_text)


def operation_of(name: str, *data_types: str) -> Operation:
    """Return an operation, its data types checked."""
    operation = get_operation(name)
    for data_type in data_types:
        choose("data type", data_type, list(operation.data_types))
    return operation


def emit_json(document: object) -> None:
    """Write a JSON document to standard output."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def emit_lines(lines: Iterable[str]) -> None:
    """Write lines to standard output."""
    for line in lines:
        click.echo(line)


def emit_warnings(warnings: Iterable[str]) -> None:
    """Write warnings to standard error."""
    for warning in warnings:
        click.echo(f"warning: {warning}", err=True)


def emit_table(header: list[str], rows: list[list[str]]) -> None:
    """Write a table with aligned columns to standard output."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, *rows]:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())
