# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a build asks for, and the checks that need no dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from hornbeam.codegen import KernelForm
from hornbeam.errors import ConfigurationError, choose
from hornbeam.evaluate import LearnOptions
from hornbeam.evidence import ANY_CONFIGURATION
from hornbeam.operations import (
    DEFAULT_DATA_TYPES,
    DEFAULT_OPERATION,
    Operation,
    get_operation,
)
from hornbeam.types import Problem

AUTO_TARGET = "auto"
DEFAULT_BUDGET_S = 600.0


class Tune(str, Enum):
    """When to measure."""

    AUTO = "AUTO"
    REUSE = "REUSE"
    FORCE = "FORCE"
    OFF = "OFF"


@dataclass(frozen=True)
class BuildOptions:
    """Options of a build, as CMake and the command line give them.

    Attributes:
        output_dir: folder of the generated files; it belongs to the generator.
        operation: what is built.
        targets: device keys, ``auto`` for the device at hand; at run time the device of the
            queue chooses among them.
        tune: see `Tune`.
        budget_s: seconds that measuring may take, everything before learning included.
        problems: file of the user's own problems.
        data_types: element types to deploy.
        n_kernels: 0 (chosen by held-out score) or 1..64.
        configurations: shell-style patterns of the ids of configurations that may be deployed.
        bit_stable: whether only kernels may be deployed that give the same bits as each other.
        selection: selection method.
        normalisation: scale that methods work on.
        random_state: seed.
        dataset_dir: folder of datasets, searched first and written to.
        native_binaries: whether to embed what the target's own driver makes of the kernels.
        kernel_form: what is generated of the kernels.
    """

    output_dir: Path
    operation: str = DEFAULT_OPERATION
    targets: tuple[str, ...] = (AUTO_TARGET,)
    tune: Tune = Tune.AUTO
    budget_s: float = DEFAULT_BUDGET_S
    problems: Path | None = None
    data_types: tuple[str, ...] = DEFAULT_DATA_TYPES
    n_kernels: int = 0
    configurations: tuple[str, ...] = ANY_CONFIGURATION
    bit_stable: bool = True
    selection: str = "pca_kmeans"
    normalisation: str = "scaled"
    random_state: int = 0
    dataset_dir: Path | None = field(default=None)
    native_binaries: bool = False
    kernel_form: KernelForm = KernelForm.MODULES

    def checked(self) -> Operation:
        """Check every value that is a name or a number.

        Returns:
            The operation.

        Raises:
            ConfigurationError: naming the value and the valid ones.
        """
        operation = get_operation(self.operation)
        if not self.targets:
            raise ConfigurationError(
                f"at least one target device is needed; valid: {AUTO_TARGET} and the keys of "
                "stored datasets ('hornbeam dataset show' lists them)"
            )
        if not self.data_types:
            raise ConfigurationError(
                f"at least one data type is needed; valid: {', '.join(operation.data_types)}"
            )
        for data_type in self.data_types:
            choose("data type", data_type, list(operation.data_types))
        self.learning().check()
        check_budget(self.budget_s)
        return operation

    def learning(self, own: Mapping[Problem, float] = MappingProxyType({})) -> LearnOptions:
        """Return how to learn.

        Args:
            own: the user's problems -> their weights.
        """
        return LearnOptions(
            selection=self.selection,
            normalisation=self.normalisation,
            n_kernels=self.n_kernels,
            configurations=self.configurations,
            bit_stable=self.bit_stable,
            random_state=self.random_state,
            emphasised=own,
        )

    def as_mapping(self) -> dict[str, str | int | float]:
        """Return everything that can change the outcome, except folders."""
        return {
            "operation": self.operation,
            "targets": ";".join(self.targets),
            "tune": self.tune.value,
            "data_types": ";".join(self.data_types),
            "n_kernels": self.n_kernels,
            "configurations": ";".join(self.configurations),
            "bit_stable": int(self.bit_stable),
            "selection": self.selection,
            "normalisation": self.normalisation,
            "random_state": self.random_state,
            "kernel_form": self.kernel_form.value,
        }


def check_budget(budget_s: float) -> None:
    """Check a time budget.

    Raises:
        ConfigurationError: it is no positive number of seconds.
    """
    if not 0.0 < budget_s < math.inf:
        raise ConfigurationError(
            f"the time budget is {budget_s:g} s; valid: a number of seconds, more than 0"
        )


def parse_list(text: str) -> tuple[str, ...]:
    """Split a list as CMake (``a;b``) or a person (``a,b``) writes it; repeats are dropped."""
    parts = [part.strip() for part in text.replace(",", ";").split(";")]
    return tuple(dict.fromkeys(part for part in parts if part))


def parse_tune(text: str) -> Tune:
    """Return the mode of a name.

    Raises:
        ConfigurationError: an unknown one.
    """
    return Tune(choose("tuning mode", text.upper(), [mode.value for mode in Tune]))
