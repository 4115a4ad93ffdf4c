# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What the tuner knows of a kernel, read from the definition that lies beside the kernel."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from hornbeam.errors import DatasetError
from hornbeam.kernel_schema import KERNEL_SCHEMA
from hornbeam.schemas import read_json
from hornbeam.types import Configuration, DeviceLimits

Product = tuple[int | str, ...]
"""Factors: numbers, and names of parameters."""


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel.

    Attributes:
        name, meaning: for people and for templates.
        values: what it may be, in order.
        stage: ``compile`` (fixed in a variant) or ``launch``.
    """

    name: str
    values: tuple[int, ...]
    stage: str
    meaning: str


@dataclass(frozen=True)
class Combination:
    """The only joint values that some parameters take together."""

    parameters: tuple[str, ...]
    values: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Bound:
    """A constraint: the sum of products of parameters ``<= at_most``.

    Attributes:
        name, reason: for people.
        products: factors of each: names of parameters, or numbers.
        at_most: a number, or a field of `DeviceLimits`.
    """

    name: str
    reason: str
    products: tuple[Product, ...]
    at_most: int | str

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that it refers to."""
        return _names(self.products)

    def holds(self, values: Mapping[str, int], limits: DeviceLimits | None) -> bool:
        """Whether parameter values meet it; what is not known of the device bounds nothing."""
        at_most = self.at_most
        bound: int | None = getattr(limits, at_most, None) if isinstance(at_most, str) else at_most
        return bound is None or _sum_of_products(self.products, values) <= bound


@dataclass(frozen=True)
class Divisibility:
    """A constraint: ``parameter`` is a multiple of ``multiple_of``.

    Attributes:
        name, reason: for people.
        parameter: name of the dividend.
        multiple_of: a number, or another parameter.
    """

    name: str
    reason: str
    parameter: str
    multiple_of: int | str

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters that it refers to."""
        divisor = self.multiple_of
        return (self.parameter, divisor) if isinstance(divisor, str) else (self.parameter,)

    def holds(self, values: Mapping[str, int], _limits: DeviceLimits | None) -> bool:
        """Whether parameter values meet it, on any device."""
        divisor = self.multiple_of
        if isinstance(divisor, str):
            divisor = values[divisor]
        return values[self.parameter] % divisor == 0


Constraint = Bound | Divisibility


@dataclass(frozen=True)
class LaunchGeometry:
    """Outputs per work-item and work-items per work-group, in rows and columns.

    Where ``least`` is not 0, work-groups are single work-items, ``tile`` is the most that one
    computes, and the launch may give it any multiple of ``least`` below that. A kernel may cut k
    too: into at most ``slices`` of at least ``least_k``; 0 where it does not.
    """

    tile_rows: int
    tile_cols: int
    group_rows: int
    group_cols: int
    least_rows: int = 0
    least_cols: int = 0
    slices: int = 0
    least_k: int = 0

    def __str__(self) -> str:
        """As the benchmark driver takes it."""
        return ",".join(map(str, astuple(self)))


@dataclass(frozen=True)
class KernelDefinition:
    """What the tuner knows of a kernel family; the fields mirror its JSON definition.

    Estimates are sums of products of parameters: ``register_elements`` of what the innermost loop
    works on, ``local_elements`` of what a work-group shares. ``compile_cost`` is the time that
    compiling a function takes, in the compiler and in the driver, in units of the cost model.
    """

    name: str
    operation: str
    summary: str
    header: str
    bit_stable: bool
    parameters: tuple[Parameter, ...]
    combinations: tuple[Combination, ...]
    constraints: tuple[Constraint, ...]
    launch: Mapping[str, int | str]
    register_elements: tuple[Product, ...]
    local_elements: tuple[Product, ...]
    compile_cost: float
    variant_template: str
    id_template: str
    path: Path

    def __hash__(self) -> int:
        """Hash of the definition's path."""
        return hash(self.path)

    def configuration(self, values: Mapping[str, int]) -> Configuration:
        """The configuration with these values, one for each parameter."""
        ordered = {parameter.name: values[parameter.name] for parameter in self.parameters}
        return Configuration(
            kernel=self.name,
            parameters=ordered,
            id=self.id_template.format_map(ordered),
            variant_id=self.variant_template.format_map(ordered),
        )

    def template_arguments(self, configuration: Configuration) -> tuple[int, ...]:
        """Values of the parameters fixed at compile time, in the definition's order."""
        return tuple(
            configuration.parameters[parameter.name]
            for parameter in self.parameters
            if parameter.stage == "compile"
        )

    def elements(self, products: Sequence[Product], configuration: Configuration) -> int:
        """Sum of products of parameters, e.g. of `register_elements`."""
        return _sum_of_products(products, configuration.parameters)

    def geometry(self, configuration: Configuration) -> LaunchGeometry:
        """How a configuration is launched."""
        values = configuration.parameters
        return LaunchGeometry(
            **{
                key: entry if isinstance(entry, int) else values[entry]
                for key, entry in self.launch.items()
            }
        )

    @property
    def cuts_k(self) -> bool:
        """Whether the kernel is launched on slices of k, and told so."""
        return "slices" in self.launch

    def axes(self) -> list[tuple[tuple[tuple[str, int], ...], ...]]:
        """Axes of the space, each the (parameter, value) pairs of its places, in order.

        Parameters that are only taken together share one axis.
        """
        joint = {name: c for c in self.combinations for name in c.parameters}
        axes: list[tuple[tuple[tuple[str, int], ...], ...]] = []
        seen: set[str] = set()
        for parameter in self.parameters:
            if parameter.name in seen:
                continue
            combination = joint.get(parameter.name)
            if combination is None:
                axes.append(tuple(((parameter.name, value),) for value in parameter.values))
                continue
            seen.update(combination.parameters)
            axes.append(
                tuple(
                    tuple(zip(combination.parameters, v, strict=True)) for v in combination.values
                )
            )
        return axes

    def points(self) -> Iterator[dict[str, int]]:
        """Every point allowed by values and combinations, constraints not yet applied."""
        for point in itertools.product(*self.axes()):
            yield dict(itertools.chain.from_iterable(point))


def load_definition(path: Path) -> KernelDefinition:
    """Read and check the definition of a kernel.

    Raises:
        DatasetError: where the file is missing, breaks the schema or contradicts itself.
    """
    raw = read_json(path, KERNEL_SCHEMA)
    estimates = raw["estimates"]
    definition = KernelDefinition(
        name=raw["name"],
        operation=raw["operation"],
        summary=raw["summary"],
        header=raw["header"],
        bit_stable=raw["bit_stable"],
        parameters=tuple(
            Parameter(p["name"], tuple(p["values"]), p["stage"], p["meaning"])
            for p in raw["parameters"]
        ),
        combinations=tuple(
            Combination(tuple(names.split()), tuple(tuple(v) for v in values))
            for names, values in raw["combinations"].items()
        ),
        constraints=tuple(_constraint(c, estimates) for c in raw["constraints"]),
        launch=raw["launch"],
        register_elements=_products(estimates["register_elements"]),
        local_elements=_products(estimates["local_elements"]),
        compile_cost=float(estimates["compile_cost"]),
        variant_template=raw["variant_id"],
        id_template=raw["id"],
        path=path,
    )
    _check_names(definition)
    _check_zeros(definition)
    _check_points(definition)
    return definition


def load_definitions(folder: Path, operation: str) -> tuple[KernelDefinition, ...]:
    """All kernels of an operation, ordered by name with parameterless ones last."""
    definitions = [load_definition(path) for path in sorted(folder.glob("*.json"))]
    mine = [definition for definition in definitions if definition.operation == operation]
    return tuple(sorted(mine, key=lambda d: (not d.parameters, d.name)))


def _constraint(raw: Mapping[str, Any], estimates: Mapping[str, Any]) -> Constraint:
    if "at_most" in raw:
        products = estimates[raw["estimate"]] if "estimate" in raw else [raw["product"]]
        return Bound(raw["name"], raw["reason"], _products(products), raw["at_most"])
    return Divisibility(raw["name"], raw["reason"], raw["parameter"], raw["multiple_of"])


def _products(raw: Sequence[Sequence[int | str]]) -> tuple[Product, ...]:
    return tuple(tuple(product) for product in raw)


def _names(products: Sequence[Product]) -> tuple[str, ...]:
    return tuple(factor for product in products for factor in product if isinstance(factor, str))


def _sum_of_products(products: Sequence[Product], values: Mapping[str, int]) -> int:
    return sum(
        math.prod(values[factor] if isinstance(factor, str) else factor for factor in product)
        for product in products
    )


def _check_names(definition: KernelDefinition) -> None:
    """Raise where a definition refers to parameters or limits that do not exist."""
    names = {parameter.name for parameter in definition.parameters}
    used = {name for c in definition.combinations for name in c.parameters}
    used |= {name for c in definition.constraints for name in c.parameters}
    used |= {value for value in definition.launch.values() if isinstance(value, str)}
    used |= {*_names(definition.register_elements), *_names(definition.local_elements)}
    for template in (definition.variant_template, definition.id_template):
        used |= {name for _, name, _, _ in string.Formatter().parse(template) if name}
    limits = {
        c.at_most
        for c in definition.constraints
        if isinstance(c, Bound) and isinstance(c.at_most, str)
    }
    unknown = (used - names) | (limits - set(DeviceLimits.__dataclass_fields__))
    if unknown or len(names) != len(definition.parameters):
        what = ", ".join(sorted(unknown)) or "a parameter is listed twice"
        raise DatasetError(f"{definition.path}: unknown or repeated names: {what}")


def _check_zeros(definition: KernelDefinition) -> None:
    """Raise where something is divided by a parameter that may be 0."""
    divisors = {value for value in definition.launch.values() if isinstance(value, str)}
    divisors |= {
        c.multiple_of
        for c in definition.constraints
        if isinstance(c, Divisibility) and isinstance(c.multiple_of, str)
    }
    for parameter in definition.parameters:
        if parameter.name in divisors and 0 in parameter.values:
            raise DatasetError(
                f"{definition.path}: {parameter.name} can't be 0, see where it is used"
            )


def _check_points(definition: KernelDefinition) -> None:
    """Raise where combinations do not fit their parameters, or points can't be told apart."""
    allowed = {parameter.name: parameter.values for parameter in definition.parameters}
    combined = [name for c in definition.combinations for name in c.parameters]
    if len(set(combined)) != len(combined):
        raise DatasetError(f"{definition.path}: a parameter is in two combinations")
    for combination in definition.combinations:
        for values in combination.values:
            if len(values) != len(combination.parameters):
                raise DatasetError(f"{definition.path}: combination of the wrong length")
            for name, value in zip(combination.parameters, values, strict=True):
                if value not in allowed[name]:
                    raise DatasetError(
                        f"{definition.path}: a combination gives {name} the value {value}, which "
                        "is none of its values"
                    )
    points = [definition.configuration(values).id for values in definition.points()]
    if len(set(points)) != len(points):
        raise DatasetError(f"{definition.path}: two configurations share an id")
