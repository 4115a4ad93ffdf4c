# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark driver's process: answers, hangs, crashes, nonsense."""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from hornbeam.bench import Deadline, DeadlineError, Driver, DriverCrashError, DriverTimeoutError
from hornbeam.bench.memory import last_level_cache_bytes, rotation
from hornbeam.errors import BenchmarkError, DeviceError
from hornbeam.types import DeviceInfo
from tuning_helpers import HERE, device, lines

COMMAND = (sys.executable, str(HERE / "fake_driver.py"))


def _driver(
    tmp_path: Path,
    behaviour: dict[str, object] | None = None,
    found: DeviceInfo | None = None,
    **variables: str,
) -> Driver:
    rules = tmp_path / "behaviour.json"
    rules.write_text(json.dumps(behaviour or {}))
    log = str(tmp_path / "driver.log")
    return Driver(
        COMMAND,
        found or device(),
        {"FAKE_BEHAVIOUR": str(rules), "FAKE_LOG": log, **variables},
    )


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
        Driver((str(tmp_path / "none"),), device()).request(_fields(), 20.0)
    with pytest.raises(BenchmarkError, match="does not start"):
        Driver((sys.executable, "-c", "pass"), device()).request(_fields(), 20.0)


@pytest.mark.parametrize(
    ("type_", "selector"),
    [("cpu", "opencl:cpu"), ("gpu", "opencl:gpu"), ("accelerator", "opencl:*")],
)
def test_the_child_looks_for_the_tuned_device_whatever_the_user_prefers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, type_: str, selector: str
) -> None:
    monkeypatch.setenv("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu")
    preferred = {"ONEAPI_DEVICE_SELECTOR": "cuda:*"}
    with _driver(tmp_path, found=replace(device(), type=type_), **preferred) as driver:
        driver.start()
    assert lines(tmp_path / "driver.log") == [f"start {selector}"]


@pytest.mark.parametrize("other", [{"device": "A GPU"}, {"driver": "driver 2"}, {"device": None}])
def test_times_of_another_device_are_refused(tmp_path: Path, other: dict[str, object]) -> None:
    ready = {"ready": True, "device": "A CPU", "driver": "driver 1", **other}
    with _driver(tmp_path, {"ready": ready}) as driver:
        with pytest.raises(DeviceError) as caught:
            driver.request(_fields(), 20.0)
        assert driver._child is None
    message = str(caught.value)
    assert f"runs on '{ready['device']}' (driver '{ready['driver']}')" in message
    assert "'A CPU' (driver 'driver 1') is to be measured" in message


def test_blanks_around_a_name_do_not_make_another_device(tmp_path: Path) -> None:
    ready = {"ready": True, "device": "A CPU  ", "driver": " driver 1"}
    with _driver(tmp_path, {"ready": ready}) as driver:
        assert driver.request(_fields(), 20.0)["status"] == "ok"


def test_starting_and_answering_share_one_limit(tmp_path: Path) -> None:
    with _driver(tmp_path, FAKE_START_S="1.0", FAKE_DELAY_S="1.0") as driver:
        begin_s = time.monotonic()
        with pytest.raises(DriverTimeoutError, match=r"within 1\.5 s"):
            driver.request(_fields(), 1.5)
        assert time.monotonic() - begin_s < 1.9


def test_the_child_does_not_outlive_its_block(tmp_path: Path) -> None:
    with _driver(tmp_path) as driver:
        driver.request(_fields(), 20.0)
        assert driver._child is not None
        pid = driver._child.pid
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_requests_cannot_smuggle_fields() -> None:
    with Driver(COMMAND, device()) as driver, pytest.raises(BenchmarkError, match="tabs"):
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
