# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measuring campaigns: a plan in, journal rows out."""

from hornbeam.measure.campaign import Bench, Outcome, run, verify
from hornbeam.measure.progress import Progress
from hornbeam.measure.requests import Failure
from hornbeam.plan import Plan, make_plan

__all__ = ["Bench", "Failure", "Outcome", "Plan", "Progress", "make_plan", "run", "verify"]
