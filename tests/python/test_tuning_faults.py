# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Faults injected into whole tuning runs: killed at every write, disks that fill up, and more."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import threading
import time
from pathlib import Path

import pytest

from hornbeam import dataset, journal
from hornbeam.bench import Deadline
from hornbeam.dataset import load
from hornbeam.errors import BenchmarkError, DeviceError, HornbeamError
from hornbeam.evaluate import LearnOptions
from hornbeam.journal import open_journal, read_journal
from hornbeam.measure import run, verify
from hornbeam.pipeline import campaign, measuring
from hornbeam.pipeline.measuring import Order, carry_out
from hornbeam.space import configuration_from_id
from tuning_helpers import (
    IDS,
    MATMUL,
    PROBLEMS,
    device,
    fake_bench,
    lines,
    plan,
    row,
    small_dataset,
)

SMALL = plan(problems=PROBLEMS[:1], rounds=2)


def measure(folder: Path, **variables: str) -> bool:
    bench = fake_bench(folder, variables=variables)
    with open_journal(folder / "journal.jsonl") as rows:
        return run(SMALL, rows, bench, Deadline.after(60.0)).complete


def in_a_process(work, *arguments) -> int:
    """Do some work in a forked process; returns its exit status, or less than 0 for a signal."""
    child = os.fork()
    if child == 0:
        try:
            work(*arguments)
            os._exit(0)
        except HornbeamError as error:
            Path(os.environ["MESSAGE"]).write_text(str(error), encoding="utf-8")
            os._exit(1)
        except BaseException:
            os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture(autouse=True)
def message(tmp_path, monkeypatch):
    """File that the error of a forked process is found in."""
    monkeypatch.setenv("MESSAGE", str(tmp_path / "message"))
    return tmp_path / "message"


def dies_at_write(folder: Path, number: int, part: float) -> None:
    """Measure, but die in one of the writes to the journal, a part of it done."""
    write, count = os.write, 0

    def fatal(descriptor: int, data: bytes) -> int:
        nonlocal count
        count += 1
        if count == number:
            write(descriptor, data[: int(part * len(data))])
            os.kill(os.getpid(), signal.SIGKILL)
        return write(descriptor, data)

    journal.os = type("Os", (), {**vars(os), "write": staticmethod(fatal)})
    measure(folder)


def test_killed_at_every_write_a_run_repeats_at_most_one_measurement(tmp_path):
    kills = 0
    while True:
        part = (0.0, 0.5, 1.0)[kills % 3]
        status = in_a_process(dies_at_write, tmp_path, 2 + kills % 2, part)
        if status == 0:
            break
        assert status == -signal.SIGKILL
        kills += 1
        assert kills < 30, "each run gets further"
    assert kills >= 3
    content = read_journal(tmp_path / "journal.jsonl")
    assert content.skipped <= kills
    rows = [r for r in content.rows if not r.control]
    cells = [(r.problem, r.configuration, r.round) for r in rows]
    assert len(set(cells)) == len(cells)
    requests = [line for line in lines(tmp_path / "driver.log") if line.startswith("measure")]
    own = [line for line in requests if "reference" not in line]
    assert len(own) <= len(cells) + kills
    assert measure(tmp_path)


def with_files_of(size: int, folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    measure(folder)


def test_a_disk_that_fills_up_keeps_what_is_there(tmp_path, message):
    measure_alone = in_a_process(with_files_of, 2000, tmp_path)
    assert measure_alone == 1
    assert "the journal cannot be written" in message.read_text()
    before = read_journal(tmp_path / "journal.jsonl")
    assert 1 <= len(before.rows) < 5
    # It is still full: an error again, not a crash, although the torn line can't even be ended.
    assert in_a_process(with_files_of, 2000, tmp_path) == 1
    assert measure(tmp_path)
    after = read_journal(tmp_path / "journal.jsonl")
    assert repr(after.rows[: len(before.rows)]) == repr(before.rows)


def test_a_full_disk_leaves_a_stored_dataset_as_it_was(tmp_path, monkeypatch):
    stored = dataset.save(tmp_path / "place", small_dataset())

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(dataset.os, "fsync", full)
        with pytest.raises(HornbeamError, match="No space left"):
            dataset.save(tmp_path / "place", small_dataset(scale=2.0))
    again, warnings = load(tmp_path / "place", MATMUL, "float")
    assert (again.digest, warnings) == (stored.digest, [])
    assert sorted(path.name for path in (tmp_path / "place").iterdir()) == [
        "device.json",
        "matmul-float.csv.gz",
    ]


def test_a_journal_that_cannot_be_locked_says_so(tmp_path, monkeypatch):
    def unsupported(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    with (
        pytest.raises(BenchmarkError, match="No locks available; name a folder on a local disk"),
        open_journal(tmp_path / "journal.jsonl"),
    ):
        pass


def test_a_read_only_journal_says_so(tmp_path, monkeypatch):
    def read_only(*_):
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(journal.os, "open", read_only)
    with (
        pytest.raises(BenchmarkError, match=r"journal\.jsonl: cannot be opened: Read-only"),
        open_journal(tmp_path / "journal.jsonl"),
    ):
        pass


def test_a_torn_line_on_a_full_disk_is_an_error(tmp_path, monkeypatch):
    path = tmp_path / "journal.jsonl"
    with open_journal(path) as rows:
        rows.append(row())
    path.write_bytes(path.read_bytes()[:-5])

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(journal.os, "write", full)
    with pytest.raises(BenchmarkError, match="No space left"), open_journal(path):
        pass


def test_a_vanished_device_leaves_a_journal_to_go_on_from(tmp_path, monkeypatch):
    todo = campaign.Campaign(
        operation=MATMUL,
        data_type="float",
        device=device(),
        problems=PROBLEMS,
        required=(),
        journal=tmp_path / "journal.jsonl",
        patterns=("register_tile_2x4x8_*",),
    )
    monkeypatch.setattr(campaign, "make_plan", lambda *_: plan())
    gone = fake_bench(tmp_path, variables={"FAKE_GONE": "7 crash"})
    monkeypatch.setattr(measuring, "bench_of", lambda *_: gone)
    learning = LearnOptions(splits=1, max_tried=2, n_kernels=1)
    order = Order(learning, tmp_path / "datasets", Deadline.after(60.0))
    with pytest.raises(DeviceError, match=r"no device.* measurements in .* are kept"):
        carry_out([todo], order)
    before = read_journal(todo.journal).rows
    assert before
    monkeypatch.setattr(measuring, "bench_of", lambda *_: fake_bench(tmp_path))
    done = carry_out([todo], order)
    assert done.datasets[0].problems == tuple(sorted(PROBLEMS))
    assert repr(read_journal(todo.journal).rows[: len(before)]) == repr(before)


def test_an_interrupt_while_kernels_hang_ends_at_once(tmp_path, monkeypatch):
    """Otherwise this test would not end."""
    monkeypatch.setattr("hornbeam.measure.requests._VERIFY_TIMEOUT_S", 1e6)
    bench = fake_bench(tmp_path, {"verify": {"": "hang"}})

    def interrupt():
        while not any(line.startswith("verify") for line in lines(tmp_path / "driver.log")):
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    configurations = [configuration_from_id(MATMUL, id) for id in IDS]
    with pytest.raises(KeyboardInterrupt):
        verify(MATMUL, ["float"], configurations, bench, Deadline.after(1e5))
    thread.join()
