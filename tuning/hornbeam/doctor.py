# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Checks of this machine: what hornbeam needs, what is found, and what to do about the rest."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hornbeam import drivers, paths
from hornbeam.device import Probe, probe
from hornbeam.errors import ConfigurationError


@dataclass(frozen=True)
class Check:
    """One line of a diagnosis.

    Attributes:
        name: what was looked at.
        ok: whether it is fine; None for a remark that is neither good nor bad.
        found: what is there.
        advice: what to do, empty where nothing needs doing.
    """

    name: str
    ok: bool | None
    found: str
    advice: str = ""


def doctor() -> list[Check]:
    """Run all checks; none of them raises or changes anything but the user's cache folder."""
    found = probe()
    return [
        _python(),
        _wheel(),
        *_registrations(),
        _devices(found),
        _spirv(found),
        *_tools(),
        _cache(),
    ]


def _python() -> Check:
    version = f"Python {platform.python_version()} at {sys.executable}"
    fine = sys.version_info >= (3, 10)
    return Check("python", fine, version, "" if fine else "use Python 3.10 or later")


def _wheel() -> Check:
    prefix = drivers.wheel_prefix()
    if prefix is None:
        return Check(
            "sycl toolchain",
            False,
            f"{drivers.compiler_version()}",
            f"pip install {drivers.WHEEL}; without it nothing can be measured or compiled here",
        )
    return Check("sycl toolchain", True, f"{drivers.compiler_version()} under {prefix}")


def _registrations() -> Iterator[Check]:
    """Where loaders look for drivers, and entries there that lead nowhere."""
    folder = os.environ.get(drivers.VENDORS_VARIABLE)
    if folder is None:
        yield Check("driver folder", None, f"{drivers.SYSTEM_VENDORS} (the system's)")
    else:
        yield Check("driver folder", None, f"{folder} ({drivers.VENDORS_VARIABLE})")
    for path, library in drivers.registrations(Path(folder or drivers.SYSTEM_VENDORS)):
        if drivers.is_dangling(library):
            yield Check(
                "driver registration",
                False,
                f"{path} names {library!r}, which does not exist",
                f"remove the file or unset {drivers.VENDORS_VARIABLE}, so that hornbeam "
                "registers the driver itself",
            )


def _devices(found: Probe) -> Check:
    if not found.devices:
        return Check(
            "devices",
            False,
            found.problem,
            f"pip install pyopencl {drivers.WHEEL}, or install the device's OpenCL driver; "
            "building for a stored device key works without",
        )
    names = ", ".join(f"{device.name} ({device.key})" for device in found.devices)
    return Check("devices", True, names)


def _spirv(found: Probe) -> Check:
    able = [device for device in found.devices if device.supports_spirv]
    unable = [device for device in found.devices if not device.supports_spirv]
    if able:
        without = "".join(f"; not {device.name} ({device.platform})" for device in unable)
        return Check("spir-v", True, ", ".join(device.name for device in able) + without)
    if not unable:
        return Check("spir-v", None, "no device to ask")
    names = ", ".join(f"{device.name} ({device.platform})" for device in unable)
    advice = f"pip install {drivers.WHEEL}: its driver for x86 CPUs takes SPIR-V"
    return Check("spir-v", False, f"not supported by {names}", advice)


def _tools() -> Iterator[Check]:
    beside = str(Path(sys.executable).parent)
    path = os.pathsep.join([beside, os.environ.get("PATH", "")])
    for name, candidates, package in (
        ("c++ compiler", (os.environ.get("CXX") or "c++", "g++", "clang++"), "g++"),
        ("cmake", ("cmake",), "cmake (or pip install cmake)"),
        ("build tool", ("ninja", "make"), "ninja-build or make (or pip install ninja)"),
    ):
        found = next((place for c in candidates if (place := shutil.which(c, path=path))), None)
        advice = "" if found else f"install {package}"
        yield Check(name, found is not None, found or "not found", advice)


def _cache() -> Check:
    advice = "set XDG_CACHE_HOME to a folder of your own that can be written"
    try:
        folder = paths.cache_dir()
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ConfigurationError) as error:
        return Check("cache folder", False, str(error), advice)
    fine = os.access(folder, os.W_OK)
    return Check("cache folder", fine, str(folder), "" if fine else advice)
