# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""hornbeam as headers, compiled with the program; and what is said where that can't be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from consumers import ROOT, SMALLEST, TOOLS, Run


@pytest.fixture(scope="module")
def adaptivecpp() -> Path:
    """Install folder of AdaptiveCpp."""
    acpp = shutil.which("acpp")
    if acpp is None:
        pytest.skip("AdaptiveCpp is not here: acpp is not on PATH")
    return Path(acpp).resolve().parents[1]


@pytest.fixture(scope="module")
def built(
    adaptivecpp: Path, run: Run, stored_key: str, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Build folder of a project that holds hornbeam as a subdirectory."""
    folder = tmp_path_factory.mktemp("add_subdirectory")
    options = {"TARGET_DEVICE": stored_key, "PYTHON": sys.executable, "INSTALL": "ON", **SMALLEST}
    run(
        *("cmake", "-S", Path(__file__).parent / "add_subdirectory", "-B", folder, "-G", "Ninja"),
        *("-DCMAKE_BUILD_TYPE=Release", f"-DHORNBEAM_SOURCE={ROOT}", "-DHORNBEAM_SYCL=ADAPTIVECPP"),
        *(f"-DCMAKE_PREFIX_PATH={adaptivecpp}", "-DACPP_TARGETS=omp.library-only"),
        *(f"-DHORNBEAM_{name}={value}" for name, value in options.items()),
    )
    run("cmake", "--build", folder)
    return folder


def test_subproject_runs(built: Path, run: Run) -> None:
    assert "right" in run(built / "program")


def test_install_tree_is_found_and_runs(
    built: Path, adaptivecpp: Path, run: Run, tmp_path: Path
) -> None:
    """After it was moved."""
    run("cmake", "--install", built, "--prefix", tmp_path / "first")
    prefix = shutil.move(tmp_path / "first", tmp_path / "moved")
    assert not list(Path(prefix).rglob("libhornbeam*"))
    run(
        *("cmake", "-S", ROOT / "test_package", "-B", tmp_path / "build", "-G", "Ninja"),
        *("-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_PREFIX_PATH={prefix};{adaptivecpp}"),
        "-DACPP_TARGETS=omp.library-only",
    )
    run("cmake", "--build", tmp_path / "build")
    assert "right" in run(tmp_path / "build" / "test_package")


@pytest.mark.parametrize(
    ("toolchain", "message"),
    [
        ("ADAPTIVECPP", "there is no AdaptiveCpp; add its install folder to CMAKE_PREFIX_PATH"),
        ("DPCPP", "takes no -fsycl; set CMAKE_CXX_COMPILER to icpx"),
        ("HIPSYCL", "unknown HORNBEAM_SYCL 'HIPSYCL'; valid: AUTO, WHEEL, ADAPTIVECPP, DPCPP"),
    ],
)
def test_missing_toolchain_is_named(toolchain: str, message: str, tmp_path: Path) -> None:
    assert message in refusal(tmp_path, SYCL=toolchain)


@pytest.mark.parametrize(
    ("option", "value"), [("NATIVE_BINARIES", "ON"), ("SANITIZE", "address,undefined")]
)
def test_what_headers_cannot_do_is_refused(option: str, value: str, tmp_path: Path) -> None:
    message = refusal(tmp_path, SYCL="DPCPP", **{option: value})
    assert f"HORNBEAM_{option} is '{value}', which HORNBEAM_SYCL=WHEEL alone can do" in message


def refusal(folder: Path, **changes: str) -> str:
    """What a configure run says that must fail."""
    compiler = shutil.which("g++")
    if compiler is None:
        pytest.skip("needs a compiler that is not one of SYCL: g++ is not on PATH")
    options = {"TUNE": "OFF", "PYTHON": sys.executable, **SMALLEST, **changes}
    done = subprocess.run(
        [
            *("cmake", "-S", ROOT, "-B", folder, f"-DCMAKE_CXX_COMPILER={compiler}"),
            "-DCMAKE_DISABLE_FIND_PACKAGE_AdaptiveCpp=ON",
            *(f"-DHORNBEAM_{name}={value}" for name, value in options.items()),
        ],
        env={**os.environ, "PATH": os.pathsep.join([str(TOOLS), os.environ["PATH"]])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    return " ".join(done.stderr.split())
