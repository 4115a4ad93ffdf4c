# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark driver's process: answers, hangs, crashes, nonsense."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from hornbeam.bench import Deadline, DeadlineError, Driver, DriverCrashError, DriverTimeoutError
from hornbeam.bench.memory import last_level_cache_bytes, rotation
from hornbeam.errors import BenchmarkError, DeviceError
from tuning_helpers import HERE

COMMAND = (sys.executable, str(HERE / "fake_driver.py"))


def _driver(tmp_path: Path, behaviour: dict[str, object] | None = None) -> Driver:
    rules = tmp_path / "behaviour.json"
    rules.write_text(json.dumps(behaviour or {}))
    return Driver(COMMAND, {"FAKE_BEHAVIOUR": str(rules)})


def _fields(function: str = "good") -> dict[str, str]:
    return {
        "command": "measure",
        "function": function,
        "launch": "1,1,8,8",
        "problem": "8,8,8,1,0,0",
        "slow_s": "1",
        "samples": "3",
    }


def test_requests_are_answered(tmp_path: Path) -> None:
    with _driver(tmp_path) as driver:
        answers = [driver.request(_fields(), 20.0) for _ in range(3)]
    assert len(answers[0]["times_s"]) == 3
    assert answers[0] == answers[2]
    assert driver.starts == 1


def test_a_hang_costs_one_request(tmp_path: Path) -> None:
    with _driver(tmp_path, {"measure": {"bad": "hang"}}) as driver:
        driver.request(_fields(), 20.0)
        begin_s = time.monotonic()
        with pytest.raises(DriverTimeoutError, match=r"within 0\.3 s"):
            driver.request(_fields("bad"), 0.3)
        assert time.monotonic() - begin_s < 10.0
        assert driver.request(_fields(), 20.0)["status"] == "ok"
    assert driver.starts == 2


@pytest.mark.parametrize("kind", ["crash", "garbage", "list", "endless"])
def test_crashes_and_nonsense_cost_one_request(tmp_path: Path, kind: str) -> None:
    with _driver(tmp_path, {"measure": {"bad": kind}}) as driver:
        with pytest.raises(DriverCrashError) as caught:
            driver.request(_fields("bad"), 20.0)
        assert driver.request(_fields(), 20.0)["status"] == "ok"
    if kind == "crash":
        assert "segmentation fault" in str(caught.value)
        assert "exit status -6" in str(caught.value)


def test_no_device(tmp_path: Path) -> None:
    ready = {"ready": False, "message": "pocl takes no SPIR-V"}
    with (
        _driver(tmp_path, {"ready": ready}) as driver,
        pytest.raises(DeviceError, match="pocl takes no SPIR-V"),
    ):
        driver.request(_fields(), 20.0)


def test_a_driver_that_cannot_start(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="cannot be started"):
        Driver((str(tmp_path / "none"),)).request(_fields(), 20.0)
    with pytest.raises(BenchmarkError, match="does not start"):
        Driver((sys.executable, "-c", "pass")).request(_fields(), 20.0)


def test_the_child_does_not_outlive_its_block(tmp_path: Path) -> None:
    with _driver(tmp_path) as driver:
        driver.request(_fields(), 20.0)
        assert driver._child is not None
        pid = driver._child.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_requests_cannot_smuggle_fields() -> None:
    with Driver(COMMAND) as driver, pytest.raises(BenchmarkError, match="tabs"):
        driver.request({**_fields(), "launch": "1\tcommand=verify"}, 5.0)


def test_deadlines() -> None:
    Deadline().check()
    assert Deadline.after(50.0).remaining_s() > 40.0
    past = Deadline.after(-1.0)
    assert past.remaining_s() == 0.0
    with pytest.raises(DeadlineError):
        past.check()


def test_cache_sizes(tmp_path: Path) -> None:
    for index, size in enumerate(("32K", "1024K", "33M", "strange")):
        folder = tmp_path / f"index{index}"
        folder.mkdir()
        (folder / "size").write_text(size + "\n")
    assert last_level_cache_bytes(tmp_path) == 33 << 20
    assert last_level_cache_bytes(tmp_path / "none") == 32 << 20
    assert rotation().size_bytes > 0
