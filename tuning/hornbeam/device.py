# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The devices of this machine, as their OpenCL drivers report them."""

from __future__ import annotations

import contextlib
import platform
import re
import warnings
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
from hornbeam.device_naming import NAMING, VectorWidths
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
    name = _ask(lambda: str(device.name).strip(), "")
    type_ = _type_of(device)
    vendor = hardware_vendor(name, _ask(lambda: str(device.vendor), ""))
    widths = [_native_widths(device)]
    if type_ == "cpu":
        widths.insert(0, _generated_widths(device))
        architecture = cpu_architecture(platform.machine(), *widths)
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
            vector_width=min((width.floats for width in widths if width.floats), default=None),
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


def _native_widths(device: Any) -> VectorWidths:  # noqa: ANN401
    """What the driver says of the machine."""
    return VectorWidths(
        floats=_ask(lambda: int(device.native_vector_width_float), 0),
        integers=_ask(lambda: int(device.native_vector_width_int), 0),
    )


def _generated_widths(device: Any) -> VectorWidths:  # noqa: ANN401
    """What the driver generates code for; zeros where it does not tell."""
    # A call that came with OpenCL 2.1 could crash an older driver.
    version = re.match(r"OpenCL (\d+)\.(\d+)", _ask(lambda: str(device.version), ""))
    if version is None or (int(version[1]), int(version[2])) < (2, 1):
        return VectorWidths(0, 0)
    return _ask(lambda: _probed_widths(device), VectorWidths(0, 0))


def _probed_widths(device: Any) -> VectorWidths:  # noqa: ANN401
    import pyopencl

    probe = NAMING.probe
    context = pyopencl.Context([device])
    program: Any = pyopencl.Program(context, probe.source)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a driver's remarks on what it built
        # From the cache would come what was built under other settings of the driver.
        program.build(cache_dir=False)

    def width(name: str) -> int:
        kernel: Any = pyopencl.Kernel(program, name)
        question = pyopencl.kernel_sub_group_info.MAX_SUB_GROUP_SIZE_FOR_NDRANGE
        return int(kernel.get_sub_group_info(device, question, [probe.group]))

    return VectorWidths(width(probe.floats), width(probe.integers))


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
