# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How well two independent tunings of one device agree.

python benchmarks/tuner/stability.py FOLDER FOLDER         # two datasets of one device
python benchmarks/tuner/stability.py --tune-budget 300     # makes two tunings first

What is selected from each is scored on the times of the other, as ``hornbeam dataset compare``
does it. Exits with 1 where more than 2 % are lost, either way round.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import click

from hornbeam.comparison import CrossScore, compare
from hornbeam.dataset import load
from hornbeam.evaluate import LearnOptions
from hornbeam.joining import check_joinable
from hornbeam.operations import DEFAULT_DATA_TYPES, DEFAULT_OPERATION, get_operation

LARGEST_LOSS = 0.02
LEAST_KNOWN = 0.5
"""Share of the problems that both picks must have a time on for a verdict."""


def agrees(score: CrossScore | None, problems: int) -> bool:
    """Whether tunings agree as far as the times of one tell.

    Args:
        score: of the other's selection on them.
        problems: number of theirs.
    """
    if score is None or score.problems < LEAST_KNOWN * problems:
        return False
    return score.loss <= LARGEST_LOSS


def _tune(folder: Path, budget_s: float, operation: str, data_type: str) -> Path:
    """Tune into a folder, with a journal of its own; returns the folder of the device."""
    command = [sys.executable, "-m", "hornbeam", "tune", "--operation", operation]
    command += ["--data-types", data_type, "--tune-budget", f"{budget_s:g}"]
    command += ["--dataset-dir", str(folder / "datasets"), "--journal-dir", str(folder / "journal")]
    if subprocess.run(command, check=False).returncode:
        raise click.ClickException("tuning failed; the reason is above")
    return next((folder / "datasets").glob("*/device.json")).parent


@click.command()
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--operation", default=DEFAULT_OPERATION, show_default=True)
@click.option("--type", "data_type", default=DEFAULT_DATA_TYPES[0], show_default=True)
@click.option("--tune-budget", "budget_s", type=click.FloatRange(min=1.0), help="Of each tuning.")
def main(folders: tuple[Path, ...], operation: str, data_type: str, budget_s: float | None) -> None:
    """Say how well two tunings of one device agree."""
    if (len(folders) == 2) == (budget_s is not None) or len(folders) not in (0, 2):
        raise click.UsageError("give two FOLDERS of one device, or --tune-budget and none")
    known = get_operation(operation)
    with tempfile.TemporaryDirectory() as made:
        if budget_s is not None:
            places = [Path(made) / name for name in ("first", "second")]
            folders = tuple(_tune(place, budget_s, operation, data_type) for place in places)
        datasets = [load(folder, known, data_type)[0] for folder in folders]
    first, second = datasets
    for name, one in (("first", first), ("second", second)):
        size = f"{len(one.problems)} problems x {len(one.configurations)} configurations"
        click.echo(f"{name}: {one.device.key}, {size}, {one.provenance.date}")
    check_joinable(first, second)
    scores = compare(first, second, known, LearnOptions()).scores
    names = ("first on second", "second on first")
    for name, score, judge in zip(names, scores, (second, first), strict=True):
        if score is None:
            click.echo(f"{name}: none of the selected kernels was timed there")
            continue
        click.echo(
            f"{name}: {score.reached:.1%} of the best speed, {score.own:.1%} by its own: "
            f"{score.loss:.1%} lost, on {score.problems} of {len(judge.problems)} problems"
        )
    if not all(
        agrees(score, len(judge.problems))
        for score, judge in zip(scores, (second, first), strict=True)
    ):
        raise click.ClickException(
            f"the tunings do not agree: at most {LARGEST_LOSS:.0%} may be lost, on at least "
            f"{LEAST_KNOWN:.0%} of the problems"
        )


if __name__ == "__main__":
    main()
