# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Parts of a plan, each measured as a whole on one of several like devices.

A part holds all configurations of some problems: times are compared on one problem, so rivals
come from the same device, one soon after the other. Parts and what comes of them are plain
values, rows the lines of a journal: what another machine sends is checked as a file would be.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hornbeam import paths
from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.locks import open_lock, try_lock
from hornbeam.errors import DeviceError, HornbeamError
from hornbeam.journal import open_journal
from hornbeam.journal_rows import Source, format_row
from hornbeam.measure.bench import Bench
from hornbeam.measure.campaign import run
from hornbeam.measure.verifying import Check, Verification
from hornbeam.operations import get_operation
from hornbeam.plan import Plan
from hornbeam.plan_cost import Estimate, Shipping
from hornbeam.space import configuration_from_id
from hornbeam.types import Problem

_LOCK_INTERVAL_S = 0.1

SetUp = Callable[[str, Deadline], Sequence[Bench]]
"""Makes a worker ready for an operation: one bench for each device of its machine.

It raises a `HornbeamError` where there is none.
"""


@dataclass(frozen=True)
class Part:
    """A part of a plan.

    Attributes:
        operation, data_type, problems, rounds, shipping: see `hornbeam.plan.Plan`.
        configurations: ids, the most promising first.
        source: that the device has to be.
        device: name of the device that it has to be like.
        rows: journal lines of what is known of its problems.
        budget_s: time for it, from when it starts.
    """

    operation: str
    data_type: str
    problems: tuple[Problem, ...]
    configurations: tuple[str, ...]
    rounds: int
    shipping: Shipping | None
    source: Source
    device: str
    rows: tuple[str, ...]
    budget_s: float

    def plan(self) -> Plan:
        """The plan of this part alone."""
        operation = get_operation(self.operation)
        ids = self.configurations
        return Plan(
            operation=operation,
            data_type=self.data_type,
            problems=self.problems,
            configurations=tuple(configuration_from_id(operation, id) for id in ids),
            rounds=self.rounds,
            rejected={},
            problems_given=len(self.problems),
            configurations_valid=len(ids),
            estimate=Estimate(0.0, 0.0, 0.0),
            budget_s=self.budget_s,
            shipping=self.shipping,
        )


@dataclass(frozen=True)
class PartOutcome:
    """What came of a part.

    Attributes:
        rows: journal lines of what was measured.
        dropped: ids of the configurations that must not be measured any more.
        passed: what was compared with the reference on this worker.
        complete: whether every cell is settled.
        problem: why nothing can be measured on this worker; empty where it can.
    """

    rows: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    passed: tuple[Check, ...] = ()
    complete: bool = False
    problem: str = ""


_PASSED: dict[tuple[str, Source], Verification] = {}
"""(operation, source) -> what this process has compared with the reference."""


def measure_part(part: Part, set_up: SetUp) -> PartOutcome:
    """Measure a part on a device of this machine, which nobody else measures on meanwhile."""
    deadline = Deadline.after(part.budget_s)
    try:
        with held(_alike(set_up(part.operation, deadline), part), deadline) as bench:
            return _measure(part, bench, deadline)
    except DeadlineError:
        return PartOutcome()
    except HornbeamError as error:
        return PartOutcome(problem=str(error))


@contextmanager
def held(benches: Sequence[Bench], deadline: Deadline) -> Iterator[Bench]:
    """Hold the first device that is free, for as long as the block lasts or the process lives.

    Raises:
        BenchmarkError: the user's cache folder can't be written.
        DeadlineError: all devices were held by others for too long.
    """
    while True:
        for bench in benches:
            name = f"{bench.device.key}-{bench.position or 0}.lock"
            with open_lock(paths.cache_dir() / "devices" / name) as file:
                if try_lock(file):
                    yield bench
                    return
        if deadline.remaining_s() <= 0.0:
            raise DeadlineError("the time budget was used up waiting for a device")
        time.sleep(min(_LOCK_INTERVAL_S, deadline.remaining_s()))


def _alike(benches: Sequence[Bench], part: Part) -> list[Bench]:
    """Benches whose times stand beside those of the other workers.

    Raises:
        DeviceError: none; says in what the last of them differs.
    """
    wanted = {"device": part.device, **vars(part.source)}
    alike, message = [], "it has no device"
    for bench in benches:
        found = {"device": bench.device.name, **vars(bench.source)}
        what = next((name for name in wanted if found[name] != wanted[name]), "")
        if what:
            message = f"its {what.replace('_', ' ')} is {found[what]!r}, not {wanted[what]!r}"
        else:
            alike.append(bench)
    if not alike:
        raise DeviceError(f"{message}; times of unlike devices or toolchains do not compare")
    return alike


def _measure(part: Part, bench: Bench, deadline: Deadline) -> PartOutcome:
    key = (part.operation, part.source)
    with tempfile.TemporaryDirectory(prefix="hornbeam-") as folder:
        path = Path(folder) / "part.jsonl"
        path.write_text("".join(f"{row}\n" for row in part.rows), encoding="ascii")
        with open_journal(path) as journal:
            known = len(journal.rows)
            outcome = run(part.plan(), journal, bench, deadline, before=_PASSED.get(key))
            rows = journal.rows[known:]
    _PASSED[key] = outcome.verification
    return PartOutcome(
        rows=tuple(format_row(row) for row in rows),
        dropped=tuple(id for ids in outcome.failures.values() for id in ids),
        passed=tuple(outcome.verification.passed),
        complete=outcome.complete,
    )
