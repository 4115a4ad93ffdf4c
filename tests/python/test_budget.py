# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A tuning run keeps to its time, whatever takes long, and what it selects is verified."""

from __future__ import annotations

import time

import pytest

from hornbeam.bench import Deadline, DeadlineError, tools
from hornbeam.evaluate import LearnOptions
from hornbeam.pipeline import campaign, measuring
from hornbeam.pipeline.measuring import Order, carry_out
from tuning_helpers import MATMUL, PROBLEMS, device, fake_bench, lines

LEARNING = LearnOptions(splits=1, max_tried=2, n_kernels=2)
GRACE_S = 5.0


@pytest.fixture(scope="module", autouse=True)
def _warm():
    """Loads what learning needs: that takes a moment, once, and does not count."""
    import sklearn.cluster
    import sklearn.decomposition
    import sklearn.tree  # noqa: F401


def new(folder, **changes):
    return campaign.Campaign(
        **{
            "operation": MATMUL,
            "data_type": "float",
            "device": device(),
            "problems": PROBLEMS,
            "required": (),
            "journal": folder / "journal.jsonl",
            "stands_in_for": ("double",),
            **changes,
        }
    )


def timed(folder, monkeypatch, budget_s, todo=None, **variables):
    bench = fake_bench(folder, variables=variables)
    monkeypatch.setattr(measuring, "bench_of", lambda *_: bench)
    start_s = time.monotonic()
    order = Order(LEARNING, folder / "datasets", Deadline.after(budget_s))
    done = carry_out(todo or [new(folder)], order)
    return done, time.monotonic() - start_s


def test_time_is_left_to_verify_what_is_selected(tmp_path, monkeypatch):
    """Measuring alone would use up all of it: twelve seconds at least."""
    required = tuple((8, 8, 8 * n, 1, 0, 0) for n in range(1, 61))
    todo = [new(tmp_path, problems=(), required=required)]
    done, took_s = timed(tmp_path, monkeypatch, 10.0, todo, FAKE_DELAY_S="0.1")
    assert took_s < 10.0 + GRACE_S
    assert done.warnings == ()
    assert len(done.datasets[0].problems) < len(required)
    (selector,) = done.selectors.values()
    log = lines(tmp_path / "driver.log")
    for kernel in selector.kernels:
        for data_type in ("float", "double"):
            for part in MATMUL.specialisations:
                name = f"hornbeam_{kernel.variant_id}_{data_type}_{part.suffix}"
                assert any(line.startswith(f"verify {name} ") for line in log), name


@pytest.mark.parametrize(
    "slowness",
    [
        {"FAKE_DELAY_S": "2"},
        {"FAKE_START_S": "30"},
        {"FAKE_COMPILER_FAULTS": '{"": "hang"}'},
        {"FAKE_BEHAVIOUR": "", "FAKE_DELAY_S": "30"},
    ],
    ids=["slow answers", "slow start", "hanging compiler", "hanging driver"],
)
def test_the_budget_is_kept(tmp_path, monkeypatch, slowness):
    double = {"data_type": "double", "stands_in_for": (), "journal": tmp_path / "second.jsonl"}
    _, took_s = timed(
        tmp_path, monkeypatch, 8.0, [new(tmp_path), new(tmp_path, **double)], **slowness
    )
    assert took_s < 8.0 + GRACE_S


def test_building_the_tools_counts(tmp_path, monkeypatch):
    cmake = tmp_path / "cmake"
    cmake.write_text("#!/bin/sh\nsleep 60\n")
    cmake.chmod(0o755)
    monkeypatch.setattr(tools, "_program", lambda _: str(cmake))
    monkeypatch.setattr(tools, "wheel_prefix", lambda: tmp_path)
    start_s = time.monotonic()
    order = Order(LEARNING, tmp_path / "datasets", Deadline.after(2.0))
    with pytest.raises(DeadlineError, match="what was built is kept"):
        carry_out([new(tmp_path)], order)
    assert time.monotonic() - start_s < 2.0 + GRACE_S
