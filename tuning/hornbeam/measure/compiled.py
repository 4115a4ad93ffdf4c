# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Which device functions a configuration needs, and whether they could be compiled."""

from __future__ import annotations

from collections.abc import Sequence

from hornbeam.bench.deadline import DeadlineError
from hornbeam.bench.modules import CompiledModules
from hornbeam.bench.sources import DeviceFunction, function_of
from hornbeam.errors import BenchmarkError
from hornbeam.measure.requests import Failure
from hornbeam.operations import Operation, Specialisation
from hornbeam.space import configuration_from_id
from hornbeam.types import Configuration, Status


def functions_of(
    operation: Operation,
    data_type: str,
    configurations: Sequence[Configuration],
    specialisations: Sequence[Specialisation],
) -> list[DeviceFunction]:
    """The functions that run configurations, each once."""
    return list(
        dict.fromkeys(
            function_of(operation, configuration, data_type, specialisation)
            for configuration in configurations
            for specialisation in specialisations
        )
    )


def compile_failure(
    operation: Operation,
    data_type: str,
    configuration: Configuration,
    specialisations: Sequence[Specialisation],
    modules: CompiledModules,
) -> Failure | None:
    """Why a configuration can't be launched in every specialisation.

    Raises:
        DeadlineError: where one of its functions was not compiled for lack of time.
    """
    for specialisation in specialisations:
        name = function_of(operation, configuration, data_type, specialisation).name
        if name in modules.failures:
            return Failure(Status.COMPILE_ERROR, modules.failures[name])
        if name not in modules.modules:
            raise DeadlineError("the time budget was used up while kernels were compiled")
    return None


def require_reference(
    operation: Operation,
    data_type: str,
    specialisations: Sequence[Specialisation],
    modules: CompiledModules,
) -> None:
    """Raise unless there is something to compare with.

    Raises:
        BenchmarkError: the reference kernel can't be compiled.
        DeadlineError: it was not compiled for lack of time.
    """
    reference = configuration_from_id(operation, operation.fallback_kernel)
    failure = compile_failure(operation, data_type, reference, specialisations, modules)
    if failure is not None:
        raise BenchmarkError(f"the reference kernel cannot be compiled: {failure.message}")
