# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Summaries of samples, and where files lie."""

from __future__ import annotations

import logging
import math
from pathlib import Path

import pytest

from hornbeam import paths
from hornbeam.measure import Progress
from hornbeam.stats import summarise


def test_summary_of_samples() -> None:
    summary = summarise([3.0, 1.0, 2.0])
    assert (summary.samples, summary.median_s, summary.min_s) == (3, 2.0, 1.0)
    assert summary.spread == 1.0
    assert math.isnan(summarise([0.5]).spread)


@pytest.mark.parametrize("times_s", [[], [0.0], [-1.0], [math.nan], [1.0, math.inf]])
def test_impossible_times_are_refused(times_s: list[float]) -> None:
    with pytest.raises(ValueError, match="positive finite"):
        summarise(times_s)


def test_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (paths.root() / "tuning/hornbeam/paths.py").is_file()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "x"))
    assert paths.cache_dir() == tmp_path / "x/hornbeam"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert paths.cache_dir() == tmp_path / ".cache/hornbeam"
    monkeypatch.setenv("HOME", "/nonexistent")
    assert paths.cache_dir().is_absolute()
    assert "nonexistent" not in str(paths.cache_dir())


def test_progress_is_logged_now_and_then(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [0.0]
    monkeypatch.setattr("hornbeam.measure.progress.time.monotonic", lambda: now_s[0])
    with caplog.at_level(logging.INFO), Progress("measuring", interactive=False) as progress:
        for step in range(101):
            now_s[0] = 0.4 * step
            progress.update(step, 100, "something")
    assert len(caplog.messages) == 4
    assert caplog.messages[0] == "measuring: 25 % done, about 30 s left something"


def test_progress_on_a_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with Progress("measuring", interactive=True) as progress:
        progress.update(1, 2)
    assert capfd.readouterr().out == ""
