# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The measurements that the tuner is replayed on."""

from __future__ import annotations

from hornbeam import paths
from hornbeam.dataset import load
from hornbeam.operations import DEFAULT_DATA_TYPES, DEFAULT_OPERATION, Operation, get_operation
from hornbeam.types import Dataset

STUDY = "amd-cpu-avx2-2cu"


def dense() -> tuple[Operation, Dataset]:
    """The stored study in which nearly every cell was measured."""
    operation = get_operation(DEFAULT_OPERATION)
    folder = paths.root() / "tuning" / "studies" / STUDY
    return operation, load(folder, operation, DEFAULT_DATA_TYPES[0])[0]
