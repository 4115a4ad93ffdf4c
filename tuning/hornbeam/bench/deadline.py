# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A point in time after which no work is started and work under way is given up."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from hornbeam.errors import BenchmarkError


class DeadlineError(BenchmarkError):
    """The time budget is used up."""


@dataclass(frozen=True)
class Deadline:
    """A deadline on the monotonic clock, in seconds; infinity for none."""

    at_s: float = math.inf

    @classmethod
    def after(cls, seconds: float) -> Deadline:
        """The deadline so many seconds from now."""
        return cls(time.monotonic() + seconds)

    def remaining_s(self) -> float:
        """Seconds left, at least zero."""
        return max(0.0, self.at_s - time.monotonic())

    def check(self) -> None:
        """Raise where it is reached.

        Raises:
            DeadlineError: always then.
        """
        if time.monotonic() >= self.at_s:
            raise DeadlineError("the time budget is used up")
