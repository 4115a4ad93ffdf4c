# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A tuning run: compiles the variants of a plan, verifies them, times every cell.

Variants are compiled before anything is timed, since the two would disturb one another. A
configuration is compared with the reference kernel on odd sizes before it is timed for the
first time; where few are measured, in all that they may be shipped in. Then cells are timed, one
after the other as an order says, until nothing is left that could change a decision. Each result
is a journal row at once.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.memory import rotation
from hornbeam.bench.modules import CompiledModules, compile_functions
from hornbeam.bench.sources import DeviceFunction, function_of
from hornbeam.journal import Journal
from hornbeam.journal_rows import Row
from hornbeam.measure.bench import Bench
from hornbeam.measure.compiled import compile_failure, functions_of, require_reference
from hornbeam.measure.control import Control
from hornbeam.measure.ledger import Ledger
from hornbeam.measure.measurer import Measurer
from hornbeam.measure.order import MeasuringOrder, round_by_round
from hornbeam.measure.progress import Progress
from hornbeam.measure.recorder import Recorder
from hornbeam.measure.requests import Failure, Requests
from hornbeam.measure.verifying import Check, Compiled, Verification, verify_compiled
from hornbeam.plan import Plan
from hornbeam.plan_cost import Cost
from hornbeam.space import configuration_from_id
from hornbeam.types import Configuration, Status

_LOG = logging.getLogger(__name__)
_COMPILE_SHARE = 0.65
"""Share of the time left that compiling may take, so that some is left to measure."""
_VERIFY_SHARE = 0.7
"""The same for verifying everything before anything is timed."""


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes:
        measured: rows with a time written by it.
        reused: cells of which the journal told enough before.
        failures: status -> ids of the configurations that were dropped for it.
        complete: whether every cell of the plan is settled.
        verification: what was compared with the reference on the way.
    """

    measured: int
    reused: int
    failures: Mapping[Status, tuple[str, ...]]
    complete: bool
    verification: Verification


class Run(Protocol):
    """A way to carry out a plan: `run` on the device at hand, or spread over several."""

    def __call__(
        self, plan: Plan, journal: Journal, bench: Bench, deadline: Deadline, /
    ) -> Outcome:
        """Measure what the journal does not hold yet; see `run`."""


def run(
    plan: Plan,
    journal: Journal,
    bench: Bench,
    deadline: Deadline,
    order: MeasuringOrder = round_by_round,
    before: Verification | None = None,
) -> Outcome:
    """Measure what the journal does not hold yet.

    Args:
        plan: what to measure.
        journal: open for writing; rows of the same source are not measured again.
        bench: what to measure with.
        deadline: after which nothing is started and a request under way is given up.
        order: which cell is next.
        before: what passed in earlier runs with the same bench; it is not verified again.

    Raises:
        BenchmarkError: where the tools don't start or the reference kernel fails.
        DeviceError: where the driver finds no device, or it stops working.
    """
    ledger = Ledger(known_rows(plan, journal, bench))
    recorder = Recorder(plan, journal, bench.source, ledger)
    ids = [configuration.id for configuration in plan.configurations]
    wanted = [set(ledger.wanted(problem, ids, plan)) for problem in plan.problems]
    todo = [c for c in plan.configurations if any(c.id in some for some in wanted)]
    reused = plan.cells - sum(map(len, wanted))
    attempt = _Attempt(
        plan, recorder, bench, deadline, order, set(before.passed) if before else set()
    )
    complete = True
    if todo:
        try:
            complete = attempt.measure(todo)
        except DeadlineError as error:
            _LOG.info("%s; going on with what was measured", error)
            complete = False
    for status, ids in recorder.failures.items():
        _LOG.warning("%d configuration(s) dropped: %s", len(ids), status.value)
    failures = {status: tuple(ids) for status, ids in recorder.failures.items()}
    passed = frozenset(attempt.passed)
    return Outcome(recorder.measured, reused, failures, complete, Verification({}, passed))


def known_rows(plan: Plan, journal: Journal, bench: Bench) -> list[Row]:
    """Rows of a journal whose times stand beside those of a plan measured with a bench."""
    return [
        row
        for row in journal.rows
        if row.source == bench.source
        and (row.operation, row.data_type) == (plan.operation.name, plan.data_type)
    ]


@dataclass(frozen=True)
class _Attempt:
    """Compiles, verifies and times what is left of a plan.

    Attributes:
        plan, recorder, bench, deadline: what to measure, with what and until when.
        order: which cell is next.
        passed: what was verified.
    """

    plan: Plan
    recorder: Recorder
    bench: Bench
    deadline: Deadline
    order: MeasuringOrder
    passed: set[Check] = field(default_factory=set)

    def measure(self, todo: Sequence[Configuration]) -> bool:
        """Measure; returns whether there was time to make every configuration ready for it."""
        modules = self._compile(todo)
        ready = self._compiled(todo, modules)
        failures: dict[Configuration, Failure] = {}
        if self.plan.shipped_types:
            ready, failures = self._shippable(ready, modules)
        with self.bench.driver() as driver:
            requests = Requests(
                operation=self.plan.operation,
                data_type=self.plan.data_type,
                modules=modules.modules,
                driver=driver,
                rotation=rotation(),
                deadline=self.deadline,
            )
            control = Control(self.plan, requests, self.recorder)
            measurer = Measurer(
                self.plan, self.recorder, requests, control, self.deadline, self.passed
            )
            measurer.condemn(failures)
            self._visit(ready, measurer)
        dropped = {id for ids in self.recorder.failures.values() for id in ids}
        return {c.id for c in todo} <= {c.id for c in ready} | dropped

    def _visit(self, ready: Sequence[Configuration], measurer: Measurer) -> None:
        """Measure cell by cell, and again what was disturbed."""
        ledger = self.recorder.ledger
        cost = Cost(self.plan.operation, self.plan.data_type, 1)
        least = sum(cost.launch_s(problem) for problem in self.plan.problems) * len(ready)
        done, again = 0.0, bool(ready)
        with Progress("measuring", self.deadline) as progress:
            while again:
                for visit in self.order(self.plan, ready, ledger):
                    measurer.measure(visit)
                    done += cost.launch_s(visit.problem)
                    best = ledger.best(visit.problem)
                    progress.update(done, least, f"{visit.problem}: best {best or 'none'} so far")
                again = measurer.close()

    def _compile(self, todo: Sequence[Configuration]) -> CompiledModules:
        """Compile the reference kernel and all variants that are still to be measured."""
        plan = self.plan
        wanted = [configuration_from_id(plan.operation, plan.operation.fallback_kernel), *todo]
        functions = functions_of(plan.operation, plan.data_type, wanted, plan.specialisations)
        urgent = 0
        if plan.shipped_types:
            # The most telling variants first, each in all that it is verified in: the reference
            # and one variant are of use, two halves of everything are not.
            everything = [self._in_all(configuration) for configuration in wanted]
            functions = list(itertools.chain.from_iterable(everything))
            urgent = len(everything[0]) + len(everything[1])
        enough = Deadline.after(_COMPILE_SHARE * self.deadline.remaining_s())
        with Progress("compiling kernels") as progress:
            job = self.bench.compile_job()
            modules = compile_functions(functions, job, enough, progress.update, urgent)
        require_reference(plan.operation, plan.data_type, plan.specialisations, modules)
        return modules

    def _in_all(self, configuration: Configuration) -> list[DeviceFunction]:
        """Functions of a configuration in all that it may be shipped in."""
        operation = self.plan.operation
        return [
            function_of(operation, configuration, data_type, part)
            for data_type in self.plan.shipped_types
            for part in operation.specialisations
        ]

    def _compiled(
        self, todo: Sequence[Configuration], modules: CompiledModules
    ) -> list[Configuration]:
        """Configurations that were compiled; those that could not be are dropped."""
        plan = self.plan
        ready = []
        for configuration in todo:
            try:
                failure = compile_failure(
                    plan.operation, plan.data_type, configuration, plan.specialisations, modules
                )
            except DeadlineError:
                continue
            if failure is not None:
                self.recorder.failed(configuration, failure)
            else:
                ready.append(configuration)
        return ready

    def _shippable(
        self, ready: Sequence[Configuration], modules: CompiledModules
    ) -> tuple[list[Configuration], dict[Configuration, Failure]]:
        """Configurations that came out right in all that they may be shipped in, and failures."""
        operation, types = self.plan.operation, self.plan.shipped_types
        enough = Deadline.after(_VERIFY_SHARE * self.deadline.remaining_s())
        compiled = Compiled(operation, modules, self.bench)
        known = Verification(passed=frozenset(self.passed))
        found = verify_compiled(compiled, types, ready, enough, known)
        self.passed.update(found.passed)
        failures = {c: found.failures[c.id] for c in ready if c.id in found.failures}
        right = [c for c in ready if c not in failures and found.trusts(operation, c, types)]
        return right, failures
