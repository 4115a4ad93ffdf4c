# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Plans: everything where time allows, a telling part of it where it does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hornbeam.errors import ConfigurationError
from hornbeam.measure import Plan, make_plan
from hornbeam.operations import Operation
from hornbeam.plan_cost import Shipping
from hornbeam.problems import load_problem_set
from hornbeam.space import kernel_of, measurable
from hornbeam.spread import farthest_first, most_central_first
from hornbeam.types import Configuration, DeviceLimits, Problem
from sample_kernels import NARROW, WIDE, sample_kernel, with_kernels
from tuning_helpers import LIMITS, MATMUL

STORED = load_problem_set(MATMUL, "stored")
BUDGETS_S = (20.0, 40.0, 60.0, 120.0, 600.0, 3600.0, 1e6)


def _plan(budget_s: float, problems: list[Problem] | None = None) -> Plan:
    return make_plan(MATMUL, "float", LIMITS, problems or STORED, budget_s)


def test_everything_where_time_allows() -> None:
    plan = _plan(math.inf)
    valid = measurable(MATMUL, LIMITS)
    assert set(plan.configurations) == set(valid)
    assert plan.variants == len({configuration.variant_id for configuration in valid})
    assert plan.rounds == 3
    assert set(plan.problems) == set(STORED)
    assert plan.cells == len(valid) * len(STORED)
    assert not plan.reduced
    assert plan.rejected["unrolled_size"] == 10
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


def test_more_devices_measure_more_in_the_same_time() -> None:
    alone, four = (
        make_plan(MATMUL, "float", LIMITS, STORED, 600.0, devices=devices) for devices in (1, 4)
    )
    assert four.cells * four.rounds > 1.5 * alone.cells * alone.rounds
    assert four.estimate.total_s <= 600.0


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
    assert set(plan.configurations) == set(measurable(MATMUL, small.of_elements(4)))
    assert len(plan.configurations) < len(measurable(MATMUL, LIMITS))
    assert plan.rejected["work_group_size"] > 0
    assert plan.rejected["local_memory"] > 0


def test_local_memory_holds_fewer_elements_of_larger_types() -> None:
    limits = replace(LIMITS, local_memory_bytes=32768)
    counts = {}
    for data_type in MATMUL.data_types:
        plan = make_plan(MATMUL, data_type, limits, STORED, math.inf)
        for one in plan.configurations:
            kernel = kernel_of(MATMUL, one)
            taken = kernel.elements(kernel.local_elements, one) * MATMUL.element_bytes[data_type]
            assert taken <= limits.local_memory_bytes
        counts[data_type] = plan.rejected["local_memory"]
    assert counts["half"] < counts["float"] < counts["double"]


def _several(tmp_path: Path, **changes: object) -> Operation:
    """Kernels of unlike spaces; changes are those of the estimates of one of them."""
    estimates = {**WIDE["estimates"], **changes}
    wide = sample_kernel(tmp_path, WIDE, estimates=estimates)
    return with_kernels(wide, sample_kernel(tmp_path, NARROW))


def _plan_of(operation: Operation, budget_s: float, patterns: Sequence[str] = ()) -> Plan:
    return make_plan(operation, "float", LIMITS, STORED, budget_s, patterns=patterns)


def test_kernels_take_turns(tmp_path: Path) -> None:
    operation = _several(tmp_path)
    whole = _plan_of(operation, math.inf)
    assert set(whole.configurations) == set(measurable(operation, LIMITS))
    assert whole.configurations[0].id == operation.default_configuration
    first = [configuration.kernel for configuration in whole.configurations[:12]]
    own = whole.configurations[0].kernel
    assert first == [own, "wide", "narrow"] * 3 + [own, "wide", own]
    for budget_s in BUDGETS_S[1:]:
        plan = _plan_of(operation, budget_s)
        assert len({configuration.kernel for configuration in plan.configurations}) == 3
        assert plan.estimate.total_s <= budget_s


def test_each_kernel_is_spread_for_itself(tmp_path: Path) -> None:
    operation = _several(tmp_path)
    several = _plan_of(operation, math.inf).configurations
    for patterns in (["wide_*"], ["narrow_*"], ["register_tile_*"]):
        alone = _plan_of(operation, math.inf, patterns).configurations
        variants = [_order(some, alone[0].kernel) for some in (alone, several)]
        assert variants[0] == variants[1]


def _order(configurations: Sequence[Configuration], kernel: str) -> list[str]:
    """Variants of one kernel in the order in which they come up."""
    return list(dict.fromkeys(c.variant_id for c in configurations if c.kernel == kernel))


def test_variants_that_promise_little_come_last_in_their_kernel(tmp_path: Path) -> None:
    """But bounds that none keeps say nothing of a kernel."""
    operation = _several(tmp_path)
    wide = _order(_plan_of(operation, math.inf).configurations, "wide")
    assert wide[-2:] == ["wide_8x32x16_16", "wide_8x32x16_24"], "these spill"
    huge = _several(tmp_path, register_elements=[["rows", "cols", "row_block"]])
    assert _plan_of(huge, math.inf).configurations[1].kernel == "wide"


def test_patterns_restrict_a_plan(tmp_path: Path) -> None:
    operation = _several(tmp_path)
    plan = _plan_of(operation, math.inf, ["narrow_*"])
    assert {c.id for c in plan.configurations} == {"narrow_2", "narrow_4", "narrow_8"}
    assert (plan.configurations_valid, plan.reduced) == (3, False)
    with pytest.raises(ConfigurationError, match="ids look like"):
        _plan_of(operation, math.inf, ["tall_*"])


def test_kernels_that_take_long_to_compile_are_planned_for(tmp_path: Path) -> None:
    light, heavy = (
        _plan_of(_several(tmp_path, compile_cost=cost), math.inf, ["wide_*"]).estimate
        for cost in (1, 3)
    )
    assert light.compile_s < heavy.compile_s <= 3 * light.compile_s
    assert light.verify_s < heavy.verify_s <= 3 * light.verify_s
    assert light.measure_s == heavy.measure_s
    shipped = [
        make_plan(
            _several(tmp_path, compile_cost=cost),
            "float",
            LIMITS,
            STORED,
            600.0,
            shipping=Shipping(6, ("float", "double"), from_all=True),
            patterns=["wide_*"],
        )
        for cost in (1, 3)
    ]
    assert shipped[0].reserve_s < shipped[1].reserve_s


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
