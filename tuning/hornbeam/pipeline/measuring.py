# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a build measures, what, and what becomes of it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam import store
from hornbeam.bench import Deadline
from hornbeam.compaction import merge
from hornbeam.errors import ConfigurationError
from hornbeam.evaluate import LearnOptions
from hornbeam.operations import Operation
from hornbeam.pipeline.campaign import (
    Campaign,
    affordable_types,
    bench_of,
    measure,
    measuring_time_s,
    source_of,
    store_dataset,
    stored_problems,
    verifying_time_s,
)
from hornbeam.pipeline.machine import Machine
from hornbeam.pipeline.options import BuildOptions, Tune
from hornbeam.pipeline.sources import TargetSources
from hornbeam.pipeline.trust import trusted
from hornbeam.store import Found
from hornbeam.types import Dataset, DeviceInfo, Match, Problem

JOURNAL_FOLDER = "journal"


@dataclass(frozen=True)
class Task:
    """One campaign of a build.

    Attributes:
        campaign: what to measure.
        extends: dataset that the result is added to; None where it stands alone.
    """

    campaign: Campaign
    extends: Dataset | None = None


@dataclass(frozen=True)
class Done:
    """What came of measuring: datasets that were stored, and warnings for the user."""

    datasets: tuple[Dataset, ...]
    warnings: tuple[str, ...]


def missing(own: Sequence[Problem], found: Found | None) -> tuple[Problem, ...]:
    """Return the user's problems that a dataset lacks."""
    known = set() if found is None else set(found.dataset.problems)
    return tuple(problem for problem in own if problem not in known)


def tasks(
    options: BuildOptions,
    operation: Operation,
    targets: Sequence[TargetSources],
    own: Sequence[Problem],
    machine: Machine,
) -> list[Task]:
    """Decide what a build measures.

    Raises:
        ConfigurationError: with ``REUSE``, where a target has no dataset of its own or of its
            family.
        DeviceError: with ``FORCE``, where no target is the device at hand.
    """
    if options.tune is Tune.OFF:
        return []
    if options.tune is Tune.REUSE:
        for target in targets:
            _require_dataset(target, options)
        return []
    found: list[Task] = []
    for target in targets:
        if machine.tunable is not None and target.device == machine.tunable:
            found += _for_target(options, operation, target, own, machine.tunable)
    if options.tune is Tune.FORCE and not found:
        machine.require(targets[0].key)
    return found


def _require_dataset(target: TargetSources, options: BuildOptions) -> None:
    if target.match in (Match.EXACT, Match.FAMILY):
        return
    path = store.search_path(options.dataset_dir)
    what = f"no {options.operation} dataset of {target.key} or its family"
    if target.assumed:
        what = "no device here whose dataset could be looked for"
    raise ConfigurationError(
        f"HORNBEAM_TUNE=REUSE, but there is {what}; stored: "
        f"{', '.join(store.keys(path)) or 'none'}; name one of them as HORNBEAM_TARGET_DEVICE, or "
        "let HORNBEAM_TUNE=AUTO measure"
    )


def _for_target(
    options: BuildOptions,
    operation: Operation,
    target: TargetSources,
    own: Sequence[Problem],
    device: DeviceInfo,
) -> list[Task]:
    journals = options.output_dir / JOURNAL_FOLDER
    able = [name for name in options.data_types if name in device.data_types]
    whole = [
        Task(campaign(operation, device, name, stored_problems(operation), own, journals))
        for name in affordable_types(able, options.budget_s)
    ]
    if options.tune is Tune.FORCE or target.match in (None, Match.DEFAULT):
        return whole
    extensions: list[Task] = []
    for served in target.served:
        lacking = missing(own, served.found)
        if not lacking or served.found is None or served.stands_in:
            continue
        if not comparable(operation, device, served.found):
            return whole
        added = campaign(operation, device, served.data_type, (), lacking, journals)
        extensions.append(Task(added, served.found.dataset))
    return extensions


def campaign(
    operation: Operation,
    device: DeviceInfo,
    data_type: str,
    problems: Sequence[Problem],
    required: Sequence[Problem],
    journals: Path,
) -> Campaign:
    """Return a campaign whose journal has its place in a folder of journals."""
    return Campaign(
        operation=operation,
        data_type=data_type,
        device=device,
        problems=tuple(problems),
        required=tuple(required),
        journal=journals / f"{device.key}-{operation.name}-{data_type}.jsonl",
    )


def comparable(operation: Operation, device: DeviceInfo, found: Found) -> bool:
    """Return whether times measured now may stand beside those of a dataset."""
    source, stored = source_of(operation, device), found.dataset.provenance
    return found.match is Match.EXACT and (
        (source.compiler, source.driver, source.kernel_digest)
        == (stored.compiler, stored.driver, stored.kernel_digest)
    )


def carry_out(todo: Sequence[Task], budget_s: float, learning: LearnOptions, folder: Path) -> Done:
    """Measure, verify what will be shipped, and store the results.

    Building the tools counts towards the budget, up to half of it.

    Args:
        todo: at least one task.
        budget_s: seconds for all tasks.
        learning: how kernels will be selected.
        folder: of datasets, written to.

    Raises:
        BenchmarkError: the tools can't be built or started.
        DeviceError: the benchmark driver finds no device.
    """
    start_s = time.monotonic()
    bench_of(todo[0].campaign)  # builds the tools, which takes long once
    tools_s = time.monotonic() - start_s
    end_s = time.monotonic() + measuring_time_s(budget_s, tools_s)
    stored: list[Dataset] = []
    warnings: list[str] = []
    for position, task in enumerate(todo):
        left_s = max(0.0, end_s - time.monotonic()) / (len(todo) - position)
        dataset, remarks = _measure_one(task, learning, Deadline.after(left_s))
        warnings += remarks
        if dataset is not None:
            stored.append(store_dataset(folder, dataset))
    return Done(tuple(stored), tuple(warnings))


def _measure_one(
    task: Task, learning: LearnOptions, deadline: Deadline
) -> tuple[Dataset | None, list[str]]:
    bench = bench_of(task.campaign)
    left_s = deadline.remaining_s()
    until = Deadline.after(left_s - verifying_time_s(left_s))
    dataset = measure(task.campaign, bench, until)
    if dataset is None:
        name = task.campaign.data_type
        return None, [f"time ran out before anything of {name} was measured; give it more"]
    operation = task.campaign.operation
    if task.extends is not None:
        dataset = merge(operation, [task.extends, dataset])
    return trusted(dataset, operation, learning, bench, deadline)
