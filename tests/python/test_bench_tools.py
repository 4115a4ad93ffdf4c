# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Building the tools: what is run, and errors that say what is missing."""

from __future__ import annotations

import fcntl
import shlex
import sys
import time
from pathlib import Path

import pytest

from hornbeam.bench import Deadline, DeadlineError, build_tools
from hornbeam.errors import BenchmarkError

TOOLS = "hornbeam.bench.tools"


def _cmake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> Path:
    """Replace cmake by a shell script; returns the log of its calls."""
    log = tmp_path / "cmake.log"
    program = tmp_path / "cmake"
    program.write_text(f'#!/bin/sh\necho "$@" >> {shlex.quote(str(log))}\n{script}\n')
    program.chmod(0o755)
    monkeypatch.setattr(f"{TOOLS}._program", lambda name: str(program))
    monkeypatch.setattr(f"{TOOLS}.wheel_prefix", lambda: tmp_path / "prefix")
    return log


CONFIGURE = 'if [ "$1" = -S ]; then touch "$4/CMakeCache.txt" "$4/build.ninja"; fi'


def test_tools_are_configured_once_and_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = _cmake(tmp_path, monkeypatch, CONFIGURE)
    first = build_tools(Deadline(), tmp_path / "cache")
    assert build_tools(Deadline(), tmp_path / "cache") == first
    calls = log.read_text().splitlines()
    assert [call.split()[0] for call in calls] == ["-S", "--build", "--build"]
    assert f"-DHORNBEAM_PYTHON={sys.executable}" in calls[0]
    assert first.driver[0].endswith("hornbeam-bench")


def test_a_failing_build_shows_the_end_of_its_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cmake(tmp_path, monkeypatch, "seq 1 99\necho 'no C++ compiler' >&2\nexit 1")
    with pytest.raises(BenchmarkError) as caught:
        build_tools(Deadline(), tmp_path / "cache")
    assert "no C++ compiler" in str(caught.value)
    assert "\n99\n" in str(caught.value)
    assert "\n10\n" not in str(caught.value)


def test_a_build_ends_at_the_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _cmake(tmp_path, monkeypatch, "sleep 60")
    with pytest.raises(DeadlineError, match="tools were built"):
        build_tools(Deadline.after(0.5), tmp_path / "cache")


def test_without_the_wheel_nothing_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{TOOLS}.wheel_prefix", lambda: None)
    with pytest.raises(BenchmarkError, match="pip install dpcpp-cpp-rt"):
        build_tools(Deadline(), tmp_path / "cache")


def test_without_cmake_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{TOOLS}.wheel_prefix", lambda: tmp_path)
    monkeypatch.setattr(f"{TOOLS}._find", lambda name: None)
    with pytest.raises(BenchmarkError, match="cmake is not found; install it"):
        build_tools(Deadline(), tmp_path / "cache")


def test_waiting_for_another_build_ends_at_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cmake(tmp_path, monkeypatch, CONFIGURE)
    build_tools(Deadline(), tmp_path / "cache")
    (lock,) = (tmp_path / "cache").rglob(".lock")
    begin_s = time.monotonic()
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(DeadlineError, match="waiting for another build"):
            build_tools(Deadline.after(0.5), tmp_path / "cache")
    assert time.monotonic() - begin_s < 5.0
    build_tools(Deadline.after(20.0), tmp_path / "cache")


def test_a_cache_that_cannot_be_written_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _cmake(tmp_path, monkeypatch, CONFIGURE)
    (tmp_path / "cache").touch()
    with pytest.raises(BenchmarkError, match="cannot be written"):
        build_tools(Deadline(), tmp_path / "cache")
