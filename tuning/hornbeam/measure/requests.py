# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What is asked of the benchmark driver, and what its answers mean."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.driver import Driver, DriverCrashError, DriverTimeoutError
from hornbeam.bench.memory import Rotation
from hornbeam.bench.sources import function_of
from hornbeam.errors import BenchmarkError
from hornbeam.operations import Operation, Specialisation
from hornbeam.plan_cost import MIN_BATCH_S, SLOW_FACTOR, Cost, samples_for
from hornbeam.space import configuration_from_id, kernel_of
from hornbeam.stats import Summary, summarise
from hornbeam.types import Configuration, Problem, Status

_VERIFY_TIMEOUT_S = 20.0
_MEASURE_TIMEOUT_S = 20.0
_HOPELESS_FACTOR = 200.0


@dataclass(frozen=True)
class Failure:
    """Why a configuration is dropped."""

    status: Status
    message: str


@dataclass(frozen=True)
class Timing:
    """An answer to a measuring request; see `hornbeam.journal_rows.Row`."""

    summary: Summary
    launches: int
    single_launch: bool
    rotated: bool
    load: float


@dataclass(frozen=True)
class Requests:
    """Asks a driver to verify and measure configurations.

    Attributes:
        operation, data_type: what is measured.
        modules: function name -> SPIR-V file.
        driver: answers.
        rotation: memory that operands rotate through.
        deadline: a request that overruns it is given up.
    """

    operation: Operation
    data_type: str
    modules: Mapping[str, Path]
    driver: Driver
    rotation: Rotation
    deadline: Deadline

    def verify(
        self, configuration: Configuration, specialisations: Sequence[Specialisation]
    ) -> Failure | None:
        """Compare with the reference kernel; returns why the configuration is not trusted.

        Raises:
            DeadlineError: where the time budget ended meanwhile.
        """
        reference = configuration_from_id(self.operation, self.operation.fallback_kernel)
        for specialisation in specialisations:
            fields = {
                "command": "verify",
                **self._kernel(configuration, specialisation),
                "reference": str(self.modules[self._function(reference, specialisation)]),
                "transposes": specialisation.suffix,
                "bit_stable": str(int(kernel_of(self.operation, configuration).bit_stable)),
            }
            answer = self._ask(fields, _VERIFY_TIMEOUT_S)
            if isinstance(answer, Failure):
                return answer
            if answer.get("status") != Status.OK.value:
                return _failure(answer)
        return None

    def measure(
        self, problem: Problem, configuration: Configuration, best_s: float | None
    ) -> Timing | Failure:
        """Time a configuration on a problem.

        Args:
            problem: its operands are kept by the driver while the problem stays the same.
            configuration: verified before.
            best_s: time of the fastest configuration so far, None before the first.

        Raises:
            DeadlineError: where the time budget ended meanwhile.
        """
        typical_s = best_s or Cost(self.operation, self.data_type, 1).launch_s(problem)
        slow_s = math.inf if best_s is None else max(SLOW_FACTOR * best_s, MIN_BATCH_S)
        fields = {
            "command": "measure",
            **self._kernel(configuration, self.operation.specialisation(problem)),
            "problem": ",".join(map(str, problem)),
            "rotate_bytes": str(self.rotation.size_bytes),
            "min_batch_s": f"{MIN_BATCH_S:g}",
            "samples": str(samples_for(typical_s)),
            "slow_s": f"{min(slow_s, 1e6):.6g}",
        }
        answer = self._ask(fields, _MEASURE_TIMEOUT_S + _HOPELESS_FACTOR * typical_s)
        if isinstance(answer, Failure):
            return answer
        if answer.get("status") != Status.OK.value:
            return _failure(answer)
        return self._timing(answer)

    def _ask(self, fields: Mapping[str, str], timeout_s: float) -> dict[str, Any] | Failure:
        self.deadline.check()
        try:
            return self.driver.request(fields, min(timeout_s, self.deadline.remaining_s()))
        except BenchmarkError as error:
            if self.deadline.remaining_s() <= 0.0:
                raise DeadlineError("the time budget is used up") from error
            if isinstance(error, DriverTimeoutError):
                return Failure(Status.TIMEOUT, str(error))
            if isinstance(error, DriverCrashError):
                return Failure(Status.LAUNCH_ERROR, str(error))
            raise

    def _timing(self, answer: Mapping[str, Any]) -> Timing | Failure:
        try:
            summary = summarise([float(time_s) for time_s in answer["times_s"]])
            load = float(answer.get("load", os.getloadavg()[0]))
            return Timing(
                summary=summary,
                launches=max(1, int(answer.get("launches", summary.samples))),
                single_launch=answer.get("single_launch") is True,
                rotated=answer.get("rotated") is True and self.rotation.beyond_cache,
                load=load if 0.0 <= load < math.inf else 0.0,
            )
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            message = f"the driver answered with impossible times: {error}"
            return Failure(Status.LAUNCH_ERROR, message)

    def _kernel(
        self, configuration: Configuration, specialisation: Specialisation
    ) -> dict[str, str]:
        function = self._function(configuration, specialisation)
        return {
            "type": self.data_type,
            "function": function,
            "module": str(self.modules[function]),
            "launch": str(kernel_of(self.operation, configuration).geometry(configuration)),
        }

    def _function(self, configuration: Configuration, specialisation: Specialisation) -> str:
        return function_of(self.operation, configuration, self.data_type, specialisation).name


def _failure(answer: Mapping[str, Any]) -> Failure:
    """What an answer other than ``ok`` means; an unknown status counts as a failed launch.

    Raises:
        BenchmarkError: where the driver did not understand the request.
    """
    if answer.get("status") == "bad_request":
        raise BenchmarkError(f"the benchmark driver refuses a request: {answer.get('message')}")
    try:
        status = Status(answer.get("status"))
    except ValueError:
        status = Status.LAUNCH_ERROR
    return Failure(status, str(answer.get("message", ""))[:2000])
