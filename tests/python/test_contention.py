# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How busy the machine is, and how long measuring takes on."""

from __future__ import annotations

import itertools
import logging

import pytest

from hornbeam.bench import Deadline, contention
from hornbeam.measure import progress


@pytest.mark.parametrize(("share", "expected"), [(1.0, 1.0), (0.9, 1.0), (0.25, 4.0)])
def test_slowness_is_the_time_that_passes_for_each_second_of_work(monkeypatch, share, expected):
    clock = itertools.count(0.0, 0.01)
    now_s = 0.0

    def wall():
        nonlocal now_s
        now_s = next(clock)
        return now_s

    monkeypatch.setattr(contention, "_QUIET", 1.3)
    monkeypatch.setattr(contention.time, "perf_counter", wall)
    monkeypatch.setattr(contention.time, "thread_time", lambda: share * now_s)
    assert contention.slowness() == pytest.approx(expected, rel=0.1)


def test_no_more_time_is_left_than_until_the_deadline(monkeypatch, caplog):
    now_s = 0.0
    monkeypatch.setattr(progress.time, "monotonic", lambda: now_s)
    caplog.set_level(logging.INFO)
    with progress.Progress("measuring", Deadline(60.0), interactive=False) as shown:
        now_s = 20.0
        shown.update(1, 10, "best a so far")
        now_s = 50.0
        shown.update(9, 10)
    assert [message.split(": ", 1)[1] for message in caplog.messages] == [
        "10 % done, about 40 s left best a so far",
        "90 % done, about 6 s left ",
    ]
