# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a tuning run measures, decided beforehand: which cells, and about how long it takes.

Where the time budget is too short for everything, the plan takes fewer variants, work-groups,
problems and rounds. What it leaves out is decided by fixed rules, so that the same budget
gives the same plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from hornbeam.errors import ConfigurationError
from hornbeam.kernel_definition import KernelDefinition
from hornbeam.operations import Operation, Specialisation
from hornbeam.plan_cost import Cost, Estimate, Shipping
from hornbeam.space import all_configurations, configuration_from_id, kernel_of, rejections
from hornbeam.spread import most_central_first
from hornbeam.types import Configuration, DeviceLimits, Problem


@dataclass(frozen=True)
class Plan:
    """Cells to be measured, most telling first.

    Attributes:
        operation, data_type: what is measured.
        problems: in the order they are measured, any beginning spread over the set.
        configurations: in the order they are tried first, any beginning spread over the space.
        rounds: times that each cell is measured.
        rejected: constraint -> points of the space that it rules out on this device.
        problems_given: number of problems asked for.
        configurations_valid: number of configurations that the device can run.
        estimate: time it will take.
        budget_s: time it was made for, in seconds.
        shipping: what will be selected of it; None for nothing.
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
"""Variants that keep fewer or more elements than this come last in reduced plans: the first
do too little work for each load, the others spill on every device known."""


def make_plan(
    operation: Operation,
    data_type: str,
    limits: DeviceLimits,
    problems: Sequence[Problem],
    budget_s: float,
    required: Sequence[Problem] = (),
    shipping: Shipping | None = None,
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

    Raises:
        ConfigurationError: where there is no problem or no configuration.
    """
    own = list(dict.fromkeys(required))
    others = sorted(set(problems) - set(own))
    valid = [
        configuration
        for configuration in all_configurations(operation, limits)
        if configuration.id != operation.fallback_kernel
    ]
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
    )
    cost = Cost(operation, data_type, limits.compute_units)
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
        affordable = [p for p in others if cost.problem_s(p, len(configurations), 1) <= bound_s]
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
    """Configurations, the default one first and its kernel's variants spread over the space."""
    default = configuration_from_id(operation, operation.default_configuration)
    grid: dict[str, list[Configuration]] = {}
    for configuration in valid:
        grid.setdefault(configuration.variant_id, []).append(configuration)
    first = grid.get(default.variant_id) or next(iter(grid.values()))
    leaders = [first[0], *(group[0] for group in grid.values() if group is not first)]
    sensible = [c for c in leaders if c is first[0] or _is_sensible(kernel_of(operation, c), c)]
    rest = [c for c in leaders if c not in sensible]
    points = [_point(operation, c, "compile") for c in sensible]
    order = most_central_first(points[1:], points[:1])
    variants = [first[0].variant_id, *(sensible[1 + i].variant_id for i in order)]
    variants += [c.variant_id for c in rest]
    ordered = []
    for position, variant in enumerate(variants[: level.variants]):
        launches = _launches(operation, grid[variant], default)[: level.launches]
        ordered += [(i, position, configuration) for i, configuration in enumerate(launches)]
    return [configuration for _, _, configuration in sorted(ordered, key=lambda entry: entry[:2])]


def _launches(
    operation: Operation, group: list[Configuration], default: Configuration
) -> list[Configuration]:
    """Configurations of one variant: launched like the default one first, then spread."""
    wanted = _point(operation, default, "launch")
    ordered = sorted(group, key=lambda c: _point(operation, c, "launch") != wanted)
    points = [_point(operation, c, "launch") for c in ordered]
    order = most_central_first(points[1:], points[:1])
    return [ordered[0], *(ordered[1 + i] for i in order)]


def _point(operation: Operation, configuration: Configuration, stage: str) -> tuple[int, ...]:
    parameters = kernel_of(operation, configuration).parameters
    return tuple(configuration.parameters[p.name] for p in parameters if p.stage == stage)


def _is_sensible(definition: KernelDefinition, configuration: Configuration) -> bool:
    least, most = _REGISTER_ELEMENTS
    elements = definition.elements(definition.private_elements, configuration)
    return not definition.private_elements or least <= elements <= most


def _rejected(kernels: Sequence[KernelDefinition], limits: DeviceLimits) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for kernel in kernels:
        counts.update(rejections(kernel, limits))
    return dict(counts)
