# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the library with its C++ tests, once, in build/tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import two_targets
from hornbeam.device import environment, wheel_prefix
from library_binding import Library

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "tests"
DATASETS = ROOT / "build" / "tests-datasets"


@pytest.fixture(scope="session", autouse=True)
def driver_environment() -> None:
    """Lets the SYCL runtime in this process, and in its children, find the CPU's driver."""
    prefix = wheel_prefix()
    if prefix is None:
        pytest.skip("dpcpp-cpp-rt is not installed in this Python environment")
    os.environ.update(environment(prefix))


@pytest.fixture(scope="session")
def targets() -> list[str]:
    """Keys of the two targets: of a stored dataset, and of one that is made up."""
    keys = sorted(path.parent.name for path in ROOT.glob("tuning/datasets/*/device.json"))
    if not keys:
        pytest.skip("no dataset is stored in tuning/datasets")
    return [keys[0], two_targets.sibling(keys[0])]


@pytest.fixture(scope="session")
def build_folder(driver_environment: None, targets: list[str]) -> Path:
    """A build folder with everything built, for two targets."""
    two_targets.store(targets[1], DATASETS)
    tools = Path(sys.executable).parent
    variables = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    for command in (
        [
            *("cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            *(f"-DHORNBEAM_PYTHON={sys.executable}", "-DHORNBEAM_NUM_KERNELS=4"),
            *(f"-DHORNBEAM_TARGET_DEVICE={';'.join(targets)}", "-DHORNBEAM_TUNE=REUSE"),
            f"-DHORNBEAM_DATASET_DIR={DATASETS}",
            *("-DHORNBEAM_BUILD_TESTS=ON", "-DHORNBEAM_BUILD_PYTHON=ON"),
            "-DHORNBEAM_DATA_TYPES=float;double;half",
        ],
        ["cmake", "--build", BUILD],
    ):
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return BUILD


@pytest.fixture(scope="session")
def library(build_folder: Path) -> Library:
    """The library, loaded into this process."""
    return Library(build_folder)
