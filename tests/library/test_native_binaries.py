# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Native binaries: used where they fit, else the SPIR-V beside them; never a wrong one."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from hornbeam.device import tunable_device
from hornbeam.errors import DeviceError

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "tests-native"
PROGRAM = Path("tests", "cpp", "hornbeam_native_test")
NAMES = [
    *("binary_of_another_device", "binary_of_another_driver", "binary_of_another_processor"),
    *("binary_that_is_none", "empty_binary", "fitting_binary_is_used"),
    *("loaded_kernel_is_owned_by_sycl_alone", "missing_kernel_frees_what_it_made"),
    "truncated_binary",
]
OLDEST, NEWEST = "corei7", "graniterapids"  # processors that the CPU driver generates for


def run(program: Path, *words: str | Path, generate_for: str | None = None) -> list[str]:
    """Run the test program in a process of its own; returns its lines."""
    more = {} if generate_for is None else {"CL_CONFIG_CPU_TARGET_ARCH": generate_for}
    environment = {**os.environ, **more}
    done = subprocess.run(
        [program, *words], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def program(build_folder: Path) -> Path:
    return build_folder / PROGRAM


@pytest.fixture(scope="module")
def cpu_driver(build_folder: Path) -> None:
    """Skips where `CL_CONFIG_CPU_TARGET_ARCH` means nothing."""
    if platform.machine() != "x86_64" or "Intel" not in tunable_device().platform:
        pytest.skip("needs the OpenCL driver for x86 CPUs of the dpcpp-cpp-rt wheel")


@pytest.fixture(scope="module")
def native_program(driver_environment: None) -> Path:
    """The program with a library that was built with native binaries for the device at hand."""
    try:
        tunable_device()
    except DeviceError as error:
        pytest.skip(f"no device to make binaries for: {error}")
    tools = Path(sys.executable).parent
    variables = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    for command in (
        [
            *("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            *(f"-DHORNBEAM_PYTHON={sys.executable}", "-DHORNBEAM_TUNE=OFF"),
            *("-DHORNBEAM_NATIVE_BINARIES=ON", "-DHORNBEAM_DATA_TYPES=float"),
        ],
        ["cmake", "--build", BUILD, "--target", "hornbeam_native_test"],
    ):
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return BUILD / PROGRAM


def test_all_are_run(program: Path) -> None:
    assert run(program) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_loading(program: Path, name: str) -> None:
    run(program, name)


def test_default_is_spirv_alone(program: Path) -> None:
    assert set(run(program, "embedded")) == {"spirv"}


def test_library_with_the_option_loads_native_binaries(native_program: Path) -> None:
    assert set(run(native_program, "embedded")) == {"native"}


def test_library_with_the_option_runs_where_the_driver_generates_for_another_processor(
    native_program: Path, cpu_driver: None
) -> None:
    assert set(run(native_program, "embedded", generate_for=OLDEST)) == {"spirv"}


def test_binary_for_a_newer_processor_is_not_run(
    program: Path, cpu_driver: None, tmp_path: Path
) -> None:
    """Name, driver and processor are equal, as where only a switch of the driver differs."""
    binary = tmp_path / "binary"
    run(program, "make", binary, generate_for=NEWEST)
    if "amx_fp16" not in Path("/proc/cpuinfo").read_text(encoding="utf-8"):
        assert run(program, "load", binary) == ["spirv"]
    assert run(program, "load", binary, generate_for=OLDEST) == ["spirv"]


def test_binary_for_an_older_processor_computes_right(
    program: Path, cpu_driver: None, tmp_path: Path
) -> None:
    """The driver takes it, and compiles anew what is inside."""
    binary = tmp_path / "binary"
    run(program, "make", binary, generate_for=OLDEST)
    assert run(program, "load", binary) == ["native"]
