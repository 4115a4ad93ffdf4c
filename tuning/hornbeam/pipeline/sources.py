# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Which stored measurements serve a target device, for each data type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hornbeam import store
from hornbeam.errors import ConfigurationError
from hornbeam.operations import Operation
from hornbeam.pipeline.machine import Machine
from hornbeam.pipeline.options import AUTO_TARGET, BuildOptions, Tune
from hornbeam.store import Found
from hornbeam.types import DeviceInfo, Match

UNKNOWN_KEY = "unknown"
"""Key of a target that is not known and for which there is no dataset either."""

_CLOSENESS = {Match.EXACT: 0, Match.FAMILY: 1, Match.DEFAULT: 2}


@dataclass(frozen=True)
class Served:
    """A target and the dataset that serves one of its data types.

    Attributes:
        data_type: to be deployed.
        found: the dataset; None where there is none.
    """

    data_type: str
    found: Found | None

    @property
    def stands_in(self) -> bool:
        """Whether the dataset is one of another data type."""
        return self.found is not None and self.found.dataset.data_type != self.data_type


@dataclass(frozen=True)
class TargetSources:
    """A target device and what serves it.

    Attributes:
        key: of the target.
        device: the device itself where it is the one at hand.
        served: one for each data type.
    """

    key: str
    device: DeviceInfo | None
    served: tuple[Served, ...]

    @property
    def match(self) -> Match | None:
        """How closely the first data type's dataset matches; None without one."""
        found = self.served[0].found
        return None if found is None else found.match

    @property
    def dataset_key(self) -> str:
        """Key of the device that the first data type's dataset comes from, or empty."""
        found = self.served[0].found
        return "" if found is None else found.key

    @property
    def assumed(self) -> bool:
        """Whether there is no device at hand and the dataset's own device is built for."""
        return self.device is None and self.match is Match.DEFAULT


def find_sources(
    options: BuildOptions, operation: Operation, machine: Machine
) -> tuple[TargetSources, ...]:
    """Find the datasets of all targets, each once.

    ``auto`` stands for nothing where there is no device and other targets are named.

    Raises:
        ConfigurationError: an unknown key, listing the known ones.
    """
    path = store.search_path(options.dataset_dir)
    names = options.targets
    if AUTO_TARGET in names and len(names) > 1 and machine.device is None:
        names = tuple(name for name in names if name != AUTO_TARGET)
    found: dict[str, TargetSources] = {}
    for name in names:
        target = _target(name, options, operation, machine, path)
        if target.device is not None or target.key not in found:
            found[target.key] = target
    return tuple(found.values())


def native_device(
    options: BuildOptions, targets: Sequence[TargetSources], machine: Machine
) -> DeviceInfo | None:
    """Return the device to embed native binaries for: a target, if it is in this machine."""
    if not options.native_binaries:
        return None
    here = (machine.find(target.key) for target in targets)
    return next((device for device in here if device is not None), None)


def _target(
    name: str, options: BuildOptions, operation: Operation, machine: Machine, path: list[Path]
) -> TargetSources:
    if name != AUTO_TARGET:
        here = _is_here(name, options, machine, path)
        wanted: DeviceInfo | str | None = name
    else:
        here = machine.device
        wanted = here
    if options.tune is Tune.OFF or (name != AUTO_TARGET and name not in store.keys(path)):
        served = tuple(Served(data_type, None) for data_type in options.data_types)
        key = name if name != AUTO_TARGET else UNKNOWN_KEY
        return TargetSources(here.key if here else key, here, served)
    served = tuple(
        Served(data_type, closest_dataset(operation, data_type, wanted, path))
        for data_type in options.data_types
    )
    key = here.key if here else name
    if key == AUTO_TARGET:
        found = served[0].found
        key = UNKNOWN_KEY if found is None else found.key
    return TargetSources(key, here, served)


def _is_here(
    key: str, options: BuildOptions, machine: Machine, path: Sequence[Path]
) -> DeviceInfo | None:
    """Return the device at hand if it has this key and the options allow to look for it.

    Raises:
        ConfigurationError: the key is neither stored nor that of the device at hand.
    """
    stored = store.keys(path)
    device = None
    if key not in stored or options.tune in (Tune.AUTO, Tune.FORCE):
        device = machine.device if options.tune is not Tune.REUSE else None
    if device is not None and device.key == key:
        return device
    if key not in stored:
        known = ", ".join(stored) or "none"
        raise ConfigurationError(
            f"unknown target device {key!r}; valid: {AUTO_TARGET} and the keys of stored "
            f"datasets: {known} (looked in {', '.join(map(str, path))})"
        )
    return None


def closest_dataset(
    operation: Operation, data_type: str, target: DeviceInfo | str | None, path: list[Path]
) -> Found | None:
    """Return the dataset that serves a data type best.

    A dataset of another data type stands in where the wanted one was not measured on a device
    as close to the target: the kernels are the same and behave alike.

    Args:
        operation: what was measured.
        data_type: wanted.
        target: a device, a stored key, or None to take any dataset.
        path: folders of datasets.
    """
    others = [name for name in operation.data_types if name != data_type]
    found: list[Found] = []
    for name in (data_type, *others):
        one = _find(operation, name, target, path)
        if one is not None:
            found.append(one)
            if one.match is Match.EXACT:
                break  # nothing is closer, and reading the others takes a moment
    return min(found, key=lambda one: _CLOSENESS[one.match], default=None)


def _find(
    operation: Operation, data_type: str, target: DeviceInfo | str | None, path: list[Path]
) -> Found | None:
    if target is not None:
        return store.find(operation, data_type, target, path)
    for key in store.keys(path):
        found = store.find(operation, data_type, key, path)
        if found is not None:
            return replace(found, match=Match.DEFAULT)
    return None
