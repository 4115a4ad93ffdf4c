# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Tuning runs spread over the workers of a Dask cluster, with one journal here.

Each worker has one part at a time, so that a part begins with all that is known by then, and ends
by the deadline. Dask notices lost workers and gives their parts to others.
"""

from __future__ import annotations

import contextlib
import io
import logging
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import distributed

from hornbeam.bench.deadline import Deadline
from hornbeam.errors import BenchmarkError, DatasetError
from hornbeam.journal import Journal
from hornbeam.journal_rows import Row, format_row, parse_row
from hornbeam.measure.bench import Bench
from hornbeam.measure.campaign import Outcome, known_rows
from hornbeam.measure.ledger import Ledger
from hornbeam.measure.parts import Part, PartOutcome, SetUp, measure_part
from hornbeam.measure.progress import Progress
from hornbeam.measure.recorder import Recorder
from hornbeam.measure.requests import Failure
from hornbeam.measure.verifying import Check, Verification
from hornbeam.plan import Plan
from hornbeam.types import Configuration, Problem, Status

_Future: TypeAlias = "distributed.Future[tuple[str, PartOutcome]]"

_LOG = logging.getLogger(__name__)

START_TIMEOUT_S = 30.0
"""For a scheduler to answer, and for a worker to be there."""

_PART_S = 15.0
"""Length of a part: long against what it costs to start one, short against what may be lost."""
_PARTS_PER_WORKER = 4
"""At least so many, so that no worker idles for long at the end."""
_GRACE_S = 10.0
"""For parts to end and come back after the deadline."""
_INTERVAL_S = 1.0


@dataclass(frozen=True)
class Cluster:
    """The workers of a Dask cluster, each beside a device.

    Attributes:
        client: of the cluster's scheduler.
        set_up: makes a worker ready, see `hornbeam.measure.parts.SetUp`.
    """

    client: distributed.Client
    set_up: SetUp

    @property
    def devices(self) -> int:
        """How many workers there are now, each of which is taken to have a device."""
        return len(self.client.nthreads())

    def run(self, plan: Plan, journal: Journal, bench: Bench, deadline: Deadline) -> Outcome:
        """Measure what the journal does not hold yet; as `hornbeam.measure.run` does on one device.

        Args:
            plan: what to measure.
            journal: open for writing; rows of the same source are not measured again.
            bench: whose device and tools those of the workers have to be like.
            deadline: after which nothing is started and a part under way is given up.

        Raises:
            BenchmarkError: where there is no worker, or none that can measure, or the cluster
                can't be reached any more.
        """
        spread = _Spread(self, plan, journal, bench, deadline)
        try:
            return spread.run()
        except (OSError, distributed.CancelledError) as error:
            raise BenchmarkError(f"the Dask cluster is lost: {error}; {_GO_ON}") from error


_GO_ON = "what was measured is kept, and the same command goes on"


@contextlib.contextmanager
def connected(address: str, set_up: SetUp) -> Iterator[Cluster]:
    """A cluster that is running somewhere.

    Args:
        address: of its scheduler, like ``tcp://host:8786``.
        set_up: see `Cluster`.

    Raises:
        BenchmarkError: nothing answers there, or there is no worker.
    """
    try:
        client = distributed.Client(address, timeout=START_TIMEOUT_S)
    except (OSError, ValueError) as error:
        raise BenchmarkError(f"no Dask scheduler answers at {address}: {error}") from error
    with client:
        yield Cluster(_with_workers(client, 1, f"dask worker {address} --nthreads 1"), set_up)


@contextlib.contextmanager
def started(workers: int, set_up: SetUp) -> Iterator[Cluster]:
    """A cluster of worker processes on this machine, for as long as the block lasts."""
    with (
        distributed.LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=True,
            dashboard_address="127.0.0.1:0",
            silence_logs=logging.ERROR,
        ) as cluster,
        distributed.Client(cluster, timeout=START_TIMEOUT_S) as client,
    ):
        yield Cluster(_with_workers(client, workers, "--workers"), set_up)


def _with_workers(client: distributed.Client, count: int, remedy: str) -> distributed.Client:
    try:
        client.wait_for_workers(count, timeout=START_TIMEOUT_S)
    except TimeoutError as error:
        raise BenchmarkError(
            f"the Dask cluster has {len(client.nthreads())} workers; start one beside each device: "
            f"{remedy}"
        ) from error
    return client


@dataclass
class _Spread:
    """A plan under way on a cluster.

    Attributes:
        cluster, plan, journal, bench, deadline: see `Cluster.run`.
        refused: address of a worker that can't measure -> why.
        passed: what the workers have compared with the reference.
    """

    cluster: Cluster
    plan: Plan
    journal: Journal
    bench: Bench
    deadline: Deadline
    refused: dict[str, str] = field(default_factory=dict)
    passed: set[Check] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.ledger = Ledger(known_rows(self.plan, self.journal, self.bench))
        self.recorder = Recorder(self.plan, self.journal, self.bench.source, self.ledger)

    def run(self) -> Outcome:
        reused = self.plan.cells - len(list(self._left(self.plan.problems)))
        with Progress(f"measuring on {self.cluster.devices} devices") as progress:
            self._carry_out(progress)
        complete = not any(self._left(self.plan.problems))
        if not complete:
            _LOG.info("the time budget is used up; going on with what was measured")
        failures = {status: tuple(ids) for status, ids in self.recorder.failures.items()}
        for status, ids in failures.items():
            _LOG.warning("%d configuration(s) dropped: %s", len(ids), status.value)
        verification = Verification({}, frozenset(self.passed))
        return Outcome(self.recorder.measured, reused, failures, complete, verification)

    def _carry_out(self, progress: Progress) -> None:
        waiting = self._groups()
        total = len(waiting)
        running: dict[_Future, tuple[str, tuple[Problem, ...]]] = {}
        try:
            while (waiting or running) and self._in_time(bool(running)):
                busy = {address for address, _ in running.values()}
                for address in self._usable() - busy:
                    if waiting and self.deadline.remaining_s() > 0.0:
                        problems = waiting.pop(0)
                        running[self._submit(problems, address)] = (address, problems)
                for future in _finished(running):
                    _, problems = running.pop(future)
                    if not self._take(future, problems):
                        waiting.insert(0, problems)
                progress.update(total - len(waiting) - len(running), total)
        finally:
            self.cluster.client.cancel(list(running))

    def _in_time(self, running: bool) -> bool:
        """Whether to go on; parts under way are waited for a little longer."""
        left_s = self.deadline.remaining_s()
        return left_s > 0.0 or (running and time.monotonic() < self.deadline.at_s + _GRACE_S)

    def _groups(self) -> list[tuple[Problem, ...]]:
        """Problems that are measured together, in the plan's order."""
        problems = [p for p in self.plan.problems if any(self._left([p]))]
        each_s = self.plan.estimate.measure_s / max(1, len(self.plan.problems))
        least = _PARTS_PER_WORKER * max(1, self.cluster.devices)
        size = min(int(_PART_S / max(each_s, 1e-3)), len(problems) // least)
        size = max(1, size)
        return [tuple(problems[i : i + size]) for i in range(0, len(problems), size)]

    def _left(self, problems: Iterable[Problem]) -> Iterator[str]:
        """Ids of the configurations with something left to measure on problems."""
        ids = [configuration.id for configuration in self.plan.configurations]
        for problem in problems:
            yield from self.ledger.wanted(problem, ids, self.plan)

    def _usable(self) -> set[str]:
        """Addresses of the workers that can measure, as far as is known.

        Raises:
            BenchmarkError: none is left, and none comes in time.
        """
        end_s = time.monotonic() + START_TIMEOUT_S
        while True:
            present = self.cluster.client.nthreads()
            usable = set(present) - set(self.refused)
            if usable:
                return usable
            if present or time.monotonic() > end_s:
                reasons = [f"{address}: {why}" for address, why in self.refused.items()]
                why = "; ".join(reasons) or "all are gone"
                raise BenchmarkError(f"no Dask worker is left that can measure: {why}; {_GO_ON}")
            time.sleep(_INTERVAL_S)

    def _submit(self, problems: tuple[Problem, ...], address: str) -> _Future:
        ids = set(self._left(problems))
        todo = [c for c in self.plan.configurations if c.id in ids]
        part = Part(
            operation=self.plan.operation.name,
            data_type=self.plan.data_type,
            problems=problems,
            configurations=tuple(c.id for c in self.ledger.ranked(todo, problems[0])),
            rounds=self.plan.rounds,
            shipping=self.plan.shipping,
            source=self.bench.source,
            device=self.bench.device.name,
            rows=tuple(self._known(problems)),
            budget_s=self.deadline.remaining_s(),
        )
        return self.cluster.client.submit(
            _on_worker,
            part,
            self.cluster.set_up,
            workers=[address],
            allow_other_workers=True,  # where this one is lost meanwhile
            pure=False,
        )

    def _known(self, problems: tuple[Problem, ...]) -> Iterator[str]:
        for row in known_rows(self.plan, self.journal, self.bench):
            if row.problem in problems and not row.control:
                yield format_row(row)

    def _take(self, future: _Future, problems: tuple[Problem, ...]) -> bool:
        """Take over what came of a part; returns whether it need not be given to another."""
        try:
            address, outcome = future.result()
        except distributed.KilledWorker as error:
            _LOG.warning("%d problem(s) are left out: %s", len(problems), error)
            return True
        except (OSError, distributed.CancelledError):
            raise
        except Exception as error:
            raise BenchmarkError(
                f"a Dask worker failed: {error}; it needs the same hornbeam as here"
            ) from error
        if outcome.problem:
            _LOG.warning("%s is not measured on: %s", address, outcome.problem)
            self.refused[address] = outcome.problem
            return False
        self._record(outcome)
        return True

    def _record(self, outcome: PartOutcome) -> None:
        """Write the rows of a part, and drop what must not be measured any more."""
        why: dict[str, Failure] = {}
        for row in self._checked(outcome.rows):
            if row.status is not Status.OK:
                why[row.configuration] = Failure(row.status, row.message)
            self.recorder.take(row)
        for configuration in self.plan.configurations:
            failure = why.get(configuration.id)
            if configuration.id in outcome.dropped and failure is not None:
                self._drop(configuration, failure)
        dropped = {id for ids in self.recorder.failures.values() for id in ids}
        self.passed.update(outcome.passed)
        self.passed = {check for check in self.passed if check[0] not in dropped}

    def _drop(self, configuration: Configuration, failure: Failure) -> None:
        if any(configuration.id in ids for ids in self.recorder.failures.values()):
            return  # another part, which was under way at the same time, came to the same
        self.recorder.failed(configuration, failure)

    def _checked(self, lines: Iterable[str]) -> Iterator[Row]:
        """Rows that are what was asked for.

        Raises:
            BenchmarkError: one is not.
        """
        ids = {configuration.id for configuration in self.plan.configurations}
        for line in lines:
            try:
                row = parse_row(line)
            except DatasetError as error:
                raise BenchmarkError(f"a Dask worker sent a damaged row: {error}") from error
            asked = (self.plan.operation.name, self.plan.data_type, self.bench.source)
            if (row.operation, row.data_type, row.source) != asked or not (
                row.control or (row.problem in self.plan.problems and row.configuration in ids)
            ):
                raise BenchmarkError("a Dask worker sent a row that was not asked for")
            yield row


def _on_worker(part: Part, set_up: SetUp) -> tuple[str, PartOutcome]:
    """Runs on a worker; what it says is said again by whom it answers."""
    with contextlib.redirect_stderr(io.StringIO()):
        return distributed.get_worker().address, measure_part(part, set_up)


def _finished(running: Iterable[_Future]) -> Iterable[_Future]:
    """Those that ended, waiting a moment for the first of them."""
    futures = list(running)
    if not futures:
        return ()
    try:
        finished = distributed.wait(futures, _INTERVAL_S, return_when="FIRST_COMPLETED").done
    except TimeoutError:
        return ()
    return [future for future in futures if future in finished]
