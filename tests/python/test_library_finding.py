# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Where the compiled library is looked for, and what is said when it is not there."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy.random.mtrand as some_module
import pytest

import hornbeam
from hornbeam.errors import LibraryError, LibraryNotFoundError
from hornbeam.library import Library, default_library, find_library

MODULE = "libhornbeam_python.so"


@pytest.fixture(autouse=True)
def _nothing_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HORNBEAM_LIBRARY", raising=False)
    monkeypatch.delenv("CMAKE_PREFIX_PATH", raising=False)


def _put(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MODULE).touch()
    return folder / MODULE


@pytest.mark.parametrize("place", ["", "lib", "lib64"])
def test_in_a_build_folder_or_a_prefix(tmp_path: Path, place: str) -> None:
    module = _put(tmp_path / place)
    assert find_library(tmp_path) == module
    assert find_library(str(module)) == module


def test_argument_before_variable_before_prefixes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    modules = {name: _put(tmp_path / name / "lib") for name in ("given", "named", "other", "own")}
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "own"))
    assert find_library() == modules["own"]
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "empty"))
    monkeypatch.setenv("CMAKE_PREFIX_PATH", f"{tmp_path / 'nothing'}:{tmp_path / 'other'}")
    assert find_library() == modules["other"]
    monkeypatch.setenv("HORNBEAM_LIBRARY", str(tmp_path / "named"))
    assert find_library() == modules["named"]
    assert find_library(tmp_path / "given") == modules["given"]


def test_what_is_named_and_missing_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = _put(tmp_path / "lib")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setenv("HORNBEAM_LIBRARY", str(tmp_path / "gone"))
    with pytest.raises(LibraryNotFoundError) as caught:
        find_library()
    assert f"{tmp_path}/gone/lib/{MODULE}" in str(caught.value)
    assert str(module) not in str(caught.value)
    assert "HORNBEAM_BUILD_PYTHON=ON" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "why"),
    [(b"", "file too short"), (Path(some_module.__file__).read_bytes(), "undefined")],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, why: str) -> None:
    module = tmp_path / MODULE
    module.write_bytes(content)
    with pytest.raises(LibraryError, match=rf"{MODULE}: cannot be loaded: .*{why}"):
        Library(tmp_path)


def test_functions_of_the_package_say_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HORNBEAM_LIBRARY", str(tmp_path))
    default_library.cache_clear()
    with pytest.raises(LibraryNotFoundError, match=MODULE):
        hornbeam.matmul([[1.0]], [[1.0]])
    with pytest.raises(AttributeError, match="no attribute 'multiply'"):
        hornbeam.multiply  # noqa: B018
