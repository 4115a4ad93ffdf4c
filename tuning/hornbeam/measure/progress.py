# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Progress of long work: a bar on a terminal, a plain line every ten seconds elsewhere."""

from __future__ import annotations

import logging
import math
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from hornbeam.bench.deadline import Deadline

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_LOG = logging.getLogger(__name__)
_INTERVAL_S = 10.0
_FORESEEABLE = 0.01
"""Part that must be done before the rest is estimated from it."""


class Progress:
    """Reports how far a piece of work is; use it as a context manager."""

    def __init__(
        self, what: str, deadline: Deadline | None = None, interactive: bool | None = None
    ) -> None:
        """Name the work.

        Args:
            what: e.g. ``measuring``.
            deadline: when it ends at the latest; None for no limit.
            interactive: whether to draw a bar; by default where standard error is a terminal.
        """
        self._what = what
        self._deadline = deadline or Deadline()
        self._interactive = sys.stderr.isatty() if interactive is None else interactive
        self._bar: tuple[Bar, TaskID] | None = None
        self._start_s = time.monotonic()
        self._last_s = self._start_s

    def __enter__(self) -> Progress:
        """Start the clock."""
        self._start_s = self._last_s = time.monotonic()
        if self._interactive:
            from rich.console import Console
            from rich.progress import Progress as Bar

            bar = Bar(console=Console(stderr=True), transient=True)
            bar.start()
            self._bar = (bar, bar.add_task(self._what, total=1.0))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar[0].stop()
            self._bar = None

    def update(self, done: float, total: float, detail: str = "") -> None:
        """Tell how much is done, in any unit."""
        fraction = min(1.0, done / total) if total > 0 else 1.0
        if self._bar is not None:
            bar, task = self._bar
            bar.update(task, completed=fraction, description=f"{self._what} {detail}".rstrip())
            return
        now_s = time.monotonic()
        if now_s - self._last_s < _INTERVAL_S:
            return
        self._last_s = now_s
        elapsed_s = now_s - self._start_s
        left_s = self._deadline.remaining_s()
        if fraction >= _FORESEEABLE:
            left_s = min(left_s, elapsed_s * (1 - fraction) / fraction)
        left = f", about {left_s:.0f} s left" if left_s < math.inf else ""
        _LOG.info("%s: %.0f %% done%s %s", self._what, 100 * fraction, left, detail)
