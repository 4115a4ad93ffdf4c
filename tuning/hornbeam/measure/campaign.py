# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A tuning run: compiles the variants of a plan, verifies them, times every cell.

Variants are compiled before anything is timed, since the two would disturb one another. A
configuration is compared with the reference kernel on odd sizes before it is timed for the
first time. Then, problem by problem, every configuration is timed once in each round, so
that the repeats of one lie apart in time. Each result is a journal row at once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.driver import Driver
from hornbeam.bench.memory import rotation
from hornbeam.bench.modules import CompiledModules, CompileJob, compile_functions
from hornbeam.bench.sources import DeviceFunction, function_of
from hornbeam.bench.tools import Tools
from hornbeam.errors import BenchmarkError
from hornbeam.journal import Journal
from hornbeam.journal_rows import Source
from hornbeam.measure.ledger import Ledger
from hornbeam.measure.progress import Progress
from hornbeam.measure.recorder import Recorder
from hornbeam.measure.requests import Failure, Requests
from hornbeam.operations import Operation, Specialisation
from hornbeam.plan import Plan
from hornbeam.plan_cost import Cost
from hornbeam.space import configuration_from_id
from hornbeam.types import Configuration, Problem, Status

_LOG = logging.getLogger(__name__)
_COMPILE_SHARE = 0.6
"""Share of the time left that compiling may take, so that some is left to measure."""


@dataclass(frozen=True)
class Bench:
    """What a run works with.

    Attributes:
        tools: device compiler and benchmark driver.
        source: identity of device, compiler, driver and kernels, written into each row.
        include_dir: of our headers.
        module_cache: folder of compiled functions.
        variables: added to the tools' environment.
    """

    tools: Tools
    source: Source
    include_dir: Path
    module_cache: Path
    variables: Mapping[str, str] = field(default_factory=dict)

    def compile_job(self) -> CompileJob:
        """How functions are compiled."""
        return CompileJob(
            compiler=self.tools.compiler,
            compiler_version=self.source.compiler,
            include_dir=self.include_dir,
            cache_dir=self.module_cache,
            variables=tuple(self.variables.items()),
        )


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes:
        measured: rows with a time written by it.
        reused: (cell, round) pairs found in the journal.
        failures: status -> ids of the configurations that were dropped for it.
        complete: whether every cell of the plan is settled.
    """

    measured: int
    reused: int
    failures: Mapping[Status, tuple[str, ...]]
    complete: bool


def run(plan: Plan, journal: Journal, bench: Bench, deadline: Deadline) -> Outcome:
    """Measure what the journal does not hold yet.

    Args:
        plan: what to measure.
        journal: open for writing; rows of the same source are not measured again.
        bench: what to measure with.
        deadline: after which nothing is started and a request under way is given up.

    Raises:
        BenchmarkError: where the tools don't start or the reference kernel fails.
        DeviceError: where the driver finds no device.
    """
    ledger = Ledger(
        row
        for row in journal.rows
        if row.source == bench.source
        and (row.operation, row.data_type) == (plan.operation.name, plan.data_type)
    )
    recorder = Recorder(plan, journal, bench.source, ledger)
    todo = [c for c in plan.configurations if recorder.cells_left(c)]
    reused = sum(
        not ledger.needs(problem, c.id, round_)
        for problem in plan.problems
        for c in plan.configurations
        for round_ in range(plan.rounds)
    )
    complete = True
    if todo:
        try:
            modules = _compile(plan, todo, bench, deadline)
            complete = _measure(plan, todo, modules, recorder, bench, deadline)
        except DeadlineError as error:
            _LOG.info("%s; going on with what was measured", error)
            complete = False
    for status, ids in recorder.failures.items():
        _LOG.warning("%d configuration(s) dropped: %s", len(ids), status.value)
    failures = {status: tuple(ids) for status, ids in recorder.failures.items()}
    return Outcome(recorder.measured, reused, failures, complete)


def verify(
    operation: Operation,
    data_type: str,
    configurations: Sequence[Configuration],
    bench: Bench,
    deadline: Deadline,
) -> dict[str, Failure]:
    """Compare configurations with the reference kernel in every specialisation.

    Measuring verifies only the specialisations that its problems need; this is for the few
    kernels that are shipped.

    Returns:
        Configuration id -> why it must not be shipped.

    Raises:
        DeadlineError: where the time did not suffice.
        BenchmarkError: where the tools don't start or the reference kernel fails.
    """
    specialisations = operation.specialisations
    reference = configuration_from_id(operation, operation.fallback_kernel)
    functions = _functions(operation, data_type, [reference, *configurations], specialisations)
    modules = compile_functions(functions, bench.compile_job(), deadline)
    failures = {}
    with Driver(bench.tools.driver, bench.variables) as driver:
        requests = Requests(operation, data_type, modules.modules, driver, rotation(), deadline)
        for configuration in configurations:
            failure = _compile_failure(
                operation, data_type, configuration, specialisations, modules
            ) or requests.verify(configuration, specialisations)
            if failure is not None:
                failures[configuration.id] = failure
    return failures


def _functions(
    operation: Operation,
    data_type: str,
    configurations: Sequence[Configuration],
    specialisations: Sequence[Specialisation],
) -> list[DeviceFunction]:
    return list(
        dict.fromkeys(
            function_of(operation, configuration, data_type, specialisation)
            for configuration in configurations
            for specialisation in specialisations
        )
    )


def _compile_failure(
    operation: Operation,
    data_type: str,
    configuration: Configuration,
    specialisations: Sequence[Specialisation],
    modules: CompiledModules,
) -> Failure | None:
    """Why a configuration can't be launched in every specialisation.

    Raises:
        DeadlineError: where one of its functions was not compiled for lack of time.
    """
    for specialisation in specialisations:
        name = function_of(operation, configuration, data_type, specialisation).name
        if name in modules.failures:
            return Failure(Status.COMPILE_ERROR, modules.failures[name])
        if name not in modules.modules:
            raise DeadlineError("the time budget was used up while kernels were compiled")
    return None


def _compile(
    plan: Plan, todo: Sequence[Configuration], bench: Bench, deadline: Deadline
) -> CompiledModules:
    """Compile the reference kernel and all variants that are still to be measured."""
    operation = plan.operation
    reference = configuration_from_id(operation, operation.fallback_kernel)
    functions = _functions(operation, plan.data_type, [reference, *todo], plan.specialisations)
    enough = Deadline.after(_COMPILE_SHARE * deadline.remaining_s())
    with Progress("compiling kernels") as progress:
        modules = compile_functions(functions, bench.compile_job(), enough, progress.update)
    failure = _compile_failure(operation, plan.data_type, reference, plan.specialisations, modules)
    if failure is not None:
        raise BenchmarkError(f"the reference kernel cannot be compiled: {failure.message}")
    return modules


def _measure(
    plan: Plan,
    todo: Sequence[Configuration],
    modules: CompiledModules,
    recorder: Recorder,
    bench: Bench,
    deadline: Deadline,
) -> bool:
    """Verify and time; returns whether every configuration could be compiled in time."""
    operation = plan.operation
    ready = []
    for configuration in todo:
        try:
            failure = _compile_failure(
                operation, plan.data_type, configuration, plan.specialisations, modules
            )
        except DeadlineError:
            continue
        if failure is not None:
            recorder.failed(configuration, failure)
        else:
            ready.append(configuration)
    with Driver(bench.tools.driver, bench.variables) as driver:
        requests = Requests(
            operation, plan.data_type, modules.modules, driver, rotation(), deadline
        )
        _Campaign(plan, ready, recorder, requests, deadline).run()
    return len(ready) + len(recorder.dropped) >= len(todo)


@dataclass(frozen=True)
class _Campaign:
    """The loop over problems, rounds and configurations."""

    plan: Plan
    configurations: Sequence[Configuration]
    recorder: Recorder
    requests: Requests
    deadline: Deadline
    verified: set[str] = field(default_factory=set)

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
        if configuration.id not in self.verified:
            failure = self.requests.verify(configuration, self.plan.specialisations)
            if failure is not None:
                self.recorder.failed(configuration, failure)
                return
            self.verified.add(configuration.id)
        best_s = self.recorder.ledger.best_s(problem)
        result = self.requests.measure(problem, configuration, best_s)
        self.recorder.measured_cell(problem, configuration, round_, result)
