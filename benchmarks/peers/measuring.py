# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Lets libraries take turns on one size after the other."""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from checking import Problem, check, stored_shapes
from hornbeam.bench import Driver
from hornbeam.errors import BenchmarkError

_SETTLE_STEP_S = 0.02
"""Several ticks of the scheduler: until the next one, a thread that runs seems to stand still."""
_SETTLE_LIMIT_S = 0.5
_AT_REST = 0.1


@dataclass(frozen=True)
class Plan:
    """How long to measure.

    Attributes:
        rounds: turns of each library on each size; ratios are taken within a round.
        samples: of each turn.
        min_batch_s: least duration of a sample, which repeats a call as often as that takes.
        slow_s: a call that takes longer is timed once a turn.
        turn_limit_s: seconds of all turns of a library on a size, the first call included, after
            which it rests once it has had ``least_rounds``, or one if it took four times as long.
        least_rounds: see there.
        load_limit_s: for the first call, which may compile kernels.
    """

    rounds: int = 7
    samples: int = 3
    min_batch_s: float = 2e-3
    slow_s: float = 0.1
    turn_limit_s: float = 4.0
    least_rounds: int = 3
    load_limit_s: float = 300.0


@dataclass
class Participant:
    """A library that takes part.

    Attributes:
        name: short, as results name it.
        label: for people.
        driver: its process.
        about: what the process said of itself.
        restless: how often its threads still ran when the next one's turn came.
    """

    name: str
    label: str
    driver: Driver
    about: dict[str, Any] = field(default_factory=dict)
    restless: int = 0

    def start(self) -> None:
        """Start its process.

        Raises:
            HornbeamError: why it does not start.
        """
        self.about = self.driver.start()

    def ask(self, fields: Mapping[str, str], timeout_s: float) -> dict[str, Any]:
        """Ask, and wait until its threads sleep.

        Raises:
            BenchmarkError: it failed; the message says how.
        """
        answer = self.driver.request(fields, timeout_s)
        if answer.get("status") != "ok":
            raise BenchmarkError(str(answer.get("message", "no reason given")))
        if not settle(int(self.about["pid"])):
            self.restless += 1
        return answer


def settle(pid: int, limit_s: float = _SETTLE_LIMIT_S) -> bool:
    """Wait until a process uses no processor time: idle pools of threads spin for a while.

    Returns:
        Whether it came to rest within the limit.
    """
    end_s = time.monotonic() + limit_s
    before_s, then_s = _processor_time_s(pid), time.monotonic()
    while time.monotonic() < end_s:
        time.sleep(_SETTLE_STEP_S)
        now_s, used_s = time.monotonic(), _processor_time_s(pid)
        if used_s - before_s < _AT_REST * (now_s - then_s):
            return True
        before_s, then_s = used_s, now_s
    return False


def _processor_time_s(pid: int) -> float:
    """Time that the threads of a process have run, in seconds; 0 where the system does not tell."""
    total_ns = 0
    for path in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # a thread that ended meanwhile
            total_ns += int(path.read_text().split()[0])
    return total_ns * 1e-9


@contextlib.contextmanager
def operands(
    folder: Path, problem: Problem, seed: int
) -> Iterator[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]]:
    """Files a, b and c of a problem, mapped: random in [-1, 1), and zeros."""
    generator = np.random.default_rng(seed)
    m, _, n, batch, _, _ = problem
    for name, shape in zip(("a", "b"), stored_shapes(problem), strict=True):
        values = generator.random(shape, np.float32)
        values *= 2
        values -= 1
        values.tofile(folder / name)
    np.zeros((batch, m, n), np.float32).tofile(folder / "c")
    shapes = (*stored_shapes(problem), (batch, m, n))
    maps = [
        np.memmap(folder / name, np.float32, "r+", shape=shape)
        for name, shape in zip("abc", shapes, strict=True)
    ]
    try:
        yield maps[0], maps[1], maps[2]
    finally:
        for name in "abc":
            (folder / name).unlink(missing_ok=True)


def measure_size(
    problem: Problem, participants: Sequence[Participant], folder: Path, plan: Plan
) -> dict[str, Any]:
    """Check and time a product with every participant.

    Returns:
        Name of each -> ``status`` (ok, wrong or failed), and ``message``, ``error``,
        ``explanation`` and ``rounds`` (samples in seconds, a list a round) as far as it came.
    """
    found: dict[str, dict[str, Any]] = {}
    spent_s: dict[str, float] = {}
    for_all = {"problem": ",".join(map(str, problem)), "folder": str(folder)}
    with operands(folder, problem, seed=sum(problem)) as (a, b, c):
        for one in participants:
            c[:] = 0
            start_s = time.monotonic()
            try:
                answer = one.ask({"command": "load", **for_all}, plan.load_limit_s)
            except BenchmarkError as error:
                found[one.name] = {"status": "failed", "message": str(error)}
                _restart(one)
                continue
            spent_s[one.name] = time.monotonic() - start_s
            checked = check(problem, a, b, c)
            found[one.name] = {
                "status": "ok" if checked.right else "wrong",
                "error": checked.error if np.isfinite(checked.error) else None,
                "explanation": answer.get("explanation", ""),
                "rounds": [],
            }
    right = [one for one in participants if found[one.name]["status"] == "ok"]
    shuffler = random.Random(str(problem))
    for turn in range(plan.rounds if right else 0):
        # In random order: what a neighbour leaves behind must not always meet the same one.
        for one in shuffler.sample(right, len(right)):
            if not _rests(plan, turn, spent_s[one.name]):
                spent_s[one.name] += _take_turn(one, found[one.name], plan)
    return found


def _restart(one: Participant) -> None:
    """Start a participant anew after a failure; one that is dead fails at the next size again."""
    with contextlib.suppress(BenchmarkError):
        one.start()


def _take_turn(one: Participant, entry: dict[str, Any], plan: Plan) -> float:
    """Let a participant time its product; returns the seconds that took."""
    if entry["status"] != "ok":
        return 0.0
    fields = {name: str(getattr(plan, name)) for name in ("samples", "min_batch_s", "slow_s")}
    start_s = time.monotonic()
    try:
        answer = one.ask({"command": "measure", **fields}, plan.load_limit_s)
        entry["rounds"].append(answer["times_s"])
    except BenchmarkError as error:
        entry.update(status="failed", message=str(error))
        _restart(one)
    return time.monotonic() - start_s


def _rests(plan: Plan, turn: int, spent_s: float) -> bool:
    least_rounds = 1 if spent_s > 4 * plan.turn_limit_s else plan.least_rounds
    return spent_s > plan.turn_limit_s and turn >= least_rounds


def load_average() -> list[float]:
    """Load averages of 1, 5 and 15 minutes."""
    return list(os.getloadavg())
