# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Plans: everything where time allows, a telling part of it where it does not."""

from __future__ import annotations

import math

import pytest

from hornbeam.errors import ConfigurationError
from hornbeam.measure import Plan, make_plan
from hornbeam.problems import load_problem_set
from hornbeam.spread import farthest_first, most_central_first
from hornbeam.types import DeviceLimits, Problem
from tuning_helpers import LIMITS, MATMUL

STORED = load_problem_set(MATMUL, "stored")
BUDGETS_S = (20.0, 40.0, 60.0, 120.0, 600.0, 3600.0, 1e6)


def _plan(budget_s: float, problems: list[Problem] | None = None) -> Plan:
    return make_plan(MATMUL, "float", LIMITS, problems or STORED, budget_s)


def test_everything_where_time_allows() -> None:
    plan = _plan(math.inf)
    assert (len(plan.configurations), plan.variants, plan.rounds) == (790, 79, 3)
    assert set(plan.problems) == set(STORED)
    assert plan.cells == 790 * len(STORED)
    assert not plan.reduced
    assert plan.rejected == {"work_group_size": 0, "unrolled_size": 10}
    assert [s.suffix for s in plan.specialisations] == ["nn", "nt", "tn", "tt"]


def test_the_fallback_is_not_measured() -> None:
    assert all(c.id != MATMUL.fallback_kernel for c in _plan(1e9).configurations)


@pytest.mark.parametrize("budget_s", BUDGETS_S)
def test_plans_fit_their_budget_and_start_with_the_default(budget_s: float) -> None:
    plan = _plan(budget_s)
    assert plan.estimate.total_s <= budget_s
    assert plan.configurations[0].id == MATMUL.default_configuration
    assert plan.problems
    assert plan.reduced == (budget_s < 1e6)
    assert len(set(plan.configurations)) == len(plan.configurations)


def test_more_time_measures_more() -> None:
    cells = [_plan(budget_s).cells for budget_s in BUDGETS_S]
    assert cells == sorted(cells)


def test_a_minute_still_gives_a_choice() -> None:
    plan = _plan(40.0)
    assert plan.variants >= 6
    assert len(plan.configurations) >= 2 * plan.variants
    assert len(plan.problems) >= 10


def test_a_hopeless_budget_gives_the_least_plan() -> None:
    plan = _plan(0.1)
    assert plan.problems
    assert plan.configurations[0].id == MATMUL.default_configuration


def test_plans_are_reproducible() -> None:
    first, second = _plan(300.0), _plan(300.0)
    assert first == second
    shuffled = _plan(300.0, STORED[::-1])
    assert shuffled == first


def test_the_users_own_problems_are_always_kept() -> None:
    own: list[Problem] = [(5, 6, 7, 1, 1, 1), (9000, 9000, 9000, 1, 0, 0)]
    plan = make_plan(MATMUL, "float", LIMITS, STORED, 60.0, required=own)
    assert list(plan.problems[:2]) == own
    alone = make_plan(MATMUL, "float", LIMITS, [], 60.0, required=own[:1])
    assert alone.problems == tuple(own[:1])
    assert alone.variants > plan.variants


def test_a_small_device_narrows_the_space() -> None:
    small = DeviceLimits(max_work_group_size=64, local_memory_bytes=0, compute_units=1)
    plan = make_plan(MATMUL, "float", small, STORED, math.inf)
    assert len(plan.configurations) == 79 * 3
    assert plan.rejected["work_group_size"] > 0


def test_nothing_to_measure_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="nothing to measure"):
        make_plan(MATMUL, "float", LIMITS, [], 60.0)


def test_orders_are_permutations() -> None:
    points = [tuple(problem) for problem in STORED]
    for order in (farthest_first(points), most_central_first(points)):
        assert sorted(order) == list(range(len(points)))
    assert farthest_first([]) == most_central_first([]) == []


def test_variety_and_typicality() -> None:
    points = [(1,), (16,), (17,), (18,), (1000,)]
    assert farthest_first(points)[:2] == [0, 4]
    assert most_central_first(points)[0] in (1, 2, 3)
    assert most_central_first(points, chosen=[(17,)])[0] in (0, 4)
