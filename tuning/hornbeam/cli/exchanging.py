# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam dataset import``: measurements in a format that tuners share."""

from __future__ import annotations

from pathlib import Path

import click

from hornbeam.compaction import merge
from hornbeam.dataset import save
from hornbeam.errors import DatasetError
from hornbeam.interchange import from_t4
from hornbeam.operations import get_operation
from hornbeam.types import Dataset


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="New folder of datasets that the result is written to, under the device's key.",
)
def import_command(files: tuple[Path, ...], output: Path) -> None:
    """Unite T4 results, as export writes them, into a dataset; the FILES are of one device."""
    parts: dict[tuple[str, str], list[Dataset]] = {}
    for file in files:
        part = from_t4(file)
        parts.setdefault((part.operation, part.data_type), []).append(part)
    united = [merge(get_operation(name), found) for (name, _), found in sorted(parts.items())]
    for dataset in united:
        if (output / dataset.device.key).exists():
            raise DatasetError(
                f"{output / dataset.device.key} exists; name a new folder and unite them with "
                "hornbeam dataset merge"
            )
    for dataset in united:
        saved = save(output / dataset.device.key, dataset)
        click.echo(
            f"{output / saved.device.key}: {saved.operation} {saved.data_type}, "
            f"{len(saved.problems)} problems x {len(saved.configurations)} configurations"
        )
