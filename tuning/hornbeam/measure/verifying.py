# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Kernels compared with the reference in everything that they may be asked to compute."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.driver import Driver
from hornbeam.bench.memory import rotation
from hornbeam.bench.modules import PROCESSES, CompiledModules, compile_functions
from hornbeam.measure.bench import Bench
from hornbeam.measure.compiled import compile_failure, functions_of, require_reference
from hornbeam.measure.progress import Progress
from hornbeam.measure.requests import Failure, Requests
from hornbeam.operations import Operation, Specialisation
from hornbeam.space import configuration_from_id
from hornbeam.types import Configuration

Check = tuple[str, str, str]
"""Configuration id, data type and suffix of a specialisation."""


@dataclass(frozen=True)
class Verification:
    """What comparing with the reference came to.

    Attributes:
        failures: configuration id -> why it must not be shipped.
        passed: what came out right.
    """

    failures: dict[str, Failure] = field(default_factory=dict)
    passed: frozenset[Check] = frozenset()

    def trusts(
        self, operation: Operation, configuration: Configuration, data_types: Iterable[str]
    ) -> bool:
        """Whether a configuration came out right in every specialisation of data types."""
        return all(
            (configuration.id, data_type, part.suffix) in self.passed
            for data_type in data_types
            for part in operation.specialisations
        )


def verify(
    operation: Operation,
    data_types: Sequence[str],
    configurations: Sequence[Configuration],
    bench: Bench,
    deadline: Deadline,
    before: Verification | None = None,
) -> Verification:
    """Compare configurations with the reference kernel in every specialisation.

    Measuring verifies only the specialisations that its problems need, in one data type; this
    is for the few kernels that are shipped.

    Args:
        operation: whose kernels these are.
        data_types: to verify in.
        configurations: to verify.
        bench: what to verify with.
        deadline: after which comparing stops.
        before: what is known; it is not verified again.

    Returns:
        What is known now; where time did not suffice, something is neither among the failures
        nor among what passed.

    Raises:
        DeadlineError: where time did not suffice to compile the reference kernel.
        BenchmarkError: where the tools don't start or the reference kernel fails.
    """
    before = before or Verification()
    left = [c for c in configurations if not before.trusts(operation, c, data_types)]
    if not left:
        return before
    reference = configuration_from_id(operation, operation.fallback_kernel)
    functions = [
        function
        for data_type in data_types
        for function in functions_of(
            operation, data_type, [reference, *left], operation.specialisations
        )
    ]
    with Progress("compiling what is selected") as progress:
        modules = compile_functions(functions, bench.compile_job(), deadline, progress.update)
    return verify_compiled(Compiled(operation, modules, bench), data_types, left, deadline, before)


@dataclass(frozen=True)
class Compiled:
    """Functions of an operation, and what they are run with."""

    operation: Operation
    modules: CompiledModules
    bench: Bench


def verify_compiled(
    compiled: Compiled,
    data_types: Sequence[str],
    configurations: Sequence[Configuration],
    deadline: Deadline,
    before: Verification | None = None,
) -> Verification:
    """Verify what is compiled already; see `verify`.

    Unlike timing, this can use all of the machine: most of it is the driver's own compilation.
    """
    before = before or Verification()
    operation = compiled.operation
    for data_type in data_types:
        require_reference(operation, data_type, operation.specialisations, compiled.modules)
    worker = _Worker(compiled, deadline, before.passed)
    failures, passed = dict(before.failures), set(before.passed)
    with ThreadPoolExecutor(PROCESSES) as pool:
        try:
            for part in pool.map(worker.verify, _parts(data_types, configurations)):
                failures |= part.failures
                passed |= part.passed
        finally:
            worker.end()
    return Verification(failures, frozenset(passed))


def _parts(
    data_types: Sequence[str], configurations: Sequence[Configuration]
) -> list[list[tuple[str, Configuration]]]:
    """Work for each process, in the order given: a process compiles each reference for itself."""
    variants = list(dict.fromkeys(c.variant_id for c in configurations))
    grouped = sorted(configurations, key=lambda c: variants.index(c.variant_id))
    if len(data_types) > 1:
        parts = [
            [(data_type, c) for data_type in data_types[i::PROCESSES] for c in grouped]
            for i in range(PROCESSES)
        ]
    else:
        mine = [set(variants[i::PROCESSES]) for i in range(PROCESSES)]
        parts = [
            [(data_type, c) for data_type in data_types for c in grouped if c.variant_id in names]
            for names in mine
        ]
    return [part for part in parts if part]


@dataclass(frozen=True)
class _Worker:
    """Verifies pairs of a data type and a configuration, from several threads.

    Attributes:
        compiled, deadline: what to verify with, and until when.
        known: checks that passed before.
        stop: set when the results are no longer waited for.
        drivers: under way.
    """

    compiled: Compiled
    deadline: Deadline
    known: frozenset[Check]
    stop: threading.Event = field(default_factory=threading.Event)
    drivers: list[Driver] = field(default_factory=list)

    def end(self) -> None:
        """Give up what is under way, such as a kernel that hangs while the user interrupts."""
        self.stop.set()
        for driver in self.drivers:
            driver.kill()

    def verify(self, pairs: Sequence[tuple[str, Configuration]]) -> Verification:
        """Verify until all is done, or time is up."""
        failures: dict[str, Failure] = {}
        passed: set[Check] = set()
        with self.compiled.bench.driver() as driver:
            self.drivers.append(driver)
            for data_type, configuration in pairs:
                if self.stop.is_set():
                    break
                requests = Requests(
                    operation=self.compiled.operation,
                    data_type=data_type,
                    modules=self.compiled.modules.modules,
                    driver=driver,
                    rotation=rotation(),
                    deadline=self.deadline,
                )
                parts = self._left(data_type, configuration)
                try:
                    failure = self._failure(requests, configuration, parts)
                except DeadlineError:
                    continue  # not compiled in time, though others may be
                if failure is not None:
                    message = f"{data_type}: {failure.message}"
                    failures[configuration.id] = replace(failure, message=message)
                else:
                    passed |= {(configuration.id, data_type, part.suffix) for part in parts}
        return Verification(failures, frozenset(passed))

    def _left(self, data_type: str, configuration: Configuration) -> list[Specialisation]:
        return [
            part
            for part in self.compiled.operation.specialisations
            if (configuration.id, data_type, part.suffix) not in self.known
        ]

    def _failure(
        self,
        requests: Requests,
        configuration: Configuration,
        parts: Sequence[Specialisation],
    ) -> Failure | None:
        operation, modules = self.compiled.operation, self.compiled.modules
        return compile_failure(
            operation, requests.data_type, configuration, parts, modules
        ) or requests.verify(configuration, parts)
