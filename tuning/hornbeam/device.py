# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The devices of this machine, as their OpenCL drivers report them."""

from __future__ import annotations

import contextlib
import platform
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from hornbeam.device_keys import (
    KeyParts,
    closest,
    cpu_architecture,
    device_architecture,
    hardware_vendor,
)
from hornbeam.drivers import environment, make_visible, wheel_prefix
from hornbeam.errors import DeviceError
from hornbeam.types import DeviceInfo, DeviceLimits, Match

__all__ = ["Probe", "devices", "environment", "match", "probe", "tunable_device", "wheel_prefix"]

T = TypeVar("T")


@dataclass(frozen=True)
class Probe:
    """What a look for devices found.

    Attributes:
        devices: all of them, in the drivers' order.
        problem: why there are none, empty where some were found.
    """

    devices: tuple[DeviceInfo, ...]
    problem: str


def probe() -> Probe:
    """Look for devices; a missing package, driver or device is an answer, not an error."""
    make_visible()
    try:
        import pyopencl
    except (ImportError, OSError) as error:
        return Probe((), f"pyopencl cannot be imported: {error}")
    try:
        platforms = pyopencl.get_platforms()
    except pyopencl.Error as error:
        return Probe((), f"no OpenCL driver is registered ({error})")
    found: list[DeviceInfo] = []
    for entry in platforms:
        with contextlib.suppress(pyopencl.Error):
            found += [_describe(entry, device) for device in entry.get_devices()]
    return Probe(tuple(found), "" if found else "the OpenCL drivers offer no device")


def devices() -> list[DeviceInfo]:
    """All devices, those without SPIR-V support too; empty where there are none."""
    return list(probe().devices)


def tunable_device() -> DeviceInfo:
    """The first device that takes SPIR-V.

    Raises:
        DeviceError: saying what was found instead and what to do.
    """
    found = probe()
    for device in found.devices:
        if device.supports_spirv:
            return device
    names = ", ".join(device.name for device in found.devices)
    what = f"no SPIR-V support in the driver of {names}" if names else found.problem
    raise DeviceError(
        f"no usable device: {what}; install dpcpp-cpp-rt into this Python environment or a "
        "vendor's OpenCL driver, then see 'hornbeam doctor'"
    )


def match(device: DeviceInfo | str, keys: Iterable[str]) -> tuple[str, Match] | None:
    """The stored key closest to a device or to its key, and how close; None without keys."""
    return closest(device if isinstance(device, str) else device.key, keys)


def _describe(entry: Any, device: Any) -> DeviceInfo:  # noqa: ANN401
    name = str(device.name).strip()
    type_ = _type_of(device)
    vendor = hardware_vendor(name, str(device.vendor))
    if type_ == "cpu":
        width = _ask(lambda: int(device.native_vector_width_float), 0)
        architecture = cpu_architecture(platform.machine(), width)
    else:
        architecture = device_architecture(name, vendor)
    units = _ask(lambda: int(device.max_compute_units), 1)
    return DeviceInfo(
        key=str(KeyParts(vendor, type_, architecture, units)),
        vendor=vendor,
        type=type_,
        architecture=architecture,
        name=name,
        driver=_ask(lambda: str(device.driver_version).strip(), ""),
        platform=_ask(lambda: str(entry.name).strip(), ""),
        limits=DeviceLimits(
            max_work_group_size=_ask(lambda: int(device.max_work_group_size), 1),
            local_memory_bytes=_ask(lambda: int(device.local_mem_size), 0),
            compute_units=units,
        ),
        supports_spirv="SPIR-V" in _ask(lambda: str(device.il_version), ""),
        data_types=tuple(_data_types(device)),
    )


def _type_of(device: Any) -> str:  # noqa: ANN401
    import pyopencl

    for flag, name in (
        (pyopencl.device_type.GPU, "gpu"),
        (pyopencl.device_type.CPU, "cpu"),
    ):
        if int(device.type) & int(flag):
            return name
    return "accelerator"


def _data_types(device: Any) -> Iterator[str]:  # noqa: ANN401
    extensions = _ask(lambda: str(device.extensions), "").split()
    yield "float"
    if _ask(lambda: int(device.double_fp_config), 0) or "cl_khr_fp64" in extensions:
        yield "double"
    if "cl_khr_fp16" in extensions:
        yield "half"


def _ask(query: Callable[[], T], otherwise: T) -> T:
    """A property of a device, or a stand-in where its driver does not know it."""
    import pyopencl

    try:
        return query()
    except (pyopencl.Error, AttributeError, ValueError, TypeError):
        return otherwise
