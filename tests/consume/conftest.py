# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What the tests of all ways to consume hornbeam share."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from consumers import ROOT, SMALLEST, TOOLS, Built, Run
from hornbeam.device import environment, wheel_prefix


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs a command and returns what it printed; fails the test where the command fails."""

    def run_command(
        *command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None
    ) -> str:
        path = os.pathsep.join([str(TOOLS), os.environ["PATH"]])
        done = subprocess.run(
            [str(word) for word in command],
            cwd=cwd,
            env={**os.environ, "PATH": path, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            line = " ".join(map(str, command))
            pytest.fail(f"{line}\nexit code {done.returncode}\n{done.stdout[-6000:]}")
        return done.stdout

    return run_command


@pytest.fixture(scope="session")
def stored_key() -> str:
    """Key of a device with a stored dataset: building for it needs no such device."""
    keys = sorted(path.parent.name for path in ROOT.glob("tuning/datasets/*/device.json"))
    if not keys:
        pytest.skip("no dataset is stored in tuning/datasets")
    return keys[0]


@pytest.fixture(scope="session")
def program_environment() -> dict[str, str]:
    """Variables with which a program finds the CPU's driver, as `hornbeam env` prints them."""
    prefix = wheel_prefix()
    if prefix is None:
        pytest.skip("dpcpp-cpp-rt is not installed in this Python environment")
    return environment(prefix)


@pytest.fixture(scope="session")
def build(
    run: Run, stored_key: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[bool], Built]:
    """Builds a project that holds hornbeam as a subdirectory, shared or not; each once."""
    options = {"TARGET_DEVICE": stored_key, "PYTHON": sys.executable, "INSTALL": "ON", **SMALLEST}
    options["BUILD_PYTHON"] = "ON"
    project = Path(__file__).parent / "add_subdirectory"

    @cache
    def build_project(shared: bool) -> Built:
        folder = tmp_path_factory.mktemp("add_subdirectory")
        run(
            *("cmake", "-S", project, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
            *(f"-DHORNBEAM_SOURCE={ROOT}", f"-DBUILD_SHARED_LIBS={'ON' if shared else 'OFF'}"),
            *(f"-DHORNBEAM_{name}={value}" for name, value in options.items()),
        )
        run("cmake", "--build", folder)
        return Built(folder, shared)

    return build_project


@pytest.fixture(scope="session")
def install(
    build: Callable[[bool], Built], run: Run, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[bool], Path]:
    """Makes the install tree of such a project, moved from where it was installed to."""

    @cache
    def install_project(shared: bool) -> Path:
        folder = tmp_path_factory.mktemp("install")
        run("cmake", "--install", build(shared).folder, "--prefix", folder / "first")
        return Path(shutil.move(folder / "first", folder / "moved"))

    return install_project


@pytest.fixture(scope="session")
def conan(run: Run) -> Run:
    """Runs Conan on the checkout's own cache."""
    if shutil.which("conan", path=str(TOOLS)) is None:
        pytest.skip("conan is not installed beside this interpreter")
    home = os.environ.get("CONAN_HOME", str(ROOT / ".conan2"))
    if not Path(home, "profiles", "default").is_file():
        run("conan", "profile", "detect", env={"CONAN_HOME": home})

    def run_conan(*words: str | Path, cwd: Path = ROOT) -> str:
        return run("conan", *words, cwd=cwd, env={"CONAN_HOME": home})

    return run_conan
