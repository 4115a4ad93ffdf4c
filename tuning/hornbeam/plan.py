# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a tuning run measures, decided beforehand: which cells, and about how long it takes.

Where the time budget is too short for everything, the plan takes fewer variants, work-groups,
problems and rounds. What it leaves out is decided by fixed rules, so that the same budget
gives the same plan.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hornbeam.errors import ConfigurationError
from hornbeam.kernel_definition import KernelDefinition
from hornbeam.operations import Operation, Specialisation
from hornbeam.plan_cost import Cost, Estimate, Shipping
from hornbeam.space import configuration_from_id, kernel_of, measurable, rejections
from hornbeam.spread import most_central_first
from hornbeam.types import Configuration, DeviceLimits, Problem


@dataclass(frozen=True)
class Plan:
    """Cells to be measured, most telling first.

    Attributes:
        operation, data_type: what is measured.
        problems: in the order they are measured, any beginning spread over the set.
        configurations: in the order they are tried first, any beginning spread over the space.
        rounds: times that each cell is measured that may be the best of its problem.
        rejected: constraint -> points of the space that it rules out on this device.
        problems_given: number of problems asked for.
        configurations_valid: number of configurations asked for that the device can run.
        estimate: time it will take.
        budget_s: time it was made for, in seconds.
        shipping: what will be selected of it; None for nothing.
        extra_rounds: for cells of which it stays unclear whether they are the best, while there
            is time.
        slowness: how many times as long as on an idle machine it was expected to take.
    """

    operation: Operation
    data_type: str
    problems: tuple[Problem, ...]
    configurations: tuple[Configuration, ...]
    rounds: int
    rejected: Mapping[str, int]
    problems_given: int
    configurations_valid: int
    estimate: Estimate
    budget_s: float
    shipping: Shipping | None = None
    extra_rounds: int = 4
    slowness: float = 1.0

    @property
    def most_rounds(self) -> int:
        """Times that a cell is measured at most."""
        return self.rounds + self.extra_rounds

    @property
    def cells(self) -> int:
        """Number of (problem, configuration) pairs."""
        return len(self.problems) * len(self.configurations)

    @property
    def variants(self) -> int:
        """Number of kernels compiled, each for every specialisation."""
        return len({configuration.variant_id for configuration in self.configurations})

    @property
    def shipped_types(self) -> tuple[str, ...]:
        """Data types in which every configuration is verified before it is timed.

        Where none are, configurations are verified in what the problems need, and only those
        that are selected in the rest.
        """
        if self.shipping is None or not self.shipping.verified_first(self.variants):
            return ()
        return self.shipping.data_types

    @property
    def reserve_s(self) -> float:
        """Time that must be left when measuring ends, for verifying what is selected."""
        return _RESERVE_FACTOR * self.estimate.ship_s

    @property
    def reduced(self) -> bool:
        """Whether something is left out for lack of time."""
        return (
            len(self.problems) < self.problems_given
            or len(self.configurations) < self.configurations_valid
            or self.rounds < _LEVELS[0].rounds
        )

    @property
    def specialisations(self) -> tuple[Specialisation, ...]:
        """Those that the problems need, in the operation's order."""
        used = {self.operation.specialisation(problem) for problem in self.problems}
        return tuple(s for s in self.operation.specialisations if s in used)


@dataclass(frozen=True)
class _Level:
    """Upper bounds on the size of a plan; None for no bound.

    Attributes:
        variants, launches: configurations are pairs of a variant and a way to launch it.
        problems: beyond those that must be in the plan.
        rounds: times that each cell is measured.
        specialisations: of the problems that may be left out.
    """

    variants: int | None
    launches: int | None
    problems: int | None
    rounds: int
    specialisations: int | None = None


_LEVELS = (
    _Level(None, None, None, 3),
    _Level(None, None, None, 2),
    _Level(64, None, None, 2),
    _Level(48, None, 96, 2),
    _Level(40, None, 64, 2),
    _Level(32, 8, 48, 2),
    _Level(24, 8, 40, 2),
    _Level(20, 6, 32, 2),
    _Level(16, 6, 24, 2, 1),
    _Level(12, 5, 20, 2, 1),
    _Level(10, 4, 20, 1, 1),
    _Level(8, 4, 16, 1, 1),
    _Level(6, 3, 12, 1, 1),
    _Level(4, 3, 10, 1, 1),
    _Level(3, 2, 8, 1, 1),
    _Level(2, 2, 6, 1, 1),
    _Level(1, 2, 4, 1, 1),
)
"""From everything down to a few cells; the first that fits the budget is taken."""

_SHARE_OF_BUDGET = 0.85
_RESERVE_FACTOR = 1.25
_LARGEST_SHARE_OF_PROBLEM = 0.1
_REGISTER_ELEMENTS = (24, 176)
"""Variants that work on fewer or more elements than this come last in reduced plans: the first
do too little work for each load, the others spill on every device known. Where a kernel has no
other, it says nothing of them."""


def make_plan(
    operation: Operation,
    data_type: str,
    limits: DeviceLimits,
    problems: Sequence[Problem],
    budget_s: float,
    required: Sequence[Problem] = (),
    shipping: Shipping | None = None,
    patterns: Sequence[str] = (),
    slowness: float = 1.0,
    devices: int = 1,
) -> Plan:
    """Decide what to measure.

    Args:
        operation: what is tuned.
        data_type: element type.
        limits: of the device.
        problems: to measure, as far as time allows.
        budget_s: seconds for everything but building the tools.
        required: problems that are measured whatever else is left out, e.g. the user's own.
        shipping: what will be selected, to leave time for verifying it; None for nothing.
        patterns: of the ids of configurations, see `hornbeam.space.measurable`.
        slowness: how many times as long as on an idle machine everything takes now.
        devices: number of like devices that measuring is spread over.

    Raises:
        ConfigurationError: where there is no problem or no configuration.
    """
    own = list(dict.fromkeys(required))
    others = sorted(set(problems) - set(own))
    limits = limits.of_elements(operation.element_bytes[data_type])
    valid = measurable(operation, limits, patterns)
    if not valid or not (own or others):
        raise ConfigurationError(f"there is nothing to measure for {operation.name}")
    whole = Plan(
        operation=operation,
        data_type=data_type,
        problems=(*own, *others),
        configurations=tuple(valid),
        rounds=0,
        rejected=_rejected(operation.kernels, limits),
        problems_given=len(own) + len(others),
        configurations_valid=len(valid),
        estimate=Estimate(0.0, 0.0, 0.0),
        budget_s=budget_s,
        shipping=shipping,
        slowness=slowness,
    )
    cost = Cost(operation, data_type, limits.compute_units, slowness, devices)
    for level in _LEVELS:
        plan = _at_level(whole, level, own, others, cost)
        if plan.estimate.total_s <= _SHARE_OF_BUDGET * budget_s:
            break
    return plan


def _at_level(
    whole: Plan, level: _Level, own: list[Problem], others: list[Problem], cost: Cost
) -> Plan:
    configurations = _configurations(whole.operation, whole.configurations, level)
    affordable = others
    if level is not _LEVELS[0]:
        bound_s = _LARGEST_SHARE_OF_PROBLEM * whole.budget_s
        each = len(configurations)
        affordable = [p for p in others if cost.slowness * cost.problem_s(p, each, 1) <= bound_s]
    chosen = _problems(whole.operation, affordable, own, level)
    problems = (*own, *chosen) or whole.problems[:1]
    plan = replace(
        whole, problems=problems, configurations=tuple(configurations), rounds=level.rounds
    )
    estimate = cost.estimate(
        problems, configurations, len(plan.specialisations), level.rounds, whole.shipping
    )
    return replace(plan, estimate=estimate)


def _problems(
    operation: Operation, candidates: list[Problem], own: list[Problem], level: _Level
) -> list[Problem]:
    """Candidates in an order of which any beginning is spread, as many as the level allows."""
    if level.specialisations is not None:
        counts = Counter(operation.specialisation(p) for p in (own or candidates))
        kept = {s for s, _ in counts.most_common(level.specialisations)}
        candidates = [p for p in candidates if operation.specialisation(p) in kept]
    order = most_central_first(candidates, own)
    return [candidates[i] for i in order[: level.problems]]


def _configurations(
    operation: Operation, valid: Iterable[Configuration], level: _Level
) -> list[Configuration]:
    """Configurations, the default one first and any beginning spread over kernels and spaces.

    All variants are launched in their first way before any is in its second.
    """
    default = configuration_from_id(operation, operation.default_configuration)
    wanted = _values(operation, default, "launch")
    grid: dict[str, list[Configuration]] = {}
    for configuration in valid:
        grid.setdefault(configuration.variant_id, []).append(configuration)
    leaders = [group[0] for group in grid.values()]
    columns = []
    for leader in _variants(operation, leaders, default)[: level.variants]:
        group = grid[leader.variant_id]
        like_default = [c for c in group if _values(operation, c, "launch") == wanted]
        columns.append(_spread(operation, group, "launch", like_default)[: level.launches])
    return _in_turn(columns)


def _variants(
    operation: Operation, leaders: Iterable[Configuration], default: Configuration
) -> list[Configuration]:
    """Configurations of one variant each, taken from the kernels in turn, the default's first.

    Those whose estimates promise little come last.
    """
    kernels: dict[str, list[Configuration]] = {default.kernel: []}
    for leader in leaders:
        kernels.setdefault(leader.kernel, []).append(leader)
    early, late = [], []
    for variants in kernels.values():
        start = [c for c in variants if c.variant_id == default.variant_id]
        sensible = [c for c in variants if c in start or _is_sensible(operation, c)] or variants
        early.append(_spread(operation, sensible, "compile", start))
        late.append([c for c in variants if c not in sensible])
    return _in_turn(early) + _in_turn(late)


def _spread(
    operation: Operation,
    configurations: Sequence[Configuration],
    stage: str,
    start: Sequence[Configuration],
) -> list[Configuration]:
    """Configurations of one kernel: ``start``, then the others spread by the values of a stage."""
    others = [c for c in configurations if c not in start]
    points, chosen = (
        [tuple(_values(operation, c, stage).values()) for c in part] for part in (others, start)
    )
    return [*start, *(others[i] for i in most_central_first(points, chosen))]


def _values(operation: Operation, configuration: Configuration, stage: str) -> dict[str, int]:
    """Parameter values of a stage by name."""
    parameters = kernel_of(operation, configuration).parameters
    return {p.name: configuration.parameters[p.name] for p in parameters if p.stage == stage}


def _in_turn(columns: Iterable[Sequence[Configuration]]) -> list[Configuration]:
    """The first of each, then the second of each, and so on."""
    rows = itertools.zip_longest(*columns)
    return [entry for row in rows for entry in row if entry is not None]


def _is_sensible(operation: Operation, configuration: Configuration) -> bool:
    definition = kernel_of(operation, configuration)
    least, most = _REGISTER_ELEMENTS
    elements = definition.elements(definition.register_elements, configuration)
    return not definition.register_elements or least <= elements <= most


def _rejected(kernels: Sequence[KernelDefinition], limits: DeviceLimits) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for kernel in kernels:
        counts.update(rejections(kernel, limits))
    return dict(counts)
