# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How well two independent tunings of one device agree.

python benchmarks/tuner/stability.py FOLDER FOLDER         # two datasets of one device
python benchmarks/tuner/stability.py --tune-budget 300     # makes two tunings first

A selector is learned from each of the two and scored on the times of the other, beside the one
that was learned from these. Scores are geometric means over problems of the share of the best
speed; the loss is what the stranger misses of the native's. Exits with 1 where more than 2 % are
lost, either way round.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from hornbeam.dataset import load
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.evidence import Evidence, prepare
from hornbeam.operations import DEFAULT_DATA_TYPES, DEFAULT_OPERATION, Operation, get_operation
from hornbeam.stats import geometric_mean
from hornbeam.tree import predict
from hornbeam.types import Dataset, Selector

LARGEST_LOSS = 0.02
LEAST_KNOWN = 0.5
"""Share of the problems that both picks must have a time on for a verdict."""


@dataclass(frozen=True)
class Score:
    """A selector on the times of another tuning.

    Attributes:
        stranger: geometric mean share of the best speed that it reaches.
        native: that of the selector learned from these times.
        known: share of the problems on which both picks were measured; the others don't count.
    """

    stranger: float
    native: float
    known: float

    @property
    def loss(self) -> float:
        """Part of the native's speed that the stranger misses, negative where it is faster."""
        return 1.0 - self.stranger / self.native

    @property
    def passes(self) -> bool:
        """Whether the tunings agree as far as these times tell."""
        return self.known >= LEAST_KNOWN and self.loss <= LARGEST_LOSS


def score(stranger: Selector, native: Selector, judge: Dataset, operation: Operation) -> Score:
    """Score a selector on the dataset that another was learned from."""
    evidence = prepare(judge, operation)
    reached = np.stack([_reached(one, evidence) for one in (stranger, native)])
    known = np.isfinite(reached).all(axis=0)
    if not known.any():
        raise click.ClickException("the tunings have no measurement of each other's kernels")
    means = [geometric_mean(shares[known]) for shares in reached]
    return Score(means[0], means[1], float(known.mean()))


def _reached(selector: Selector, evidence: Evidence) -> NDArray[np.float64]:
    """Share of the best speed on each problem, NaN where the pick was not measured."""
    picked = predict(selector.nodes, selector.features, evidence.features)
    column = {configuration.id: i for i, configuration in enumerate(evidence.configurations)}
    return np.array(
        [
            evidence.shares[row, column[id]] if id in column else np.nan
            for row, id in enumerate(selector.kernels[pick].id for pick in picked)
        ]
    )


def compare(
    datasets: tuple[Dataset, Dataset], operation: Operation, options: LearnOptions | None = None
) -> tuple[Score, Score]:
    """Score the selector of each of two tunings on the times of the other."""
    first, second = (learn(dataset, operation, options) for dataset in datasets)
    return (
        score(first, second, datasets[1], operation),
        score(second, first, datasets[0], operation),
    )


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
    scores = compare((first, second), known)
    for name, found in zip(("first on second", "second on first"), scores, strict=True):
        click.echo(
            f"{name}: {found.stranger:.1%} of the best speed, {found.native:.1%} by its own: "
            f"{found.loss:.1%} lost, on {found.known:.0%} of the problems"
        )
    if not all(found.passes for found in scores):
        raise click.ClickException(
            f"the tunings do not agree: at most {LARGEST_LOSS:.0%} may be lost, on at least "
            f"{LEAST_KNOWN:.0%} of the problems"
        )


if __name__ == "__main__":
    main()
