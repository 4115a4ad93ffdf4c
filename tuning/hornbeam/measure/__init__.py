# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measuring campaigns: a plan in, journal rows out."""

from hornbeam.measure.bench import Bench
from hornbeam.measure.campaign import Outcome, Run, run
from hornbeam.measure.progress import Progress
from hornbeam.measure.requests import Failure
from hornbeam.measure.verifying import Verification, verify
from hornbeam.plan import Plan, make_plan

__all__ = [
    "Bench",
    "Failure",
    "Outcome",
    "Plan",
    "Progress",
    "Run",
    "Verification",
    "make_plan",
    "run",
    "verify",
]
