# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What `make bench` does around the clock: sizes, operands, checks, turns."""

from __future__ import annotations

import itertools
import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import clblast_tuning
import measuring
import selecting
import workers
from checking import LARGEST_ERROR, check, stored_shapes
from hornbeam.bench import Driver
from hornbeam.types import DeviceInfo, DeviceLimits
from own_builds import OWN

HOST = DeviceInfo(
    key="acme-cpu-avx2-2cu",
    vendor="acme",
    type="cpu",
    architecture="avx2",
    name="host",
    driver="",
    platform="",
    limits=DeviceLimits(max_work_group_size=1, local_memory_bytes=0, compute_units=1),
    supports_spirv=False,
    data_types=("float",),
)
OPENBLAS_WORKER = Path(measuring.__file__).parent / "openblas_worker.py"
WRONG_WORKER = """
import json, os, sys
print(json.dumps({"ready": True, "device": "host", "driver": "", "pid": os.getpid()}), flush=True)
for line in sys.stdin:
    fields = dict(field.split("=", 1) for field in line.rstrip("\\n").split("\\t"))
    if fields["problem"].startswith("13,"):
        print(json.dumps({"status": "error", "message": "no thirteens"}), flush=True)
    else:
        print(json.dumps({"status": "ok", "explanation": "guess"}), flush=True)
"""


def product(problem, seed=0):
    """Operands as stored and their product."""
    generator = np.random.default_rng(seed)
    a, b = (generator.uniform(-1, 1, shape).astype(np.float32) for shape in stored_shapes(problem))
    left = a.swapaxes(1, 2) if problem[4] else a
    right = b.swapaxes(1, 2) if problem[5] else b
    return a, b, np.matmul(left, right)


@pytest.mark.parametrize(
    "problem",
    [
        (64, 300, 33, 1, 0, 0),
        (5, 7, 3, 4, 1, 0),
        (1, 1000, 17, 1, 0, 1),
        (100, 1, 1, 2, 1, 1),
        (2, 200_000, 2, 1, 0, 0),
    ],
)
def test_right_results_pass(problem):
    assert check(problem, *product(problem)).right


@pytest.mark.parametrize("transposes", list(itertools.product((0, 1), repeat=2)))
def test_wrong_results_do_not(transposes):
    problem = (40, 5000, 24, 2, *transposes)
    a, b, c = product(problem)
    last_term_missing = c.copy()
    columns = b[:, :, -1] if transposes[1] else b[:, -1]
    rows = a[:, -1] if transposes[0] else a[:, :, -1]
    last_term_missing -= rows[:, :, None] * columns[:, None, :]
    one_of_the_last_row = c.copy()
    one_of_the_last_row[-1, -1, -1] += 0.01
    other_operands = product(problem, seed=1)[2]
    not_written = c.copy()
    not_written[1, 3, 4] = np.nan
    for wrong in (last_term_missing, one_of_the_last_row, other_operands, not_written):
        assert not check(problem, a, b, wrong).right
    assert check(problem, a, b, c).error < LARGEST_ERROR / 4


def test_every_set_is_read_and_the_networks_have_299_sizes():
    networks = selecting.all_items(("vgg16", "resnet50", "mobilenet"))
    assert len(networks) == 299
    own = [item.problem for item in selecting.all_items(set(selecting.SETS))]
    assert len(own) == len(set(own))
    assert {(size,) * 3 for size in range(1000, 1031)} <= {problem[:3] for problem in own}
    assert any(n <= 8 and k >= 10**6 for _, k, n, *_ in own)


def test_a_quick_run_has_sizes_of_every_set():
    items = selecting.all_items(selecting.SETS)
    kept = selecting.quick(items)
    assert {name for item in kept for name in item.sets} == set(selecting.SETS)
    assert len(kept) < len(items) / 4
    assert {(2048, 2048, 2048), (1, 4096, 4096)} <= {item.problem[:3] for item in kept}


def test_neighbours_are_measured_one_after_the_other():
    items = selecting.all_items(selecting.SETS)
    order = selecting.in_turn(items)
    assert order != items
    assert sorted(order, key=str) == sorted(items, key=str)
    places = [place for place, item in enumerate(order) if "cliff" in item.sets]
    assert places == list(range(places[0], places[0] + len(places)))


def participant(name, command):
    one = measuring.Participant(name, name, Driver(command, HOST))
    one.start()
    return one


@pytest.mark.parametrize("problem", [(12, 9, 7, 3, 1, 0), (1, 300, 5, 1, 0, 1)])
def test_numpy_takes_turns_with_one_that_is_wrong(problem, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Prescott")
    right = participant("openblas", [sys.executable, str(OPENBLAS_WORKER)])
    wrong = participant("wrong", [sys.executable, "-c", WRONG_WORKER])
    plan = measuring.Plan(rounds=3, samples=2, min_batch_s=1e-4)
    with right.driver, wrong.driver:
        assert right.about["core_type"] != "Prescott"
        found = measuring.measure_size(problem, [right, wrong], tmp_path, plan)
        failed = measuring.measure_size((13, 1, 1, 1, 0, 0), [wrong], tmp_path, plan)
    assert found["openblas"]["status"] == "ok"
    assert [len(samples) for samples in found["openblas"]["rounds"]] == [2, 2, 2]
    assert (found["wrong"]["status"], found["wrong"]["rounds"]) == ("wrong", [])
    assert failed["wrong"] == {"status": "failed", "message": "no thirteens"}
    assert list(tmp_path.iterdir()) == []
    json.dumps(found)


def test_what_was_not_built_is_absent_with_a_reason(tmp_path):
    present, absent = workers.participants(tmp_path, HOST, tuning_s=0.0)
    assert [one.name for one in present] == ["openblas"]
    reasons = {one.name: one.reason for one in absent}
    assert list(reasons) == [*OWN, "onemkl", "clblast", "clblast_tuned"]
    assert "libclblast-dev" in reasons["clblast"]
    assert "requirements-bench.txt" in reasons["onemkl"]
    assert workers.limits(tmp_path, HOST, stream_bytes=1) == []


def test_a_process_at_rest_is_at_rest():
    assert measuring.settle(os.getppid(), limit_s=5.0)


def row(*cells):
    return f"| {' | '.join(cells)} |"


def test_the_best_of_what_a_tuner_printed():
    good = "\x1b[32mOK\x1b[0m 1 ms"
    match = "\x1b[32mresults match\x1b[0m"
    lines = [
        "* Parameters explored: MWG NWG KWG",
        row("ID", "total", "param", "local", "global", "compiles", "time", "GFLOPS", "status"),
        row("ref", "-", "-", "8 8", "64 64", good, "9 ms", "-", "reference OK"),
        row("1", "4", "8 8 16", "8 8", "64 64", good, "9 ms", "2.5", match),
        row("2", "4", "16 8 16", "8 8", "64 64", good, "5 ms", "4.5", match),
        row("3", "4", "32 8 16", "8 8", "64 64", good, "1 ms", "9.5", "L2 error 3.2e+01"),
        row("4", "4", "64 8 16", "8 8", "64 64", "compilation error 5", "-", "-", "<-- skipping"),
    ]
    assert clblast_tuning.best_printed(lines) == {"MWG": 16, "NWG": 8, "KWG": 16}
    assert clblast_tuning.best_printed(lines[:3]) == {}
