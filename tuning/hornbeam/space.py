# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Parameter spaces of kernels: which configurations exist, in which order, under which ids."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Protocol

from hornbeam.errors import ConfigurationError
from hornbeam.kernel_definition import KernelDefinition
from hornbeam.types import Configuration, DeviceLimits


class KernelSet(Protocol):
    """What of an operation the functions here need."""

    @property
    def name(self) -> str:
        """Name of the operation."""

    @property
    def kernels(self) -> tuple[KernelDefinition, ...]:
        """Its kernels."""

    @property
    def fallback_kernel(self) -> str:
        """Id of the configuration that is always compiled."""


def enumerate_configurations(
    definition: KernelDefinition, limits: DeviceLimits | None
) -> list[Configuration]:
    """All valid configurations, compile-time parameters varying slowest.

    Args:
        definition: the kernel.
        limits: of the device; None skips the constraints that depend on it.
    """
    return [
        definition.configuration(values)
        for values in definition.points()
        if all(constraint.holds(values, limits) for constraint in definition.constraints)
    ]


def rejections(definition: KernelDefinition, limits: DeviceLimits | None) -> dict[str, int]:
    """Number of points that each constraint rejects (a point counts for the first it breaks)."""
    counts = {constraint.name: 0 for constraint in definition.constraints}
    for values in definition.points():
        for constraint in definition.constraints:
            if not constraint.holds(values, limits):
                counts[constraint.name] += 1
                break
    return counts


def all_configurations(operation: KernelSet, limits: DeviceLimits | None) -> list[Configuration]:
    """Configurations of all kernels of an operation, in the order of the space."""
    return [c for kernel in operation.kernels for c in enumerate_configurations(kernel, limits)]


def measurable(
    operation: KernelSet, limits: DeviceLimits | None, patterns: Sequence[str] = ()
) -> list[Configuration]:
    """Configurations that can be told apart by measuring: all but the fallback.

    Args:
        operation: gives the kernels.
        limits: of the device.
        patterns: of ids, as in file names (``*``, ``?``, ``[...]``); those that match one of them
            are wanted, without any all are.

    Raises:
        ConfigurationError: a pattern matches nothing.
    """
    able = [c for c in all_configurations(operation, limits) if c.id != operation.fallback_kernel]
    for pattern in patterns:
        if not any(fnmatchcase(c.id, pattern) for c in able):
            example = f"; ids look like {able[0].id}" if able else ""
            raise ConfigurationError(
                f"no configuration of {operation.name} that this device can run matches "
                f"{pattern[:96]!r}{example}"
            )
    return [c for c in able if not patterns or any(fnmatchcase(c.id, p) for p in patterns)]


def configuration_from_id(operation: KernelSet, id: str) -> Configuration:
    """Resolve a configuration id, whatever the limits of the device at hand.

    Raises:
        ConfigurationError: where no kernel of the operation has such a configuration.
    """
    found = _by_id(operation.kernels).get(id)
    if found is None:
        forms = ", ".join(kernel.id_template for kernel in operation.kernels)
        raise ConfigurationError(
            f"unknown configuration {id[:96]!r} of {operation.name}; ids look like {forms}, "
            "with values from the kernel's definition"
        )
    return found


def configuration_order(operation: KernelSet) -> dict[str, int]:
    """Configuration id -> position in the space."""
    return {id: position for position, id in enumerate(_by_id(operation.kernels))}


def kernel_of(operation: KernelSet, configuration: Configuration) -> KernelDefinition:
    """The definition of a configuration's kernel."""
    for kernel in operation.kernels:
        if kernel.name == configuration.kernel:
            return kernel
    names = ", ".join(kernel.name for kernel in operation.kernels)
    raise ConfigurationError(f"unknown kernel {configuration.kernel!r}; valid: {names}")


@lru_cache(maxsize=16)
def _by_id(kernels: tuple[KernelDefinition, ...]) -> dict[str, Configuration]:
    return {c.id: c for kernel in kernels for c in enumerate_configurations(kernel, None)}
