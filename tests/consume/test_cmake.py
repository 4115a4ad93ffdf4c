# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""hornbeam as a part of a CMake project, and from its install tree; static and shared."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from consumers import ROOT, Built, Run


@pytest.fixture(scope="module", params=[False, True], ids=["static", "shared"])
def built(request: pytest.FixtureRequest, build: Callable[[bool], Built]) -> Built:
    return build(request.param)


@pytest.fixture(scope="module")
def installed(built: Built, install: Callable[[bool], Path]) -> Path:
    return install(built.shared)


def configure(run: Run, prefix: Path, folder: Path, *more: str) -> str:
    return run(
        *("cmake", "-S", ROOT / "test_package", "-B", folder, "-G", "Ninja"),
        *("-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix}"),
        *(f"-DHORNBEAM_PYTHON={sys.executable}", *more),
    )


def test_subproject_runs(built: Built, run: Run, program_environment: dict[str, str]) -> None:
    assert "right" in run(built.folder / "program", env=program_environment)


def test_subproject_stays_small(built: Built) -> None:
    """Tests and their like are off where hornbeam is not the top-level project."""
    names = {path.name for path in built.folder.rglob("CTestTestfile.cmake")}
    assert not names


def test_install_tree_is_found_and_runs(
    installed: Path, run: Run, tmp_path: Path, program_environment: dict[str, str]
) -> None:
    configure(run, installed, tmp_path)
    run("cmake", "--build", tmp_path)
    assert "right" in run(tmp_path / "test_package", env=program_environment)


def test_install_tree_works_from_python(
    installed: Path, run: Run, program_environment: dict[str, str]
) -> None:
    script = (
        "import numpy as np, hornbeam\n"
        "a = np.arange(6, dtype=np.float32).reshape(2, 3)\n"
        "print(np.array_equal(hornbeam.matmul(a, a.T), a @ a.T))"
    )
    places = {"PYTHONPATH": str(ROOT / "tuning"), "HORNBEAM_LIBRARY": str(installed)}
    output = run(sys.executable, "-c", script, env={**program_environment, **places})
    assert output.strip() == "True"


def test_install_tree_holds_the_wanted_library(installed: Path, built: Built) -> None:
    suffixes = {path.suffix for path in installed.rglob("libhornbeam.*")}
    assert (".so" in suffixes, ".a" in suffixes) == (built.shared, not built.shared)
    assert not list(installed.rglob("kernel_cache.hpp")), "private headers are not installed"


def test_other_major_version_is_refused(installed: Path, run: Run, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.21)\nproject(other LANGUAGES CXX)\n"
        "find_package(hornbeam 99 CONFIG QUIET)\n"
        'message(STATUS "found: ${hornbeam_FOUND}")\n',
        encoding="utf-8",
    )
    output = run("cmake", "-S", project, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={installed}")
    assert "found: 0" in output
