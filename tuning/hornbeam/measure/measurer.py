# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How one cell is measured. Which one is next is no matter of this module, see `order`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hornbeam.bench.deadline import Deadline
from hornbeam.measure.control import Control
from hornbeam.measure.order import Visit
from hornbeam.measure.recorder import Recorder
from hornbeam.measure.requests import Failure, Requests
from hornbeam.measure.verifying import Check
from hornbeam.plan import Plan
from hornbeam.types import Configuration


@dataclass(frozen=True)
class Measurer:
    """Verifies a configuration before its first time, times it, and writes down what came of it.

    Attributes:
        plan, recorder, requests: what is measured, and with what.
        control: taken through the run.
        deadline: after which nothing is started.
        passed: what was verified; added to.
    """

    plan: Plan
    recorder: Recorder
    requests: Requests
    control: Control
    deadline: Deadline
    passed: set[Check]

    def measure(self, visit: Visit) -> None:
        """Measure one cell; every outcome is a row.

        Raises:
            DeadlineError: the time budget is used up; no row tells of what was under way.
            DeviceError: the device is gone, which no configuration is blamed for.
        """
        self.deadline.check()
        self.control.take_if_due()
        failure = self._verify(visit.configuration)
        if failure is not None:
            self.control.require_device()
            self.recorder.failed(visit.configuration, failure)
            return
        best_s = self.recorder.ledger.best_s(visit.problem)
        result = self.requests.measure(visit.problem, visit.configuration, best_s)
        if isinstance(result, Failure):
            self.control.require_device()
        self.recorder.measured_cell(visit.problem, visit.configuration, visit.round, result)

    def condemn(self, failures: Mapping[Configuration, Failure]) -> None:
        """Drop configurations that failed before anything was timed.

        Raises:
            DeviceError: the device is gone, which no configuration is blamed for.
        """
        if failures:
            self.control.take_if_due()
        for configuration, failure in failures.items():
            self.recorder.failed(configuration, failure)

    def close(self) -> bool:
        """Take a last control; returns whether something is to be taken again."""
        self.control.take()
        return self.recorder.ledger.to_be_taken_again()

    def _verify(self, configuration: Configuration) -> Failure | None:
        parts = self.plan.specialisations
        checks = {(configuration.id, self.plan.data_type, part.suffix) for part in parts}
        if checks <= self.passed:
            return None
        failure = self.requests.verify(configuration, parts)
        if failure is None:
            self.passed.update(checks)
        return failure
