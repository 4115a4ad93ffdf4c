# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam study``: every selector and classifier compared on a stored dataset."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hornbeam import store
from hornbeam.cli.common import (
    dataset_dir_option,
    emit_lines,
    emit_table,
    emit_warnings,
    operation_of,
    operation_option,
    type_option,
)
from hornbeam.errors import DatasetError
from hornbeam.published import read_published
from hornbeam.study.plan import Plan

if TYPE_CHECKING:
    from hornbeam.study.study import Study

_SHOWN = ("classifiers", "optimum", "worst")


@click.command()
@operation_option
@click.option("--target", help="Key of a stored dataset.")
@click.option(
    "--published",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="CSV file of measurements in the layout of the published ones, instead of --target.",
)
@type_option()
@dataset_dir_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder for the page and the tables.",
)
@click.option(
    "--bit-stable/--no-bit-stable",
    default=True,
    show_default=True,
    help="Choose only among kernels that give the same bits as each other.",
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=Plan.repeats,
    show_default=True,
    help="Random splits; two at least give intervals.",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=min(os.cpu_count() or 1, Plan.repeats),
    help="Processes [default: one for each core].",
)
def study(
    operation: str,
    target: str | None,
    published: Path | None,
    data_type: str,
    dataset_dir: Path | None,
    out: Path,
    bit_stable: bool,
    repeats: int,
    jobs: int,
) -> None:
    """Compare selectors, numbers of kernels and classifiers on a stored dataset.

    Prints a summary; writes a page with plots and the tables as CSV and JSON.
    """
    # They load scikit-learn, which the help has no need of.
    from hornbeam.study import report
    from hornbeam.study.study import study as study_dataset

    known = operation_of(operation, data_type)
    if (target is None) == (published is None):
        raise click.UsageError("either --target or --published is needed")
    if published is not None:
        dataset, warnings = read_published(published, known, data_type)
    else:
        found = store.find(known, data_type, str(target), store.search_path(dataset_dir))
        if found is None:
            raise DatasetError(f"the dataset of {target} holds no {operation} {data_type} times")
        dataset, warnings = found.dataset, list(found.warnings)
    emit_warnings(warnings)
    report.plotly_script()  # missing, it would be missed only after minutes
    done = study_dataset(dataset, known, Plan(repeats=repeats), jobs, bit_stable)
    page = report.write(done, out)
    _show(done)
    emit_lines(["", f"page  {page}"])


def _show(done: Study) -> None:
    from hornbeam.study.tables import summary_of, tables_of

    summary = summary_of(done)
    width = max(map(len, summary))
    emit_lines(f"{name:<{width}}  {value}" for name, value in summary.items())
    for table in map(tables_of(done).__getitem__, _SHOWN):
        if table.rows:
            emit_lines(["", table.title])
            emit_table([*table.columns], [[_cell(value) for value in row] for row in table.rows])


def _cell(value: object) -> str:
    return "" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
