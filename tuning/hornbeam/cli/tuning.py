# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam plan`` and ``hornbeam tune``: measuring on the device at hand."""

from __future__ import annotations

import logging
import shlex
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from hornbeam import paths, store
from hornbeam.cli.common import (
    dataset_dir_option,
    emit_json,
    emit_lines,
    format_option,
    operation_of,
    operation_option,
    problems_option,
)
from hornbeam.device import tunable_device
from hornbeam.errors import BenchmarkError, ConfigurationError, ExitCode
from hornbeam.evaluate import LearnOptions
from hornbeam.operations import Operation
from hornbeam.pipeline.campaign import affordable_types, stored_problems
from hornbeam.pipeline.measuring import Done, Task, campaign, carry_out, comparable
from hornbeam.pipeline.options import DEFAULT_BUDGET_S, parse_list
from hornbeam.plan import Plan
from hornbeam.problems import read_problems
from hornbeam.types import Dataset, DeviceInfo, Problem

logger = logging.getLogger(__name__)

types_option = click.option(
    "--data-types",
    "types",
    default="float,double",
    show_default=True,
    help="Element types, in this order.",
)
budget_option = click.option(
    "--tune-budget",
    "budget_s",
    type=click.FloatRange(min=1),
    default=DEFAULT_BUDGET_S,
    show_default=True,
    help="Seconds that it may take, shared by the types.",
)
only_option = click.option(
    "--only-problems", is_flag=True, help="Measure the sizes of --problems and no others."
)


@dataclass(frozen=True)
class Request:
    """What is to be measured, as the command line says it.

    Attributes:
        operation: see `Operation`.
        device: to measure on.
        data_types: those that the budget suffices for.
        own: the user's problems.
        only: whether to measure nothing else.
        journals: folder of journals.
        path: folders of datasets.
    """

    operation: Operation
    device: DeviceInfo
    data_types: tuple[str, ...]
    own: tuple[Problem, ...]
    only: bool
    journals: Path
    path: tuple[Path, ...]

    def tasks(self) -> list[Task]:
        """Return one task for each data type."""
        others = () if self.only else stored_problems(self.operation)
        return [
            Task(
                campaign(self.operation, self.device, name, others, self.own, self.journals),
                self._extended(name),
            )
            for name in self.data_types
        ]

    def _extended(self, data_type: str) -> Dataset | None:
        """Return the dataset that own problems are added to, where times compare."""
        if not self.only or self.device.key not in store.keys(self.path):
            return None
        found = store.find(self.operation, data_type, self.device.key, self.path)
        if found is None or not comparable(self.operation, self.device, found):
            return None
        return found.dataset


def _request(
    operation: str,
    types: str,
    problems: Path | None,
    only_problems: bool,
    budget_s: float,
    dataset_dir: Path | None,
    journal_dir: Path | None,
) -> Request:
    if only_problems and problems is None:
        raise ConfigurationError("--only-problems needs --problems")
    data_types = parse_list(types)
    known = operation_of(operation, *data_types)
    device = tunable_device()
    able = [name for name in data_types if name in device.data_types]
    if not able:
        raise ConfigurationError(
            f"{device.name} does not compute with {', '.join(data_types) or 'nothing'}; "
            f"it does with {', '.join(device.data_types)}"
        )
    return Request(
        operation=known,
        device=device,
        data_types=affordable_types(able, budget_s),
        own=tuple(read_problems(problems, known)) if problems else (),
        only=only_problems,
        journals=journal_dir or paths.cache_dir() / "journal",
        path=tuple(store.search_path(dataset_dir)),
    )


@click.command()
@operation_option
@types_option
@problems_option
@only_option
@budget_option
@dataset_dir_option
@format_option
def plan(
    operation: str,
    types: str,
    problems: Path | None,
    only_problems: bool,
    budget_s: float,
    dataset_dir: Path | None,
    format_: str,
) -> None:
    """Say what 'hornbeam tune' would measure here, and for how long."""
    request = _request(operation, types, problems, only_problems, budget_s, dataset_dir, None)
    todo = request.tasks()
    plans = [task.campaign.plan(budget_s / len(todo)) for task in todo]
    if format_ == "json":
        device = request.device.key
        emit_json({"device": device, "plans": [_plan_document(one) for one in plans]})
        return
    click.echo(f"device {request.device.key} ({request.device.name})")
    for one in plans:
        emit_lines(_plan_lines(one))


def _plan_document(one: Plan) -> dict[str, object]:
    return {
        "operation": one.operation.name,
        "data_type": one.data_type,
        "problems": [list(problem) for problem in one.problems],
        "configurations": [configuration.id for configuration in one.configurations],
        "rounds": one.rounds,
        "variants": one.variants,
        "reduced": one.reduced,
        "rejected": dict(one.rejected),
        "estimate_s": asdict(one.estimate),
        "budget_s": one.budget_s,
    }


def _plan_lines(one: Plan) -> list[str]:
    estimate = one.estimate
    lines = [
        f"{one.operation.name} {one.data_type}: {len(one.problems)} of {one.problems_given} "
        f"problems x {len(one.configurations)} of {one.configurations_valid} configurations "
        f"({one.variants} kernel variants), {one.rounds} rounds",
        f"  about {estimate.total_s:.0f} s of {one.budget_s:.0f} s: compiling "
        f"{estimate.compile_s:.0f} s, verifying {estimate.verify_s:.0f} s, measuring "
        f"{estimate.measure_s:.0f} s",
    ]
    if one.reduced:
        lines.append("  the budget is too short for everything; what tells the most comes first")
    lines += [
        f"  {count} configurations are impossible here: {name}"
        for name, count in one.rejected.items()
        if count
    ]
    return lines


@click.command()
@operation_option
@types_option
@problems_option
@only_option
@budget_option
@dataset_dir_option
@click.option(
    "--journal-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the journals, which hold every measurement as it is made [default: a folder "
    "of the user's cache].",
)
def tune(
    operation: str,
    types: str,
    problems: Path | None,
    only_problems: bool,
    budget_s: float,
    dataset_dir: Path | None,
    journal_dir: Path | None,
) -> None:
    """Measure on this machine's device and store the result as its dataset.

    The run can be stopped at any time and goes on where it was when started again.
    """
    request = _request(
        operation, types, problems, only_problems, budget_s, dataset_dir, journal_dir
    )
    try:
        done = carry_out(
            request.tasks(), budget_s, LearnOptions(), store.own_dataset_dir(dataset_dir)
        )
    except KeyboardInterrupt:
        command = shlex.join(["hornbeam", *sys.argv[1:]])
        click.echo(f"interrupted; nothing is lost, go on with: {command}", err=True)
        raise click.exceptions.Exit(ExitCode.INTERRUPTED) from None
    _report(done, store.own_dataset_dir(dataset_dir))


def _report(done: Done, folder: Path) -> None:
    for warning in done.warnings:
        logger.warning(warning)
    for dataset in done.datasets:
        click.echo(
            f"{folder / dataset.device.key}: {dataset.operation} {dataset.data_type}, "
            f"{len(dataset.problems)} problems x {len(dataset.configurations)} configurations"
        )
    if not done.datasets:
        raise BenchmarkError("nothing was measured; give --tune-budget more")
