# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam plan`` and ``hornbeam tune``: measuring on the device at hand."""

from __future__ import annotations

import logging
import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click

from hornbeam import paths, store
from hornbeam.bench import Deadline, slowness
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
from hornbeam.operations import DEFAULT_DATA_TYPES, Operation
from hornbeam.pipeline.campaign import (
    Campaign,
    able_types,
    affordable_types,
    comparable,
    extending,
    new_campaign,
    standing_in,
    stored_problems,
)
from hornbeam.pipeline.measuring import Done, Order, carry_out
from hornbeam.pipeline.options import DEFAULT_BUDGET_S, check_budget, parse_list
from hornbeam.pipeline.spreading import spread
from hornbeam.plan import Plan
from hornbeam.plan_words import plan_lines
from hornbeam.problems import read_workload
from hornbeam.space import kernel_of, measurable
from hornbeam.types import DeviceInfo, Problem

logger = logging.getLogger(__name__)

types_option = click.option(
    "--data-types",
    "types",
    default=",".join(DEFAULT_DATA_TYPES),
    show_default=True,
    help="Element types, in this order.",
)


def _checked_budget(_context: click.Context, _parameter: click.Parameter, value: float) -> float:
    check_budget(value)
    return value


budget_option = click.option(
    "--tune-budget",
    "budget_s",
    type=click.FLOAT,
    callback=_checked_budget,
    default=DEFAULT_BUDGET_S,
    show_default=True,
    help="Seconds that it may take, shared by the types.",
)
only_option = click.option(
    "--only-problems", is_flag=True, help="Measure the sizes of --problems and no others."
)
configurations_option = click.option(
    "--configurations",
    "patterns",
    metavar="PATTERN",
    multiple=True,
    help="Measure configurations whose ids match a pattern like 'register_tile_4x*', and no "
    "others; can be given several times.",
)


@dataclass(frozen=True)
class Request:
    """What is to be measured, as the command line says it.

    Attributes:
        operation: see `Operation`.
        device: to measure on.
        data_types: asked for.
        budget_s: for everything.
        own: the user's problems -> their weights.
        only: whether to measure nothing else.
        patterns: of ids of configurations, to measure no others; empty for all.
        journals: folder of journals.
        path: folders of datasets, the one to write to first.
    """

    operation: Operation
    device: DeviceInfo
    data_types: tuple[str, ...]
    budget_s: float
    own: Mapping[Problem, float]
    only: bool
    patterns: tuple[str, ...]
    journals: Path
    path: tuple[Path, ...]

    def campaigns(self) -> list[Campaign]:
        """Return one campaign for each data type that the budget suffices for."""
        types = affordable_types(self.data_types, self.budget_s)
        return standing_in([self._campaign(name) for name in types], self.data_types, self.path)

    def _campaign(self, data_type: str) -> Campaign:
        others = () if self.only else stored_problems(self.operation)
        one = new_campaign(
            self.operation, self.device, data_type, others, tuple(self.own), self.journals
        )
        one = replace(one, patterns=self.patterns)
        if not (self.only or self.patterns):
            return extending(one, self.path[0])
        # A part is of use beside what is stored, also where that comes with hornbeam.
        stored = store.exact(self.operation, data_type, self.device.key, self.path)
        if stored is None:
            return one
        if comparable(self.operation, self.device, stored.dataset):
            return replace(one, extends=stored.dataset)
        if self.only or stored.folder.parent == self.path[0]:
            option = "--only-problems" if self.only else "--configurations"
            raise ConfigurationError(
                f"{stored.folder} holds {data_type} measurements of another compiler, driver or "
                "kernels, beside which times of a part would mean nothing; leave out "
                f"{option} to measure everything"
            )
        logger.warning(
            f"{stored.folder} holds {data_type} measurements of another compiler, driver or "
            f"kernels, which these do not join: with {self.path[0]} a build chooses among "
            "these configurations alone"
        )
        return one


def _request(
    operation: str,
    types: str,
    problems: Path | None,
    only_problems: bool,
    patterns: tuple[str, ...],
    budget_s: float,
    dataset_dir: Path | None,
    journal_dir: Path | None,
) -> Request:
    if only_problems and problems is None:
        raise ConfigurationError("--only-problems needs --problems")
    data_types = parse_list(types)
    known = operation_of(operation, *data_types)
    device = tunable_device()
    measurable(known, device.limits, patterns)
    return Request(
        operation=known,
        device=device,
        data_types=able_types(device, data_types),
        budget_s=budget_s,
        own=read_workload(problems, known) if problems else {},
        only=only_problems,
        patterns=patterns,
        journals=journal_dir or paths.cache_dir() / "journal",
        path=tuple(store.search_path(dataset_dir)),
    )


@click.command()
@operation_option
@types_option
@problems_option
@only_option
@configurations_option
@budget_option
@dataset_dir_option
@format_option
def plan(
    operation: str,
    types: str,
    problems: Path | None,
    only_problems: bool,
    patterns: tuple[str, ...],
    budget_s: float,
    dataset_dir: Path | None,
    format_: str,
) -> None:
    """Say what 'hornbeam tune' would measure here, and for how long."""
    request = _request(
        operation, types, problems, only_problems, patterns, budget_s, dataset_dir, None
    )
    todo = request.campaigns()
    most = LearnOptions().most_kernels
    now = slowness()
    plans = [campaign.plan(budget_s / len(todo), most, now) for campaign in todo]
    stored = [_dataset_document(campaign, request.path) for campaign in todo]
    if format_ == "json":
        documents = [
            {**_plan_document(one), "dataset": found}
            for one, found in zip(plans, stored, strict=True)
        ]
        emit_json({"device": request.device.key, "plans": documents})
        return
    click.echo(f"device {request.device.key} ({request.device.name})")
    for one, found in zip(plans, stored, strict=True):
        emit_lines([*plan_lines(one), _dataset_line(found)])


def _plan_document(one: Plan) -> dict[str, object]:
    return {
        "operation": one.operation.name,
        "data_type": one.data_type,
        "problems": [list(problem) for problem in one.problems],
        "configurations": [configuration.id for configuration in one.configurations],
        "rounds": one.rounds,
        "most_rounds": one.most_rounds,
        "slowness": round(one.slowness, 2),
        "variants": one.variants,
        "reduced": one.reduced,
        "rejected": dict(one.rejected),
        "estimate_s": asdict(one.estimate),
        "budget_s": one.budget_s,
    }


def _dataset_document(one: Campaign, path: Sequence[Path]) -> dict[str, object] | None:
    """The dataset that serves the device until then, and what becomes of it."""
    found = store.find(one.operation, one.data_type, one.device, path)
    if found is None:
        return None
    kept = found.dataset
    return {
        "key": found.key,
        "folder": str(found.folder),
        "match": found.match.value,
        "why": store.why(found, one.device),
        "problems": len(kept.problems),
        "configurations": len(kept.configurations),
        "date": kept.provenance.date,
        "comparable": comparable(one.operation, one.device, kept),
        "extended": one.extends is not None and one.extends.digest == kept.digest,
    }


def _dataset_line(found: dict[str, object] | None) -> str:
    if found is None:
        return "  nothing of it is stored"
    if found["extended"]:
        fate = "what is measured is added to it"
    elif found["comparable"]:
        fate = "its times compare, and it stays as it is"
    else:
        fate = "its times are of another device, compiler, driver or kernels and are not mixed in"
    return (
        f"  stored: {found['folder']} ({found['why']}), {found['problems']} problems x "
        f"{found['configurations']} configurations, {found['date']}; {fate}"
    )


@click.command()
@operation_option
@types_option
@problems_option
@only_option
@configurations_option
@budget_option
@dataset_dir_option
@click.option(
    "--replace",
    "replace_better",
    is_flag=True,
    help="Replace stored measurements of another compiler, driver or kernels though they are more.",
)
@click.option(
    "--journal-dir",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the journals, which hold every measurement as it is made [default: a folder "
    "of the user's cache].",
)
@click.option(
    "--scheduler",
    metavar="ADDRESS",
    help="Spread measuring over the workers of a Dask cluster, e.g. tcp://host:8786, each beside "
    "a device like the one here.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Spread measuring over so many like devices of this machine.",
)
def tune(
    operation: str,
    types: str,
    problems: Path | None,
    only_problems: bool,
    patterns: tuple[str, ...],
    budget_s: float,
    dataset_dir: Path | None,
    replace_better: bool,
    journal_dir: Path | None,
    scheduler: str | None,
    workers: int | None,
) -> None:
    """Measure on this machine's device and store the result as its dataset.

    The run can be stopped at any time and goes on where it was when started again.
    """
    deadline = Deadline.after(budget_s)
    request = _request(
        operation, types, problems, only_problems, patterns, budget_s, dataset_dir, journal_dir
    )
    # What is selected is verified: of kernels that are measured alone, they themselves.
    wanted = measurable(request.operation, request.device.limits, patterns)
    stable = any(kernel_of(request.operation, one).bit_stable for one in wanted)
    learning = LearnOptions(emphasised=request.own, bit_stable=stable)
    order = Order(learning, request.path[0], deadline, replace_better)
    try:
        with spread(order, scheduler, workers) as spread_out:
            done = carry_out(request.campaigns(), spread_out)
    except KeyboardInterrupt:
        command = shlex.join(["hornbeam", *sys.argv[1:]])
        click.echo(f"interrupted; nothing is lost, go on with: {command}", err=True)
        raise click.exceptions.Exit(ExitCode.INTERRUPTED) from None
    _report(done, request.path[0])


def _report(done: Done, folder: Path) -> None:
    for warning in done.warnings:
        logger.warning(warning)
    for dataset in done.datasets:
        click.echo(
            f"{folder / dataset.device.key}: {dataset.operation} {dataset.data_type}, "
            f"{len(dataset.problems)} problems x {len(dataset.configurations)} configurations"
        )
    if not done.datasets:
        raise BenchmarkError("nothing was stored; the reason is above")
