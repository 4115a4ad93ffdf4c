# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels that are about to be shipped, compared with the reference in every specialisation.

Measuring verifies a configuration in the specialisations that the measured problems need. What
is shipped serves all of them, so the selected few are verified in the others too.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from hornbeam.bench import Deadline
from hornbeam.bench.deadline import DeadlineError
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.measure import Bench, Failure, verify
from hornbeam.operations import Operation
from hornbeam.types import Dataset

logger = logging.getLogger(__name__)


def trusted(
    dataset: Dataset,
    operation: Operation,
    options: LearnOptions,
    bench: Bench,
    deadline: Deadline,
) -> tuple[Dataset, list[str]]:
    """Mark configurations as failed that would be selected but compute wrong results.

    Args:
        dataset: measured just now.
        operation: what was measured.
        options: how kernels will be selected.
        bench: what to verify with.
        deadline: when to give up.

    Returns:
        The dataset, in which whatever these options select can be trusted, and a warning
        where time did not suffice to make sure.
    """
    while True:
        try:
            deadline.check()
            kernels = learn(dataset, operation, options).kernels
            failures = verify(operation, dataset.data_type, kernels, bench, deadline)
        except DeadlineError:
            return dataset, [
                f"time did not suffice to compare every selected {dataset.data_type} kernel with "
                "the reference in every specialisation; give HORNBEAM_TUNE_BUDGET more"
            ]
        if not failures:
            return dataset, []
        for name, failure in failures.items():
            logger.warning("%s is dropped: %s (%s)", name, failure.status.value, failure.message)
        dataset = without(dataset, failures)


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
