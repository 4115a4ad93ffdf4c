# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A tuning run in a process of its own: killed, interrupted, started twice, resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from hornbeam import paths
from hornbeam.journal import read_journal
from tuning_helpers import HERE, IDS, PROBLEMS

SCRIPT = """
import sys
from pathlib import Path
from tuning_helpers import fake_bench, plan
from hornbeam.bench import Deadline
from hornbeam.errors import HornbeamError
from hornbeam.journal import open_journal
from hornbeam.measure import run

folder = Path(sys.argv[1])
bench = fake_bench(folder, variables={"FAKE_DELAY_S": sys.argv[2]})
try:
    with open_journal(folder / "journal.jsonl") as journal:
        print(run(plan(rounds=6), journal, bench, Deadline.after(120)).complete)
except HornbeamError as error:
    sys.exit(str(error))
except KeyboardInterrupt:
    sys.exit(130)
"""
LEAST_ROWS = len(IDS) * len(PROBLEMS)


def _start(folder: Path, delay_s: float) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(paths.root() / "tuning"), str(HERE)])
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(folder), str(delay_s)],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _wait_for_rows(folder: Path, count: int, child: subprocess.Popen[str]) -> None:
    journal = folder / "journal.jsonl"
    for _ in range(600):
        if journal.exists() and journal.read_bytes().count(b"\n") >= count:
            return
        assert child.poll() is None, child.communicate()
        time.sleep(0.05)
    pytest.fail("the tuning run wrote no rows")


def _cells(folder: Path) -> list[tuple[object, ...]]:
    rows = read_journal(folder / "journal.jsonl").rows
    return [(r.problem, r.configuration, r.round) for r in rows if not r.control]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_killed_run_is_resumed_and_repeats_nothing(
    tmp_path: Path, number: signal.Signals
) -> None:
    child = _start(tmp_path, 0.05)
    _wait_for_rows(tmp_path, 6, child)  # the first is a control
    child.send_signal(number)
    child.communicate(timeout=30)
    assert child.returncode == (130 if number is signal.SIGINT else -number)
    before = _cells(tmp_path)
    assert len(before) >= 5

    again = _start(tmp_path, 0.0)
    output, errors = again.communicate(timeout=120)
    assert (again.returncode, output.strip()) == (0, "True"), errors
    after = _cells(tmp_path)
    assert after[: len(before)] == before
    assert len(set(after)) == len(after)
    assert {cell[:2] for cell in after} == {(p, id) for p in PROBLEMS for id in IDS}


def test_a_second_tuner_on_the_same_journal_is_refused(tmp_path: Path) -> None:
    first = _start(tmp_path, 0.3)
    try:
        _wait_for_rows(tmp_path, 1, first)
        second = _start(tmp_path, 0.0)
        _, errors = second.communicate(timeout=60)
        assert second.returncode == 1
        assert "another tuning run writes to this journal" in errors
        assert "Traceback" not in errors
    finally:
        first.kill()
        first.communicate(timeout=30)
