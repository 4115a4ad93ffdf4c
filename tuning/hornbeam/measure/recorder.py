# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Turns results of a tuning run into journal rows."""

from __future__ import annotations

import logging
import os
from collections import defaultdict
from dataclasses import replace
from datetime import datetime, timezone

from hornbeam.journal import Journal
from hornbeam.journal_rows import Row, Source
from hornbeam.measure.ledger import Ledger
from hornbeam.measure.requests import Failure, Timing
from hornbeam.plan import Plan
from hornbeam.types import Configuration, Problem, Status

_LOG = logging.getLogger(__name__)


class Recorder:
    """Writes rows of one plan, and knows which configurations were dropped."""

    def __init__(self, plan: Plan, journal: Journal, source: Source, ledger: Ledger) -> None:
        """Start with what the ledger knows."""
        self._plan = plan
        self._journal = journal
        self._source = source
        self.ledger = ledger
        self.measured = 0
        self.failures: dict[Status, list[str]] = defaultdict(list)

    def failed(self, configuration: Configuration, failure: Failure) -> None:
        """Drop a configuration: one row for each of its cells that did not fail before."""
        _LOG.info("%s: %s: %s", configuration.id, failure.status.value, _first(failure.message))
        self.failures[failure.status].append(configuration.id)
        for problem in self._plan.problems:
            if not self.ledger.failed(problem, configuration.id):
                round_ = self.ledger.rounds(problem, configuration.id)
                self._write_failure(problem, configuration, round_, failure)

    def measured_cell(
        self,
        problem: Problem,
        configuration: Configuration,
        round_: int,
        result: Timing | Failure,
    ) -> None:
        """Record one measurement, or that it failed, which costs this cell only."""
        if isinstance(result, Failure):
            message = _first(result.message)
            _LOG.info("%s on %s: %s: %s", configuration.id, problem, result.status.value, message)
            self._write_failure(problem, configuration, round_, result)
            return
        self.measured += 1
        self._write(self._timed(problem, configuration, round_, result))

    def control(self, problem: Problem, configuration: Configuration, result: Timing) -> None:
        """Record a control measurement."""
        number = self.ledger.controls()
        self._write(replace(self._timed(problem, configuration, number, result), control=True))

    def _timed(
        self, problem: Problem, configuration: Configuration, round_: int, result: Timing
    ) -> Row:
        row = self._row(problem, configuration, round_, Status.OK)
        return replace(
            row,
            launches=result.launches,
            samples=result.summary.samples,
            median_s=result.summary.median_s,
            min_s=result.summary.min_s,
            spread=result.summary.spread,
            single_launch=result.single_launch,
            rotated=result.rotated,
            load=result.load,
        )

    def _row(
        self, problem: Problem, configuration: Configuration, round_: int, status: Status
    ) -> Row:
        return Row(
            operation=self._plan.operation.name,
            data_type=self._plan.data_type,
            kernel=configuration.kernel,
            configuration=configuration.id,
            problem=problem,
            source=self._source,
            status=status,
            round=round_,
            time=_now(),
        )

    def take(self, row: Row) -> None:
        """Record a row that was measured elsewhere."""
        self.measured += row.status is Status.OK and not row.control
        self._write(row)

    def _write_failure(
        self, problem: Problem, configuration: Configuration, round_: int, failure: Failure
    ) -> None:
        row = self._row(problem, configuration, round_, failure.status)
        self._write(replace(row, load=os.getloadavg()[0], message=failure.message))

    def _write(self, row: Row) -> None:
        self._journal.append(row)
        self.ledger.add(row)


def _now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="seconds").replace("+00:00", "Z")


def _first(message: str) -> str:
    """The first line of a message, for logs."""
    return message.strip().split("\n")[0][:200]
