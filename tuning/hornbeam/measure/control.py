# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The control measurement: one cell timed again and again through a run.

It tells whether the machine is throttled or busy, and whether the device still works: what fails
on a device that is gone must not be blamed on a configuration.
"""

from __future__ import annotations

import logging
import math
import time

from hornbeam.errors import DeviceError
from hornbeam.measure.recorder import Recorder
from hornbeam.measure.requests import Failure, Requests
from hornbeam.plan import Plan
from hornbeam.plan_cost import Cost
from hornbeam.space import configuration_from_id
from hornbeam.types import Problem

_LOG = logging.getLogger(__name__)

INTERVAL_S = 5.0
"""Seconds between controls: disturbances last longer. What lies between two is judged as one."""

_LARGEST_SHARE = 0.05
_LAUNCH_S = 3e-4


class Control:
    """Times the reference kernel, which is compiled for every run, on a small problem."""

    def __init__(self, plan: Plan, requests: Requests, recorder: Recorder) -> None:
        """Choose the cell; nothing is measured yet."""
        self._requests = requests
        self._recorder = recorder
        self._kernel = configuration_from_id(plan.operation, plan.operation.fallback_kernel)
        self._problem = _problem(plan)
        self._worked = False
        self._next_s = -math.inf
        self._was_slow = False

    def take_if_due(self) -> None:
        """Time the cell where the last time is a while ago.

        Raises:
            DeadlineError: the time budget ended meanwhile.
            DeviceError: see `take`.
        """
        if time.monotonic() >= self._next_s:
            self.take()

    def take(self) -> None:
        """Time the cell and record it, so that rows since the last time are judged.

        Raises:
            DeadlineError: the time budget ended meanwhile.
            DeviceError: the device did it before, and now does not.
        """
        start_s = time.monotonic()
        result = self._requests.measure(self._problem, self._kernel, None)
        end_s = time.monotonic()
        self._next_s = end_s + max(INTERVAL_S, (end_s - start_s) / _LARGEST_SHARE)
        if isinstance(result, Failure):
            if self._worked:
                raise DeviceError(
                    "the device has stopped working: the reference kernel, which it ran before, "
                    f"fails with {result.status.value} ({result.message[:200]}); see "
                    "'hornbeam doctor'"
                )
            _LOG.warning("no control measurement: %s", result.message[:200])
            self._next_s = math.inf
            return
        self._worked = True
        self._recorder.control(self._problem, self._kernel, result)
        slow = self._recorder.ledger.disturbed()
        if slow and not self._was_slow:
            _LOG.info("the machine is slower than usual; what is timed meanwhile is taken again")
        self._was_slow = slow

    def require_device(self) -> None:
        """Make sure that something which failed did not do so because the device is gone.

        Raises:
            DeviceError: it is gone.
            DeadlineError: the time budget ended meanwhile.
        """
        if self._worked:
            self.take()


def _problem(plan: Plan) -> Problem:
    """The problem whose launches are closest to a length that is exact and costs little."""
    cost = Cost(plan.operation, plan.data_type, 1)
    return min(plan.problems, key=lambda p: (abs(math.log(cost.launch_s(p) / _LAUNCH_S)), p))
