# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are about to be shipped, compared with the reference in every specialisation.

Measuring verifies a configuration in the specialisations that the measured problems need. What
is shipped serves all of them, in every data type that the measurements stand in for, so the
selected few are verified in the others too.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hornbeam.bench import Deadline
from hornbeam.bench.deadline import DeadlineError
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.measure import Bench, Failure, Verification, verify
from hornbeam.operations import Operation
from hornbeam.types import Dataset, Selector

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Trusted:
    """What can be shipped.

    Attributes:
        dataset: as it is stored, configurations that computed wrong results marked as failed.
        selector: learned from it.
        warnings: that time did not suffice to make sure, one a line.
    """

    dataset: Dataset
    selector: Selector
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trial:
    """How it is made sure that what is shipped can be trusted.

    Attributes:
        operation: what was measured.
        options: how to learn; what is verified is what these select.
        data_types: that the kernels are shipped in.
        bench: what to verify with.
        limit_s: time for verifying; learning does not count.
        store: writes a changed dataset and returns it as it is stored.
    """

    operation: Operation
    options: LearnOptions
    data_types: Sequence[str]
    bench: Bench
    limit_s: float
    store: Callable[[Dataset], Dataset]


def trusted(dataset: Dataset, trial: Trial, known: Verification) -> Trusted:
    """Learn what is to be shipped, and learn again without what computes wrong results.

    A kernel that is wrong in one of the data types is given up for all of them.

    Args:
        dataset: measured just now, as it is stored.
        trial: see `Trial`.
        known: what was verified while measuring.
    """
    limit_s = trial.limit_s
    while True:
        selector = learn(dataset, trial.operation, trial.options)
        start_s = time.monotonic()
        known = _verified(selector, trial, known, Deadline.after(limit_s))
        limit_s -= time.monotonic() - start_s
        wrong = {c.id: known.failures[c.id] for c in selector.kernels if c.id in known.failures}
        if not wrong:
            warnings = _doubts(selector, trial, known)
            return Trusted(dataset, selector, warnings)
        for name, failure in wrong.items():
            logger.warning("%s is dropped: %s (%s)", name, failure.status.value, failure.message)
        dataset = trial.store(without(dataset, wrong))


def _verified(
    selector: Selector, trial: Trial, known: Verification, deadline: Deadline
) -> Verification:
    kernels = selector.kernels
    try:
        return verify(trial.operation, trial.data_types, kernels, trial.bench, deadline, known)
    except DeadlineError:
        return known


def _doubts(selector: Selector, trial: Trial, known: Verification) -> tuple[str, ...]:
    """Say how many kernels there was no time to verify."""
    doubtful = [
        kernel
        for kernel in selector.kernels
        if not known.trusts(trial.operation, kernel, trial.data_types)
    ]
    if not doubtful:
        return ()
    return (
        f"time did not suffice to compare {len(doubtful)} of the {len(selector.kernels)} selected "
        f"{selector.data_type} kernels with the reference in every specialisation and data type; "
        "give HORNBEAM_TUNE_BUDGET more",
    )


def without(dataset: Dataset, failures: Mapping[str, Failure]) -> Dataset:
    """Return a dataset in which some configurations failed wherever they were measured."""
    status, time_s = dataset.status.copy(), dataset.time_s.copy()
    for column, configuration in enumerate(dataset.configurations):
        failure = failures.get(configuration.id)
        if failure is not None:
            tried = np.array([cell is not None for cell in status[:, column]], dtype=np.bool_)
            status[tried, column] = failure.status
            time_s[tried, column] = np.nan
    return replace(dataset, status=status, time_s=time_s)
