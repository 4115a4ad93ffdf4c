# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What to measure on the device at hand, and measuring it until a deadline."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from hornbeam import paths, store
from hornbeam.bench import Deadline, build_tools, kernel_digest, module_cache_dir
from hornbeam.compaction import compact
from hornbeam.device import environment, wheel_prefix
from hornbeam.drivers import compiler_version
from hornbeam.errors import ConfigurationError, DatasetError, HornbeamError
from hornbeam.journal import open_journal
from hornbeam.journal_rows import Source
from hornbeam.measure import Bench, Run, Verification, run
from hornbeam.operations import Operation
from hornbeam.plan import Plan, make_plan
from hornbeam.plan_cost import Shipping
from hornbeam.plan_words import plan_lines
from hornbeam.problems import load_problem_set
from hornbeam.types import Dataset, DeviceInfo, Problem

logger = logging.getLogger(__name__)

STORED_SET = "stored"
"""Problem set that is measured where the user names none."""

LEAST_BUDGET_S = 120.0
"""Seconds below which a further data type is not measured: one good table beats two poor ones."""


@dataclass(frozen=True)
class Campaign:
    """What to measure.

    Attributes:
        operation, data_type: what.
        device: on which device.
        problems: as far as time allows.
        required: problems that are measured in any case (the user's own).
        journal: file that rows are appended to; what it holds is not measured again.
        stands_in_for: other data types whose kernels are selected by these measurements.
        extends: dataset that the result is added to; None where it stands alone.
        patterns: of ids, see `hornbeam.space.measurable`; of these configurations alone.
    """

    operation: Operation
    data_type: str
    device: DeviceInfo
    problems: tuple[Problem, ...]
    required: tuple[Problem, ...]
    journal: Path
    stands_in_for: tuple[str, ...] = ()
    extends: Dataset | None = None
    patterns: tuple[str, ...] = ()

    @property
    def shipped_types(self) -> tuple[str, ...]:
        """Data types that the selected kernels are shipped in."""
        return (self.data_type, *self.stands_in_for)

    def plan(
        self, budget_s: float, most_kernels: int, slowness: float = 1.0, devices: int = 1
    ) -> Plan:
        """Decide what to measure.

        Args:
            budget_s: for everything but building the tools.
            most_kernels: that can be selected.
            slowness: of the machine now, see `hornbeam.bench.slowness`.
            devices: number of like devices that measuring is spread over.
        """
        return make_plan(
            self.operation,
            self.data_type,
            self.device.limits,
            self.problems,
            budget_s,
            self.required,
            Shipping(most_kernels, self.shipped_types, self.extends is not None),
            self.patterns,
            slowness,
            devices,
        )


def new_campaign(
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


def extending(campaign: Campaign, folder: Path) -> Campaign:
    """Let a campaign add to what a folder of datasets holds of its device, if times compare."""
    found = store.exact(campaign.operation, campaign.data_type, campaign.device.key, [folder])
    if found is None or not comparable(campaign.operation, campaign.device, found.dataset):
        return campaign
    return replace(campaign, extends=found.dataset)


def standing_in(
    campaigns: Sequence[Campaign], data_types: Sequence[str], path: Sequence[Path]
) -> list[Campaign]:
    """Let one campaign stand in for the data types that nothing is measured of.

    Args:
        campaigns: on one device.
        data_types: that are deployed on it.
        path: folders of datasets.
    """
    if not campaigns:
        return []
    operation, device = campaigns[0].operation, campaigns[0].device
    measured = {campaign.data_type for campaign in campaigns}
    others = tuple(
        name
        for name in data_types
        if name not in measured and store.exact(operation, name, device.key, path) is None
    )
    first = min(campaigns, key=lambda campaign: operation.data_types.index(campaign.data_type))
    return [replace(c, stands_in_for=others) if c is first else c for c in campaigns]


def comparable(operation: Operation, device: DeviceInfo, dataset: Dataset) -> bool:
    """Return whether times measured now may stand beside those of a dataset."""
    source, stored = source_of(operation, device), dataset.provenance
    return source == Source(
        dataset.device.key, stored.compiler, stored.driver, stored.kernel_digest
    )


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


def able_types(device: DeviceInfo, data_types: Sequence[str]) -> tuple[str, ...]:
    """Return those of some data types that a device computes with.

    Raises:
        ConfigurationError: it computes with none of them; lists those that it does.
    """
    able = tuple(name for name in data_types if name in device.data_types)
    if not able:
        raise ConfigurationError(
            f"{device.name} does not compute with {', '.join(data_types) or 'nothing'}; it does "
            f"with {', '.join(device.data_types)}"
        )
    return able


def affordable_types(data_types: Sequence[str], budget_s: float) -> tuple[str, ...]:
    """Return the data types that a budget suffices for, at least the first."""
    return tuple(data_types[: max(1, int(budget_s // LEAST_BUDGET_S))])


def bench_of(operation: Operation, device: DeviceInfo, deadline: Deadline) -> Bench:
    """Return what a device is measured with, the tools built.

    Raises:
        BenchmarkError: the tools can't be built.
        DeadlineError: not in time.
    """
    return Bench(
        tools=build_tools(deadline),
        device=device,
        source=source_of(operation, device),
        include_dir=paths.include_dir(),
        module_cache=module_cache_dir(),
        variables=environment(wheel_prefix()),
    )


@dataclass(frozen=True)
class Measured:
    """What came of measuring.

    Attributes:
        dataset: everything that the journal holds of the campaign; None where that is nothing.
        verification: what was compared with the reference on the way.
    """

    dataset: Dataset | None
    verification: Verification = field(default_factory=Verification)


def measure(
    campaign: Campaign, plan: Plan, bench: Bench, deadline: Deadline, carry_out: Run = run
) -> Measured:
    """Measure and compact.

    Args:
        campaign: what to measure.
        plan: of the campaign.
        bench: what to measure with.
        deadline: when to end.
        carry_out: how the plan is carried out.

    Raises:
        BenchmarkError: the tools can't be started.
        DeviceError: the benchmark driver does not find the device.
    """
    logger.info("measuring on %s: %s", campaign.device.key, "\n".join(plan_lines(plan)))
    with open_journal(campaign.journal) as journal:
        try:
            outcome = carry_out(plan, journal, bench, deadline)
        except HornbeamError as error:
            if not journal.rows:
                raise
            kept = f"the {len(journal.rows)} measurements in {campaign.journal} are kept"
            raise type(error)(f"{error}; {kept}: the same command goes on from there") from error
        rows = journal.rows
    try:
        dataset = compact(
            rows, campaign.operation, campaign.data_type, campaign.device, bench.source
        )
    except DatasetError:
        return Measured(None)
    return Measured(dataset, outcome.verification)
