# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A tuning run: compiles the variants of a plan, verifies them, times every cell.

Variants are compiled before anything is timed, since the two would disturb one another. A
configuration is compared with the reference kernel on odd sizes before it is timed for the
first time; where few are measured, in all that they may be shipped in. Then, problem by problem,
every configuration is timed once in each round, so that the repeats of one lie apart in time.
Each result is a journal row at once.
"""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator, Mapping, Sequence
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
from hornbeam.measure.ledger import Ledger
from hornbeam.measure.progress import Progress
from hornbeam.measure.recorder import Recorder
from hornbeam.measure.requests import Requests
from hornbeam.measure.verifying import Check, Compiled, Verification, verify_compiled
from hornbeam.plan import Plan
from hornbeam.plan_cost import Cost
from hornbeam.space import configuration_from_id
from hornbeam.types import Configuration, Problem, Status

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
        reused: (cell, round) pairs found in the journal.
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
    before: Verification | None = None,
) -> Outcome:
    """Measure what the journal does not hold yet.

    Args:
        plan: what to measure.
        journal: open for writing; rows of the same source are not measured again.
        bench: what to measure with.
        deadline: after which nothing is started and a request under way is given up.
        before: what passed in earlier runs with the same bench; it is not verified again.

    Raises:
        BenchmarkError: where the tools don't start or the reference kernel fails.
        DeviceError: where the driver finds no device.
    """
    ledger = Ledger(known_rows(plan, journal, bench))
    recorder = Recorder(plan, journal, bench.source, ledger)
    todo = [c for c in plan.configurations if recorder.cells_left(c)]
    reused = sum(
        not ledger.needs(problem, c.id, round_)
        for problem in plan.problems
        for c in plan.configurations
        for round_ in range(plan.rounds)
    )
    passed_before = before.passed if before else ()
    attempt = _Attempt(plan, recorder, bench, deadline, set(passed_before))
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
        passed: what was verified.
    """

    plan: Plan
    recorder: Recorder
    bench: Bench
    deadline: Deadline
    passed: set[Check] = field(default_factory=set)

    def measure(self, todo: Sequence[Configuration]) -> bool:
        """Measure; returns whether there was time to make every configuration ready for it."""
        modules = self._compile(todo)
        ready = self._compiled(todo, modules)
        if self.plan.shipped_types:
            ready = self._shippable(ready, modules)
        with self.bench.driver() as driver:
            requests = Requests(
                operation=self.plan.operation,
                data_type=self.plan.data_type,
                modules=modules.modules,
                driver=driver,
                rotation=rotation(),
                deadline=self.deadline,
            )
            _Campaign(self.plan, ready, self.recorder, requests, self.deadline, self.passed).run()
        dropped = {id for ids in self.recorder.failures.values() for id in ids}
        return {c.id for c in todo} <= {c.id for c in ready} | dropped

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
    ) -> list[Configuration]:
        """Configurations that came out right in all that they may be shipped in."""
        operation, types = self.plan.operation, self.plan.shipped_types
        enough = Deadline.after(_VERIFY_SHARE * self.deadline.remaining_s())
        compiled = Compiled(operation, modules, self.bench)
        known = Verification(passed=frozenset(self.passed))
        found = verify_compiled(compiled, types, ready, enough, known)
        self.passed.update(found.passed)
        for configuration in ready:
            failure = found.failures.get(configuration.id)
            if failure is not None:
                self.recorder.failed(configuration, failure)
        return [
            c for c in ready if c.id not in found.failures and found.trusts(operation, c, types)
        ]


@dataclass(frozen=True)
class _Campaign:
    """The loop over problems, rounds and configurations."""

    plan: Plan
    configurations: Sequence[Configuration]
    recorder: Recorder
    requests: Requests
    deadline: Deadline
    passed: set[Check]

    def run(self) -> None:
        cost = Cost(self.plan.operation, self.plan.data_type, 1)
        weights = {problem: cost.launch_s(problem) for problem in self.plan.problems}
        total = sum(weights.values()) * self.plan.rounds
        done = 0.0
        with Progress("measuring") as progress:
            for problem in self.plan.problems:
                for fraction in self._problem(problem):
                    progress.update(done + fraction * weights[problem], total, str(problem))
                done += weights[problem] * self.plan.rounds

    def _problem(self, problem: Problem) -> Iterator[float]:
        """Measure one problem; yields the number of rounds done, with fractions."""
        ledger = self.recorder.ledger
        order = ledger.ranked(self.configurations, problem)
        for round_ in range(self.plan.rounds):
            for position, configuration in enumerate(order):
                if ledger.needs(problem, configuration.id, round_):
                    self._cell(problem, configuration, round_)
                    yield round_ + position / len(order)

    def _cell(self, problem: Problem, configuration: Configuration, round_: int) -> None:
        self.deadline.check()
        checks = {
            (configuration.id, self.plan.data_type, part.suffix)
            for part in self.plan.specialisations
        }
        if not checks <= self.passed:
            failure = self.requests.verify(configuration, self.plan.specialisations)
            if failure is not None:
                self.recorder.failed(configuration, failure)
                return
            self.passed.update(checks)
        best_s = self.recorder.ledger.best_s(problem)
        result = self.requests.measure(problem, configuration, best_s)
        self.recorder.measured_cell(problem, configuration, round_, result)
