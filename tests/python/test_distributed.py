# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Tuning runs spread over local Dask workers, each with a stand-in for a device."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from hornbeam.bench import Deadline
from hornbeam.bench.deadline import DeadlineError
from hornbeam.compaction import compact
from hornbeam.errors import BenchmarkError
from hornbeam.journal import open_journal, read_journal
from hornbeam.journal_rows import Row
from hornbeam.measure import Bench, Outcome, Plan, run
from hornbeam.measure.parts import held
from hornbeam.plan_cost import Estimate
from hornbeam.types import Problem, Status
from tuning_helpers import IDS, MATMUL, SOURCE, device, fake_bench, lines, plan

pytest.importorskip("distributed", reason="requirements-distributed.txt is not installed")

from hornbeam.measure.distributed import Cluster, connected, started

WORKERS = 3
SIZES: tuple[Problem, ...] = tuple((32 + 8 * i, 32, 32, 1, 0, 0) for i in range(12))
VARIANT = "register_tile_2x4x8_float"


def benches(
    folder: str, behaviour: dict[str, dict[str, str]], delay_s: float, operation: str, _: Deadline
) -> list[Bench]:
    """What a worker finds beside it: three devices, each of which logs to a folder of its own."""
    assert operation == MATMUL.name
    found = []
    for position in range(WORKERS):
        place = Path(folder) / f"device-{position}"
        place.mkdir(exist_ok=True)
        bench = fake_bench(place, behaviour, {"FAKE_DELAY_S": str(delay_s)})
        found.append(replace(bench, position=position))
    return found


def unlike(change: dict[str, str], folder: str, operation: str, deadline: Deadline) -> list[Bench]:
    """Devices that differ in something from the one that is tuned."""
    return [
        replace(bench, source=replace(bench.source, **change))
        for bench in benches(folder, {}, 0.0, operation, deadline)
    ]


def unlike_on_one(pid: int, folder: str, operation: str, deadline: Deadline) -> list[Bench]:
    """One of the workers has another driver than the rest."""
    change = {"driver": "driver 2"} if os.getpid() == pid else {}
    return unlike(change, folder, operation, deadline)


def dying(pid: int, folder: str, operation: str, deadline: Deadline) -> list[Bench]:
    """One of the workers is killed in the midst of a part, and logs to folders of its own."""
    if os.getpid() != pid:
        return benches(folder, {}, 0.05, operation, deadline)
    place = Path(folder) / "dying"
    place.mkdir()

    def kill() -> None:
        while not any("measure" in log.read_text() for log in place.glob("*/driver.log")):
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)

    threading.Thread(target=kill, daemon=True).start()
    return benches(str(place), {}, 1.0, operation, deadline)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Three workers, each a process."""
    with started(WORKERS, partial(benches, "", {}, 0.0)) as found:
        yield found


@dataclass(frozen=True)
class Site:
    """A cluster, and a folder for what it is made to do."""

    cluster: Cluster
    folder: Path

    @property
    def journal(self) -> Path:
        return self.folder / "journal.jsonl"

    def ready(self, delay_s: float = 0.0, **behaviour: dict[str, str]) -> Cluster:
        set_up = partial(benches, str(self.folder), behaviour, delay_s)
        return replace(self.cluster, set_up=set_up)

    def run(self, cluster: Cluster, what: Plan, budget_s: float = 120.0) -> Outcome:
        with open_journal(self.journal) as journal:
            bench = fake_bench(self.folder)
            return cluster.run(what, journal, bench, Deadline.after(budget_s))

    def rows(self) -> tuple[Row, ...]:
        return read_journal(self.journal).rows

    def logs(self) -> list[list[str]]:
        """What the driver of each device was asked."""
        return [lines(self.folder / f"device-{i}" / "driver.log") for i in range(WORKERS)]


@pytest.fixture
def site(cluster: Cluster, tmp_path: Path) -> Site:
    return Site(cluster, tmp_path)


def whole(**changes: object) -> Plan:
    """A plan whose problems are parts of their own."""
    long = Estimate(1.0, 1.0, 1e6)
    return replace(plan(problems=SIZES, rounds=2), estimate=long, **changes)


def cells(rows: tuple[Row, ...]) -> list[tuple[Problem, str, int]]:
    """What was timed, but for controls."""
    timed = [row for row in rows if not row.control]
    return sorted((row.problem, row.configuration, row.round) for row in timed)


def test_a_spread_run_measures_what_one_on_one_device_does(site: Site) -> None:
    outcome = site.run(site.ready(0.005), whole())
    assert outcome.complete
    assert outcome.measured == len(cells(site.rows()))
    alone = site.folder / "alone"
    alone.mkdir()
    with open_journal(alone / "journal.jsonl") as journal:
        run(whole(), journal, fake_bench(alone), Deadline.after(120.0))
        expected = journal.rows
    assert cells(site.rows()) == cells(expected)
    here, there = (compact(rows, MATMUL, "float", device()) for rows in (expected, site.rows()))
    assert (here.time_s == there.time_s).all()
    assert {check[0] for check in outcome.verification.passed} == set(IDS)


def test_every_device_is_used_and_rivals_are_timed_on_the_same_one(site: Site) -> None:
    site.run(site.ready(0.02), whole())
    where: dict[str, set[int]] = {}
    for position, log in enumerate(site.logs()):
        selectors = {line.split()[1] for line in log if line.startswith("start ")}
        assert selectors == {f"opencl:{position}"}
        for line in log:
            if line.startswith("measure"):
                where.setdefault(line.split()[3], set()).add(position)
    assert len(where) >= len(SIZES)
    controls = {",".join(map(str, row.problem)) for row in site.rows() if row.control}
    assert all(len(positions) == 1 for size, positions in where.items() if size not in controls)
    assert set.union(*where.values()) == set(range(WORKERS))


def test_a_device_is_never_shared(tmp_path: Path) -> None:
    found = benches(str(tmp_path), {}, 0.0, MATMUL.name, Deadline())
    with held(found, Deadline()) as first, held(found, Deadline()) as second:
        assert (first.position, second.position) == (0, 1)
        with (
            held(found, Deadline()),
            pytest.raises(DeadlineError, match="waiting for a device"),
            held(found, Deadline.after(0.1)),
        ):
            pass
    with held(found, Deadline()) as again:
        assert again.position == 0


def test_the_cells_of_a_lost_worker_are_measured_elsewhere(site: Site) -> None:
    pid = next(iter(site.cluster.client.run(os.getpid).values()))
    outcome = site.run(replace(site.cluster, set_up=partial(dying, pid, str(site.folder))), whole())
    assert outcome.complete
    rows = site.rows()
    assert len(cells(rows)) == len(set(cells(rows))), "no cell is in the journal twice"
    assert {row.problem for row in rows if not row.control} == set(SIZES)
    assert {row.status for row in rows} == {Status.OK}
    (log,) = (site.folder / "dying").glob("*/driver.log")
    lost = {line.split()[3] for line in lines(log) if line.startswith("measure")}
    again = {line.split()[3] for log in site.logs() for line in log if line.startswith("measure")}
    assert lost and lost <= again
    site.cluster.client.wait_for_workers(WORKERS, timeout=60)


def test_a_rerun_measures_nothing_again(site: Site) -> None:
    few = replace(whole(), problems=SIZES[:6])
    site.run(site.ready(), few)
    before = site.rows()
    assert site.run(site.ready(), few).measured == 0
    assert site.rows() == before
    outcome = site.run(site.ready(), whole())
    assert outcome.complete
    new = site.rows()[len(before) :]
    assert {row.problem for row in new if not row.control} == set(SIZES[6:])


def test_a_wrong_configuration_is_dropped_everywhere(site: Site) -> None:
    ready = site.ready(0.01, verify={f"{VARIANT}_nn@2,8,8,8": "wrong"})
    # What earlier tests verified is known to the workers: another compiler, another kernel.
    source = replace(SOURCE, compiler="compiler 2")
    set_up = partial(elsewhere, ready.set_up, "compiler 2")
    with open_journal(site.journal) as journal:
        bench = replace(fake_bench(site.folder), source=source)
        outcome = replace(ready, set_up=set_up).run(whole(), journal, bench, Deadline.after(120.0))
    assert outcome.complete
    assert outcome.failures == {Status.WRONG_RESULT: (IDS[1],)}
    mine = [row for row in site.rows() if row.configuration == IDS[1]]
    assert {row.status for row in mine} == {Status.WRONG_RESULT}
    assert {row.problem for row in mine} == set(SIZES)
    asked = [line for log in site.logs() for line in log if f"{VARIANT}_nn 2,8,8,8" in line]
    assert 1 <= len(asked) <= WORKERS, "each worker finds out once at most"
    assert IDS[1] not in {check[0] for check in outcome.verification.passed}


def elsewhere(
    set_up: Callable[[str, Deadline], list[Bench]], compiler: str, operation: str, end: Deadline
) -> list[Bench]:
    """The same devices with another compiler."""
    return [
        replace(bench, source=replace(bench.source, compiler=compiler))
        for bench in set_up(operation, end)
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"driver": "driver 2"}, "its driver is 'driver 2', not 'driver 1'"),
        ({"compiler": "compiler 2"}, "its compiler is 'compiler 2', not 'compiler 1'"),
        ({"device_key": "amd-cpu-avx2-2cu"}, "its device key is 'amd-cpu-avx2-2cu', not 'intel"),
        ({"kernel_digest": "cd" * 32}, "its kernel digest is 'cdcd"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_unlike_devices_are_refused(site: Site, change: dict[str, str], message: str) -> None:
    cluster = replace(site.cluster, set_up=partial(unlike, change, str(site.folder)))
    with pytest.raises(BenchmarkError, match=message):
        site.run(cluster, whole())
    assert site.rows() == ()


def test_one_unlike_device_leaves_the_work_to_the_others(
    site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    pid = next(iter(site.cluster.client.run(os.getpid).values()))
    cluster = replace(site.cluster, set_up=partial(unlike_on_one, pid, str(site.folder)))
    assert site.run(cluster, whole()).complete
    warnings = [r.getMessage() for r in caplog.records if "is not measured on" in r.getMessage()]
    assert len(warnings) == 1
    assert "its driver is 'driver 2'" in warnings[0]
    assert {row.source for row in site.rows()} == {SOURCE}


def test_the_deadline_is_kept(site: Site) -> None:
    begin_s = time.monotonic()
    outcome = site.run(site.ready(0.2), replace(whole(), rounds=50), budget_s=4.0)
    assert time.monotonic() - begin_s < 20.0
    assert not outcome.complete
    assert 0 < outcome.measured
    assert {row.status for row in site.rows()} == {Status.OK}


def test_a_worker_that_breaks_ends_the_run_with_a_reason(site: Site) -> None:
    cluster = replace(site.cluster, set_up=partial(unlike, {"no such": "field"}, str(site.folder)))
    with pytest.raises(BenchmarkError, match=r"a Dask worker failed: .*no such"):
        site.run(cluster, whole())


def test_nothing_at_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hornbeam.measure.distributed.START_TIMEOUT_S", 0.5)
    with (
        pytest.raises(BenchmarkError, match=r"no Dask scheduler answers at tcp://127.0.0.1:1"),
        connected("tcp://127.0.0.1:1", partial(benches, "", {}, 0.0)),
    ):
        pass
