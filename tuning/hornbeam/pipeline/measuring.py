# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Campaigns carried out: measured, stored, and what will be shipped verified."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam.bench import Deadline, slowness
from hornbeam.compaction import merge
from hornbeam.dataset import save
from hornbeam.evaluate import LearnOptions
from hornbeam.keeping import Kept, check_writable, keep
from hornbeam.measure import Bench, Run, run
from hornbeam.pipeline.campaign import Campaign, bench_of, measure
from hornbeam.pipeline.trust import Trial, trusted
from hornbeam.types import Dataset, Selector

logger = logging.getLogger(__name__)

_LARGEST_RESERVE = 0.5


@dataclass(frozen=True)
class Order:
    """How campaigns are to be carried out.

    Attributes:
        learning: how kernels will be selected; what is verified is what these options select.
        folder: of datasets, written to.
        deadline: when measuring and verifying end; learning comes on top.
        replace_better: whether to replace stored measurements that hold more, of another
            compiler, driver or kernels.
        run: how a plan is carried out.
        devices: number of like devices that this spreads measuring over.
    """

    learning: LearnOptions
    folder: Path
    deadline: Deadline
    replace_better: bool = False
    run: Run = run
    devices: int = 1


@dataclass(frozen=True)
class Done:
    """What came of measuring.

    Attributes:
        datasets: that were stored.
        selectors: digest of a dataset -> what was learned from it, its kernels verified.
        warnings: for the user, one a line.
    """

    datasets: tuple[Dataset, ...]
    selectors: Mapping[str, Selector]
    warnings: tuple[str, ...]


def carry_out(todo: Sequence[Campaign], order: Order) -> Done:
    """Measure, store the results, and verify what will be shipped of them.

    Args:
        todo: at least one campaign, all on the same device.
        order: see `Order`.

    Raises:
        DatasetError: the folder of datasets can't be written.
        BenchmarkError: the tools can't be built or started.
        DeviceError: the benchmark driver does not find the device.
    """
    operation, device = todo[0].operation, todo[0].device
    check_writable(order.folder / device.key, "name another folder with HORNBEAM_DATASET_DIR")
    for folder in {campaign.journal.parent for campaign in todo}:
        check_writable(folder, "measurements are noted there as they are made")
    bench = bench_of(operation, device, order.deadline)
    datasets: list[Dataset] = []
    selectors: dict[str, Selector] = {}
    warnings: list[str] = []
    for position, campaign in enumerate(todo):
        left_s = order.deadline.remaining_s() / (len(todo) - position)
        one = _carry_out_one(campaign, order, bench, Deadline.after(left_s))
        datasets += one.datasets
        selectors |= one.selectors
        warnings += one.warnings
    return Done(tuple(datasets), selectors, tuple(warnings))


def _carry_out_one(campaign: Campaign, order: Order, bench: Bench, deadline: Deadline) -> Done:
    left_s = deadline.remaining_s()
    plan = campaign.plan(left_s, order.learning.most_kernels, slowness(), order.devices)
    # Not a share of what is left at the end: measuring would use it up, and nothing be trusted.
    reserve_s = min(plan.reserve_s, _LARGEST_RESERVE * left_s)
    enough = Deadline.after(left_s - reserve_s)
    measured = measure(campaign, plan, bench, enough, order.run)
    if measured.dataset is None:
        name = campaign.data_type
        return Done((), {}, (f"time ran out before anything of {name} was measured",))
    kept = _kept(campaign, measured.dataset, order)
    if kept.dataset is None:
        return Done((), {}, kept.warnings)
    place = order.folder / campaign.device.key
    trial = Trial(
        operation=campaign.operation,
        options=order.learning,
        data_types=campaign.shipped_types,
        bench=bench,
        limit_s=max(reserve_s, deadline.remaining_s()),
        store=lambda changed: save(place, changed),
    )
    found = trusted(kept.dataset, trial, measured.verification)
    return Done(
        (found.dataset,),
        {found.dataset.digest: found.selector},
        (*kept.warnings, *found.warnings),
    )


def _kept(campaign: Campaign, dataset: Dataset, order: Order) -> Kept:
    """Store what was measured, before anything can go wrong with it."""
    if campaign.extends is not None:
        dataset = merge(campaign.operation, [campaign.extends, dataset])
    place = order.folder / campaign.device.key
    kept = keep(place, dataset, order.replace_better)
    if kept.dataset is not None:
        logger.info(
            "stored %d problems x %d configurations in %s",
            len(kept.dataset.problems),
            len(kept.dataset.configurations),
            place,
        )
    return kept
