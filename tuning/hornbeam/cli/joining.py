# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam dataset merge`` and ``compare``: measurements that were made apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from hornbeam import store
from hornbeam.cli.common import (
    dataset_dir_option,
    emit_json,
    emit_lines,
    emit_table,
    emit_warnings,
    format_option,
    operation_of,
    operation_option,
    type_option,
)
from hornbeam.cli.learning import learning_options
from hornbeam.comparison import Comparison, CrossScore
from hornbeam.comparison import compare as compare_datasets
from hornbeam.dataset import file_name, save
from hornbeam.errors import DatasetError
from hornbeam.evaluate import LearnOptions
from hornbeam.joining import Measured, check_joinable, join, read_all
from hornbeam.keeping import REPLACED, copy_aside
from hornbeam.types import Dataset

measured_path = click.Path(path_type=Path, exists=True)


def _read(places: tuple[Path, ...], dataset_dir: Path | None) -> list[Measured]:
    folders = store.device_folders(store.search_path(dataset_dir))[0]
    found = read_all(places, [place for key in sorted(folders) for place in folders[key]])
    for measured in found:
        emit_warnings(measured.warnings)
    return found


@click.command()
@click.argument("places", metavar="PLACES...", nargs=-1, required=True, type=measured_path)
@dataset_dir_option
@click.option(
    "--output",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of datasets that the result is written to, under the device's key.",
)
def merge(places: tuple[Path, ...], dataset_dir: Path | None, output: Path) -> None:
    """Unite measurements of one device; where they overlap the last count.

    PLACES are folders of the device or journals of tuning runs. Measurements of another device,
    compiler, driver or of other kernels are refused: their times do not compare.
    """
    found: dict[tuple[str, str], list[Dataset]] = {}
    for measured in _read(places, dataset_dir):
        for kind, one in measured.datasets.items():
            found.setdefault(kind, []).append(one)
    united = {kind: join(parts) for kind, parts in sorted(found.items())}
    for (operation, data_type), one in united.items():
        place = output / one.device.key
        if (place / file_name(operation, data_type)).exists():
            aside = copy_aside(place, operation, data_type, REPLACED)
            click.echo(f"what was there is kept as {aside}", err=True)
        saved = save(place, one)
        click.echo(
            f"{place}: {operation} {data_type}, {len(saved.problems)} problems x "
            f"{len(saved.configurations)} configurations"
        )


@click.command()
@click.argument("first", type=measured_path)
@click.argument("second", type=measured_path)
@operation_option
@type_option()
@learning_options
@dataset_dir_option
@format_option
def compare(
    first: Path,
    second: Path,
    operation: str,
    data_type: str,
    dataset_dir: Path | None,
    format_: str,
    **learning: Any,  # noqa: ANN401 - the fields of LearnOptions
) -> None:
    """Say how two measurements of one device differ, and what each would select is worth.

    FIRST and SECOND are folders of the device or journals of tuning runs, made with the same
    compiler, driver and kernels. What is learned from each is scored on the other's times.
    """
    known = operation_of(operation, data_type)
    datasets = []
    for measured in _read((first, second), dataset_dir):
        if (operation, data_type) not in measured.datasets:
            raise DatasetError(f"{measured.path} has no {operation} measurements of {data_type}")
        datasets.append(measured.datasets[operation, data_type])
    before, after = datasets
    check_joinable(before, after)
    found = compare_datasets(before, after, known, LearnOptions(**learning))
    if format_ == "json":
        emit_json(_document(found))
        return
    emit_table(
        [" ".join(known.problem_fields), "cells", "second/first", "first's best in second"],
        [
            [" ".join(map(str, p.problem)), str(p.cells), f"{p.ratio:.3f}", f"{p.reached:.1%}"]
            for p in found.problems
        ],
    )
    emit_lines(_lines(found))


def _document(found: Comparison) -> dict[str, Any]:
    names = ("first_on_second", "second_on_first")
    scores = {
        name: None if score is None else {**asdict(score), "loss": score.loss}
        for name, score in zip(names, found.scores, strict=True)
    }
    return {**asdict(found), "scores": scores}


def _lines(found: Comparison) -> Iterator[str]:
    yield (
        f"times: second / first is {found.ratio:.3f} by geometric mean over "
        f"{len(found.problems)} problems; configurations differ from that by {found.scatter:.1%} "
        "(median)"
    )
    for names, score in zip((("first", "second"), ("second", "first")), found.scores, strict=True):
        yield _score_line(*names, score)


def _score_line(learned: str, scored: str, score: CrossScore | None) -> str:
    if score is None:
        return f"selection of the {learned}: none of its kernels was measured in the {scored}"
    return (
        f"selection of the {learned} on the {scored}'s times: {score.reached:.1%} of the best, its "
        f"own {score.own:.1%}: {score.loss:.1%} lost ({score.problems} problems)"
    )
