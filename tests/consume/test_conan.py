# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""hornbeam and the SYCL runtime as Conan packages, without a remote; static and shared."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from consumers import ROOT, SMALLEST, Run

ARGUMENTS = (
    "--no-remote",
    f"-c=user.hornbeam:python={sys.executable}",
    "-c=tools.cmake.cmaketoolchain:generator=Ninja",
    "-c=tools.cmake.cmaketoolchain:user_presets=",
    f"-c=tools.cmake.cmake_layout:test_folder={ROOT / 'build' / 'test_package'}",
)


@dataclass(frozen=True)
class Created:
    """A package of hornbeam in Conan's cache, and the package of the runtime that it needs."""

    arguments: tuple[str, ...]
    folder: Path
    runtime_folder: Path
    output: str


@pytest.fixture(scope="module")
def sycl_wheel(conan: Run) -> None:
    conan("create", ROOT / "conan" / "sycl-wheel", "--build=missing", *ARGUMENTS)


@pytest.fixture(scope="module", params=[False, True], ids=["static", "shared"])
def created(
    request: pytest.FixtureRequest,
    conan: Run,
    stored_key: str,
    sycl_wheel: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> Created:
    options = {"shared": request.param, "target_device": stored_key}
    options |= {name.lower(): value for name, value in SMALLEST.items()}
    arguments = (*ARGUMENTS, *(f"-o=hornbeam/*:{name}={value}" for name, value in options.items()))
    output = conan("create", ROOT, "--build=missing", *arguments)
    graph = tmp_path_factory.mktemp("graph") / "graph.json"
    requires = f"--requires=hornbeam/{(ROOT / 'VERSION').read_text(encoding='utf-8').strip()}"
    conan("graph", "info", requires, "--format=json", f"--out-file={graph}", *arguments)
    nodes = json.loads(graph.read_text(encoding="utf-8"))["graph"]["nodes"].values()
    folders = {}
    for node in nodes:
        if node["package_id"]:
            reference = f"{node['ref']}:{node['package_id']}#{node['prev']}"
            place = conan("cache", "path", reference).strip().splitlines()[-1]
            folders[node["name"]] = Path(place)
    return Created(arguments, folders["hornbeam"], folders["sycl-wheel"], output)


def test_program_runs_in_the_run_environment(created: Created) -> None:
    assert "right" in created.output


def test_package_outlives_build_folders(created: Created, conan: Run) -> None:
    """Neither folders that building leaves nor the Python environment are needed afterwards."""
    conan("cache", "clean", "hornbeam/*", "--build", "--source", "--temp")
    conan("cache", "clean", "sycl-wheel/*", "--build", "--source", "--temp")
    reference = f"hornbeam/{(ROOT / 'VERSION').read_text(encoding='utf-8').strip()}"
    assert "right" in conan("test", ROOT / "test_package", reference, *created.arguments)
    environment = str(Path(sys.prefix).resolve()).encode()
    files = [path for path in created.folder.rglob("*") if path.is_file()]
    assert [path for path in files if environment in path.read_bytes()] == []


def test_runtime_package_holds_no_copies(created: Created) -> None:
    """Wheels hold libx.so, libx.so.1 and libx.so.1.2 as copies, the package holds links."""
    library = created.runtime_folder / "lib" / "libsycl.so"
    assert library.is_symlink() and library.exists()
    files = [path for path in created.runtime_folder.rglob("*") if not path.is_symlink()]
    assert sum(path.stat().st_size for path in files) < 800e6


def test_package_tells_what_it_was_made_from(created: Created, stored_key: str) -> None:
    (manifest,) = created.folder.rglob("manifest.json")
    assert stored_key in manifest.read_text(encoding="utf-8")
