# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The real tools on the device at hand: a few cells measured, a broken kernel noticed."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hornbeam import paths
from hornbeam.bench import Deadline, build_tools, kernel_digest
from hornbeam.compaction import compact
from hornbeam.dataset import load, save
from hornbeam.device import environment, tunable_device, wheel_prefix
from hornbeam.drivers import compiler_version
from hornbeam.errors import DeviceError
from hornbeam.journal import open_journal
from hornbeam.journal_rows import Source
from hornbeam.measure import Bench, run
from hornbeam.types import DeviceInfo, Status
from tuning_helpers import IDS, MATMUL, plan

LOCAL_IDS = ("local_tile_8x8_4x4_k8_p4_b2", "local_tile_16x16_4x8_k16_p0_b1")
SIZES = ((67, 33, 129, 2, 0, 0), (1, 300, 17, 1, 1, 0))


@pytest.fixture(scope="module")
def found() -> DeviceInfo:
    """A device to measure on."""
    if wheel_prefix() is None:
        pytest.skip("dpcpp-cpp-rt is not installed in this Python environment")
    try:
        return tunable_device()
    except DeviceError as error:
        pytest.skip(f"no device to measure on: {error}")


@pytest.fixture(scope="module")
def bench(found: DeviceInfo, user_cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """The real tools, built in the user's cache: that takes half a minute once."""
    digest = kernel_digest(MATMUL, paths.include_dir())
    return Bench(
        tools=build_tools(Deadline(), user_cache),
        device=found,
        source=Source(found.key, compiler_version(), found.driver, digest),
        include_dir=paths.include_dir(),
        module_cache=tmp_path_factory.mktemp("modules"),
        variables=environment(wheel_prefix()),
    )


@pytest.mark.parametrize("data_type", MATMUL.data_types)
def test_a_small_plan(found: DeviceInfo, bench: Bench, tmp_path: Path, data_type: str) -> None:
    if data_type not in found.data_types:
        pytest.skip(f"{found.name} does not compute with {data_type}")
    small = replace(plan(ids=IDS[:3], problems=SIZES, rounds=2), data_type=data_type)
    with open_journal(tmp_path / "journal.jsonl") as journal:
        outcome = run(small, journal, bench, Deadline.after(300.0))
        dataset = compact(journal.rows, MATMUL, data_type, found)
    assert outcome.complete
    assert outcome.failures == {}
    save(tmp_path / found.key, dataset)
    loaded, warnings = load(tmp_path / found.key, MATMUL, data_type)
    assert warnings == []
    assert set(loaded.status.ravel()) == {Status.OK}
    assert loaded.time_s.shape == (2, 3)


@pytest.mark.parametrize("data_type", MATMUL.data_types)
def test_kernels_with_local_memory(
    found: DeviceInfo, bench: Bench, tmp_path: Path, data_type: str
) -> None:
    """The bits of the reference kernel, at all sizes that the driver verifies with.

    Among them are sizes of less than a work-group, and k of less than a step.
    """
    if data_type not in found.data_types:
        pytest.skip(f"{found.name} does not compute with {data_type}")
    transposes = tuple((70, 41, 33, 2, a, b) for a in (0, 1) for b in (0, 1))
    few = replace(plan(ids=LOCAL_IDS, problems=transposes, rounds=1), data_type=data_type)
    with open_journal(tmp_path / "journal.jsonl") as journal:
        outcome = run(few, journal, bench, Deadline.after(300.0))
        rows = [row for row in journal.rows if not row.control]
    assert outcome.complete
    assert {row.status for row in rows} == {Status.OK}
    assert {row.configuration for row in rows} == set(LOCAL_IDS)


def test_the_driver_tells_its_device(found: DeviceInfo, bench: Bench) -> None:
    with bench.driver() as driver:
        ready = driver.start()
    assert ready["ready"] is True
    assert ready["device"].strip() == found.name
    assert ready["driver"].strip() == found.driver


def test_the_driver_runs_on_no_other_device(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONEAPI_DEVICE_SELECTOR", "level_zero:gpu")
    other = replace(bench, device=replace(bench.device, name="Another"))
    with other.driver() as driver, pytest.raises(DeviceError, match="'Another'"):
        driver.start()


def test_a_wrong_kernel_is_dropped_and_never_timed(bench: Bench, tmp_path: Path) -> None:
    include = tmp_path / "include"
    shutil.copytree(paths.include_dir(), include)
    header = include / "hornbeam/kernels/register_tile.hpp"
    text = header.read_text(encoding="utf-8")
    start = "std::int64_t p = 0;"
    assert start in text
    header.write_text(text.replace(start, "std::int64_t p = 1;", 1), encoding="utf-8")
    wrong = replace(bench, include_dir=include)
    with open_journal(tmp_path / "journal.jsonl") as journal:
        outcome = run(plan(ids=IDS[:1], rounds=1), journal, wrong, Deadline.after(300.0))
        rows = [row for row in journal.rows if not row.control]
    assert outcome.failures == {Status.WRONG_RESULT: (IDS[0],)}
    assert {row.status for row in rows} == {Status.WRONG_RESULT}
    assert "m=" in rows[0].message
