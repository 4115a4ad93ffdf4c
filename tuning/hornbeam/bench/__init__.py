# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Tools that touch the device: built, called and kept in check as child processes."""

from hornbeam.bench.contention import slowness
from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.driver import Driver, DriverCrashError, DriverTimeoutError
from hornbeam.bench.modules import CompiledModules, compile_functions
from hornbeam.bench.sources import DeviceFunction, device_source, kernel_digest, kernel_headers
from hornbeam.bench.tools import Tools, build_tools, module_cache_dir

__all__ = [
    "CompiledModules",
    "Deadline",
    "DeadlineError",
    "DeviceFunction",
    "Driver",
    "DriverCrashError",
    "DriverTimeoutError",
    "Tools",
    "build_tools",
    "compile_functions",
    "device_source",
    "kernel_digest",
    "kernel_headers",
    "module_cache_dir",
    "slowness",
]
