# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measuring on the device at hand, within a time budget, and storing the result."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam import paths
from hornbeam.bench import Deadline, build_tools, kernel_digest, module_cache_dir
from hornbeam.compaction import compact
from hornbeam.dataset import save
from hornbeam.device import environment, wheel_prefix
from hornbeam.drivers import compiler_version
from hornbeam.errors import DatasetError
from hornbeam.journal import open_journal
from hornbeam.journal_rows import Source
from hornbeam.measure import Bench, run
from hornbeam.operations import Operation
from hornbeam.plan import Plan, make_plan
from hornbeam.problems import load_problem_set
from hornbeam.types import Dataset, DeviceInfo, Problem

logger = logging.getLogger(__name__)

STORED_SET = "stored"
"""Problem set that is measured where the user names none."""

LEAST_BUDGET_S = 120.0
"""Seconds below which a further data type is not measured: one good table beats two poor ones."""

_LEAST_SHARE_LEFT_BY_TOOLS = 0.5
_SHARE_FOR_VERIFYING = 0.2
_LEAST_TIME_TO_VERIFY_S = 20.0


@dataclass(frozen=True)
class Campaign:
    """What to measure.

    Attributes:
        operation, data_type: what.
        device: on which device.
        problems: as far as time allows.
        required: problems that are measured in any case (the user's own).
        journal: file that rows are appended to; what it holds is not measured again.
    """

    operation: Operation
    data_type: str
    device: DeviceInfo
    problems: tuple[Problem, ...]
    required: tuple[Problem, ...]
    journal: Path

    def plan(self, budget_s: float) -> Plan:
        """Decide what to measure within a budget in seconds."""
        return make_plan(
            self.operation,
            self.data_type,
            self.device.limits,
            self.problems,
            budget_s,
            self.required,
        )

    def source(self) -> Source:
        """Return what its times depend on."""
        return source_of(self.operation, self.device)


def source_of(operation: Operation, device: DeviceInfo) -> Source:
    """Return what times measured now on a device depend on."""
    return Source(
        device_key=device.key,
        compiler=compiler_version(),
        driver=device.driver,
        kernel_digest=kernel_digest(operation, paths.include_dir()),
    )


def stored_problems(operation: Operation) -> tuple[Problem, ...]:
    """Return the problems that are measured where the user names none."""
    return tuple(load_problem_set(operation, STORED_SET))


def affordable_types(data_types: Sequence[str], budget_s: float) -> tuple[str, ...]:
    """Return the data types that a budget suffices for, at least the first."""
    return tuple(data_types[: max(1, int(budget_s // LEAST_BUDGET_S))])


def bench_of(campaign: Campaign) -> Bench:
    """Return what a campaign is measured with, the tools built.

    Raises:
        BenchmarkError: the tools can't be built.
    """
    return Bench(
        tools=build_tools(),
        source=campaign.source(),
        include_dir=paths.include_dir(),
        module_cache=module_cache_dir(),
        variables=environment(wheel_prefix()),
    )


def measuring_time_s(budget_s: float, tools_s: float) -> float:
    """Return what building the tools leaves of a budget, at least half of it."""
    return max(budget_s - tools_s, budget_s * _LEAST_SHARE_LEFT_BY_TOOLS)


def verifying_time_s(left_s: float) -> float:
    """Return what to keep for verifying what is selected; nothing where it would not suffice."""
    kept_s = left_s * _SHARE_FOR_VERIFYING
    return kept_s if kept_s >= _LEAST_TIME_TO_VERIFY_S else 0.0


def measure(campaign: Campaign, bench: Bench, deadline: Deadline) -> Dataset | None:
    """Measure and compact.

    Args:
        campaign: what to measure.
        bench: what to measure with.
        deadline: when to end; the plan is made to fit.

    Returns:
        Everything that the journal holds of it; None where time ran out before anything was
        measured.

    Raises:
        BenchmarkError: the tools can't be started.
        DeviceError: the benchmark driver finds no device.
    """
    plan = campaign.plan(deadline.remaining_s())
    logger.info(
        "measuring %d problems x %d configurations of %s %s on %s, about %.0f s",
        len(plan.problems),
        len(plan.configurations),
        campaign.operation.name,
        campaign.data_type,
        campaign.device.key,
        plan.estimate.total_s,
    )
    with open_journal(campaign.journal) as journal:
        run(plan, journal, bench, deadline)
        rows = journal.rows
    try:
        return compact(rows, campaign.operation, campaign.data_type, campaign.device, bench.source)
    except DatasetError:
        return None


def store_dataset(folder: Path, dataset: Dataset) -> Dataset:
    """Save a dataset under its device's key in a folder of datasets, and say so."""
    saved = save(folder / dataset.device.key, dataset)
    logger.info(
        "stored %d problems x %d configurations in %s",
        len(saved.problems),
        len(saved.configurations),
        folder / dataset.device.key,
    )
    return saved
