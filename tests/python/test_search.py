# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Strategies: budget, reproducibility, small spaces, failures, and what they are worth."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

import synthetic
from command_world import KEY
from hornbeam import paths
from hornbeam.errors import ConfigurationError, ExitCode
from hornbeam.operations import get_operation
from hornbeam.search import (
    STRATEGIES,
    Budget,
    SearchSpace,
    local,
    search,
    strategy_of,
    strategy_table,
)
from hornbeam.search.replay import Replay
from hornbeam.space import all_configurations
from hornbeam.types import Status

OPERATION = get_operation("matmul")
SPACE = [
    c
    for c in all_configurations(OPERATION, synthetic.DEVICE.limits)
    if c.kernel in ("register_tile", "gemv", "split_k")
][::5]
PROBLEM = (512, 784, 512, 1, 0, 0)
GUIDED = set(STRATEGIES) - {"exhaustive", "random"}
each_strategy = pytest.mark.parametrize("strategy", STRATEGIES.values(), ids=STRATEGIES)


class Device:
    """Counts what is measured of it."""

    def __init__(self, times=None):
        self.times = times or {}
        self.asked = []

    def __call__(self, configuration):
        self.asked.append(configuration.id)
        modelled = synthetic.time_s(OPERATION, configuration, PROBLEM)
        return self.times.get(configuration.id, modelled)


@each_strategy
@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_small_spaces_are_searched_whole(strategy, size):
    device = Device()
    found = search(strategy, SearchSpace(OPERATION, SPACE[-size:]), device, Budget())
    assert sorted(found) == list(range(size))
    assert len(device.asked) == size


@each_strategy
def test_budget_is_kept_and_nothing_is_measured_twice(strategy):
    device = Device()
    space = SearchSpace(OPERATION, SPACE)
    found = search(strategy, space, device, Budget(evaluations=30), seed=3)
    assert len(found) == len(device.asked) == len(set(device.asked)) == 30
    again = search(strategy, space, Device(), Budget(evaluations=30), seed=3)
    assert list(again.items()) == list(found.items())


@pytest.mark.parametrize("name", ["axis_scan", "hill_climbing", "combined_elimination"])
def test_restarts_begin_at_new_points(name, monkeypatch):
    begun = []

    def remembered(trials, first, count):
        before = set(trials.measured) - {first}
        begun.append((best_start(trials, first, count), before))
        return begun[-1][0]

    best_start = local._best_start
    monkeypatch.setattr(local, "_best_start", remembered)
    strategy = strategy_of(name)
    options = strategy.parse_options(("starts=5",))
    search(strategy, SearchSpace(OPERATION, SPACE), Device(), Budget(), options=options)
    assert len(begun) > 1
    assert all(point not in before for point, before in begun)


@each_strategy
def test_seconds_are_kept(strategy):
    ticks = []

    def evaluate(configuration):
        ticks.append(1)
        return 1.0

    space = SearchSpace(OPERATION, SPACE[:20])
    search(strategy, space, evaluate, Budget(seconds=7), clock=lambda: float(len(ticks)))
    assert len(ticks) == 7


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"exhaustive"}))
def test_seeds_differ(name):
    space = SearchSpace(OPERATION, SPACE)
    orders = {
        tuple(search(strategy_of(name), space, Device(), Budget(evaluations=25), seed=seed))
        for seed in range(3)
    }
    # Rectangles leave nothing to chance until they are done.
    assert len(orders) == (1 if name == "direct" else 3)


@each_strategy
@pytest.mark.parametrize("bad", [math.nan, math.inf, 0.0, -1.0])
def test_what_can_not_be_timed_is_never_the_best(strategy, bad):
    space = SearchSpace(OPERATION, SPACE[:12])
    failing = {c.id: bad for c in space.configurations[:8]}
    found = search(strategy, space, Device(failing), Budget())
    assert len(found) == 12
    assert {point for point, time_s in found.items() if math.isinf(time_s)} == set(range(8))
    failing = {c.id: bad for c in space.configurations}
    found = search(strategy, space, Device(failing), Budget())
    assert set(found.values()) == {math.inf}
    assert len(found) == 12


@pytest.mark.parametrize("name", sorted(GUIDED - {"direct", "nelder_mead"}))
def test_guided_search_beats_chance(name):
    """On the synthetic device, by the mean of what forty points find, over seeds."""
    space = SearchSpace(OPERATION, [c for c in SPACE if c.kernel == "register_tile"])

    def mean_best(name):
        runs = (
            search(strategy_of(name), space, Device(), Budget(evaluations=40), seed=seed)
            for seed in range(8)
        )
        return np.mean([min(found.values()) for found in runs])

    assert mean_best(name) <= mean_best("random")


def test_lines_and_neighbours_hold_valid_points_only():
    space = SearchSpace(OPERATION, SPACE)
    for point in range(len(space)):
        for axis in range(space.axes(point)):
            line = space.line(point, axis)
            assert point in line
            for other in line:
                assert space.kernel[other] == space.kernel[point]
                pairs = zip(space.coordinates[point], space.coordinates[other], strict=True)
                assert all(a == b for i, (a, b) in enumerate(pairs) if i != axis)
        assert all(point in space.neighbours(other) for other in space.neighbours(point))
        assert space.nearest(space.unit[point]) == point


def test_wrong_spaces_and_budgets_are_refused():
    with pytest.raises(ConfigurationError, match="no configuration"):
        SearchSpace(OPERATION, [])
    with pytest.raises(ConfigurationError, match="twice"):
        SearchSpace(OPERATION, [SPACE[0], SPACE[0]])
    for wrong in (0, -1, math.nan, math.inf):
        with pytest.raises(ConfigurationError, match="seconds"):
            Budget(seconds=wrong)


def test_names_and_options_are_checked():
    with pytest.raises(ConfigurationError, match=r"unknown strategy 'x'; valid: .*genetic"):
        strategy_of("x")
    genetic = strategy_of("genetic")
    assert genetic.parse_options(["population=7"]) == {"population": 7, "mutation": 0.2}
    for wrong, message in (
        ("x=1", "valid: population, mutation"),
        ("population", "name=value"),
        ("population=1", "from 2"),
        ("population=2.5", "whole number"),
        ("mutation=nan", "from 0.0 to 1.0"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            genetic.parse_options([wrong])
    with pytest.raises(ConfigurationError, match="takes no options"):
        strategy_of("random").parse_options(["x=1"])


def test_replay_leaves_unknown_cells_out_and_pays_for_failed_ones():
    data = synthetic.few(synthetic.dataset(2))
    status, time_s = data.status.copy(), data.time_s.copy()
    status[0, :3], time_s[0, :3] = None, math.nan
    status[0, 3], time_s[0, 3] = Status.TIMEOUT, math.nan
    stored = Replay(OPERATION, replace(data, status=status, time_s=time_s), 0)
    assert len(stored.space) == len(data.configurations) - 3
    found = search(strategy_of("exhaustive"), stored.space, stored.evaluate, Budget())
    assert found[0] == math.inf
    shares = stored.shares(found.values())
    assert shares[0] == 0.0
    assert shares[-1] == 1.0


def test_the_command_replays_stored_measurements(commands):
    folder = commands.folder / "shipped" / KEY
    arguments = ["search", "--replay", folder, "--strategy", "axis_scan", "--evaluations", "10"]
    status, out, err = commands(*arguments)
    assert (status, err) == (ExitCode.OK, "")
    assert "axis_scan: median" in out
    document = json.loads(commands(*arguments, "--option", "starts=3", "--format", "json")[1])
    assert document["options"] == {"starts": 3}
    assert all(one["evaluations"] == 10 for one in document["searches"])
    status, _, err = commands("search", "--replay", folder, "--strategy", "x")
    assert status == ExitCode.USAGE
    assert "valid: exhaustive, random" in err


def test_the_documented_table_is_that_of_the_code():
    text = (paths.root() / "docs" / "search.md").read_text(encoding="utf-8")
    assert "\n".join(strategy_table()) in text
