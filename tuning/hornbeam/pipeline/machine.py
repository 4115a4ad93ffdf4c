# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The device at hand, asked for when it is needed and only then."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from hornbeam.device import Probe, probe, tunable_device
from hornbeam.errors import DeviceError
from hornbeam.types import DeviceInfo


class Machine:
    """This machine; looking for its devices takes a moment and happens once."""

    @cached_property
    def _probe(self) -> Probe:
        return probe()

    @cached_property
    def tunable(self) -> DeviceInfo | None:
        """The device that can be measured, None where there is none."""
        return next((device for device in self._probe.devices if device.supports_spirv), None)

    @cached_property
    def device(self) -> DeviceInfo | None:
        """The device to build for by default: the tunable one, else the first one."""
        if self.tunable is not None:
            return self.tunable
        found = self._probe.devices
        return found[0] if found else None

    def find(self, key: str) -> DeviceInfo | None:
        """Return the device with this key that takes SPIR-V, None where it is not here."""
        fitting = (d for d in self._probe.devices if d.supports_spirv and d.key == key)
        return next(fitting, None)

    @property
    def problem(self) -> str:
        """Why there is no device, empty where there is one."""
        return self._probe.problem

    def require(self, keys: Sequence[str]) -> DeviceInfo:
        """Return the device with one of these keys, to be measured.

        Raises:
            DeviceError: none is here, or its driver takes no SPIR-V.
        """
        device = self.tunable
        if device is None:
            device = tunable_device()
        if device.key not in keys:
            raise DeviceError(
                f"{' or '.join(keys)} cannot be measured here: the device of this machine is "
                f"{device.key}"
            )
        return device
