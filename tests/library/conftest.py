# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the library with its C++ tests, once for each SYCL toolchain that is here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import two_targets
from hornbeam.device import environment, tunable_device, wheel_prefix
from library_binding import Library

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = {"WHEEL": "tests", "ADAPTIVECPP": "tests-acpp"}
DATASETS = ROOT / "build" / "tests-datasets"

_ANY_POINTER = "its OpenMP back-end takes any pointer for USM"
_NO_MODULES = (
    "kernels are compiled with the program, so there are no modules, nor a choice of target"
)
_NO_HALF = "its OpenMP device lacks fp16"
ADAPTIVECPP_LACKS = {
    "foreign_workspace_is_refused": _ANY_POINTER,
    "foreign_pointer_is_refused": _ANY_POINTER,
    "test_pointer_that_is_not_usm": _ANY_POINTER,
    "test_arrays_of_the_device_are_not_copied": _ANY_POINTER,
    "test_usm_arrays_are_not_copied": _ANY_POINTER,
    "test_modules.py": _NO_MODULES,
    "test_native_binaries.py": _NO_MODULES,
    "test_targets.py": _NO_MODULES,
    "hot_path": "what its runtime allocates is its own",
    "test_half.py": _NO_HALF,
    "float16": _NO_HALF,
    "errors_of_dependencies_reach_the_handler": "it has no host_task to make an error with",
    "sub_buffers": "it has no sub-buffers",
    "test_machine_without_a_device": "its OpenMP device is always there",
}
"""Part of a test's name -> why it is skipped."""


@pytest.fixture(scope="session")
def driver_environment() -> None:
    """Lets the SYCL runtime in this process, and in its children, find the CPU's driver."""
    prefix = wheel_prefix()
    if prefix is None:
        pytest.skip("dpcpp-cpp-rt is not installed in this Python environment")
    os.environ.update(environment(prefix))


@pytest.fixture(scope="session", params=FOLDERS)
def toolchain(request: pytest.FixtureRequest) -> str:
    """A value of HORNBEAM_SYCL."""
    return str(request.param)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips what a toolchain lacks."""
    for item in items:
        if "ADAPTIVECPP" in item.nodeid:
            for name, reason in ADAPTIVECPP_LACKS.items():
                if name in item.nodeid:
                    item.add_marker(pytest.mark.skip(reason=f"AdaptiveCpp: {reason}"))


@pytest.fixture(scope="session")
def targets(driver_environment: None) -> list[str]:
    """Keys of the two targets: of a stored dataset, this device's if there is one, and made up."""
    keys = sorted(path.parent.name for path in ROOT.glob("tuning/datasets/*/device.json"))
    if not keys:
        pytest.skip("no dataset is stored in tuning/datasets")
    here = tunable_device().key
    stored = here if here in keys else keys[0]
    return [stored, two_targets.sibling(stored)]


@pytest.fixture(scope="session")
def toolchain_options(
    toolchain: str, targets: list[str], request: pytest.FixtureRequest
) -> list[str]:
    """What CMake is told that depends on the toolchain."""
    if toolchain == "WHEEL":
        request.getfixturevalue("driver_environment")
        two_targets.store(targets[1], DATASETS)
        return [
            f"-DHORNBEAM_NUM_KERNELS={len(two_targets.KERNELS)}",
            "-DHORNBEAM_DATA_TYPES=float;double;half",
            f"-DHORNBEAM_TARGET_DEVICE={';'.join(targets)}",
            f"-DHORNBEAM_DATASET_DIR={DATASETS}",
        ]
    acpp = shutil.which("acpp")
    if acpp is None and "AdaptiveCpp_DIR" not in os.environ:
        pytest.skip("AdaptiveCpp is not here: acpp is not on PATH, AdaptiveCpp_DIR is not set")
    # Every program compiles its kernels, so there are fewer.
    options = ["-DHORNBEAM_NUM_KERNELS=2", f"-DHORNBEAM_TARGET_DEVICE={targets[0]}"]
    options.append(f"-DACPP_TARGETS={os.environ.get('ACPP_TARGETS', 'omp.library-only')}")
    if acpp is not None:
        options.append(f"-DCMAKE_PREFIX_PATH={Path(acpp).resolve().parents[1]}")
    return options


@pytest.fixture(scope="session")
def build_folder(toolchain: str, toolchain_options: list[str]) -> Path:
    """A build folder with everything built, for targets whose datasets are stored."""
    return build(FOLDERS[toolchain], toolchain, toolchain_options, [])


def build(name: str, toolchain: str, options: list[str], wanted: list[str]) -> Path:
    """Configure and build a folder.

    Args:
        name: of the folder.
        toolchain: a value of HORNBEAM_SYCL.
        options: for CMake.
        wanted: CMake targets, all where empty.
    """
    folder = ROOT / "build" / name
    tools = Path(sys.executable).parent
    variables = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    for command in (
        [
            *("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            *(f"-DHORNBEAM_SYCL={toolchain}", *options),
            *(f"-DHORNBEAM_PYTHON={sys.executable}", "-DHORNBEAM_TUNE=REUSE"),
            *("-DHORNBEAM_BUILD_TESTS=ON", "-DHORNBEAM_BUILD_PYTHON=ON"),
        ],
        ["cmake", "--build", folder, *(f"--target={target}" for target in wanted)],
    ):
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return folder


@pytest.fixture(scope="session")
def sliced_folder(toolchain: str, toolchain_options: list[str]) -> Path:
    """A build folder with kernels that cut k, which are not bit-stable."""
    datasets = DATASETS.with_name(f"{DATASETS.name}-slices")
    two_targets.store(two_targets.SLICED_KEY, datasets, two_targets.SLICED)
    own = [
        *(f"-DHORNBEAM_TARGET_DEVICE={two_targets.SLICED_KEY}", "-DHORNBEAM_BIT_STABLE=OFF"),
        *(f"-DHORNBEAM_DATASET_DIR={datasets}", "-DHORNBEAM_NUM_KERNELS=0"),
    ]
    wanted = ["hornbeam_python", "hornbeam_workspace_test"]
    return build(f"{FOLDERS[toolchain]}-slices", toolchain, [*toolchain_options, *own], wanted)


@pytest.fixture(scope="session")
def sliced(sliced_folder: Path) -> Library:
    """The library of that folder, loaded into this process."""
    return Library(sliced_folder)


@pytest.fixture(scope="session")
def library(build_folder: Path) -> Library:
    """The library, loaded into this process."""
    return Library(build_folder)
