# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What the tuner knows of a kernel, read from the definition that lies beside the kernel."""

from __future__ import annotations

import itertools
import math
import string
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam.errors import DatasetError
from hornbeam.kernel_schema import KERNEL_SCHEMA
from hornbeam.schemas import read_json
from hornbeam.types import Configuration, DeviceLimits


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
class Constraint:
    """``product(parameters) <= at_most``; a string names a field of `DeviceLimits`."""

    name: str
    product: tuple[str, ...]
    at_most: int | str
    reason: str

    def holds(self, values: Mapping[str, int], limits: DeviceLimits | None) -> bool:
        """Whether parameter values meet it; without limits, those on the device always hold."""
        if isinstance(self.at_most, int):
            bound = self.at_most
        elif limits is None:
            return True
        else:
            bound = int(getattr(limits, self.at_most))
        return math.prod(values[name] for name in self.product) <= bound


@dataclass(frozen=True)
class LaunchGeometry:
    """Outputs per work-item and work-items per work-group, in rows and columns."""

    tile_rows: int
    tile_cols: int
    group_rows: int
    group_cols: int

    def __str__(self) -> str:
        """As the benchmark driver takes it."""
        return f"{self.tile_rows},{self.tile_cols},{self.group_rows},{self.group_cols}"


@dataclass(frozen=True)
class KernelDefinition:
    """What the tuner knows of a kernel family; the fields mirror its JSON definition."""

    name: str
    operation: str
    summary: str
    header: str
    bit_stable: bool
    parameters: tuple[Parameter, ...]
    combinations: tuple[Combination, ...]
    constraints: tuple[Constraint, ...]
    launch: Mapping[str, int | str]
    private_elements: tuple[tuple[str, ...], ...]
    local_elements: tuple[tuple[str, ...], ...]
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

    def elements(self, products: Sequence[Sequence[str]], configuration: Configuration) -> int:
        """Sum of products of parameters, e.g. of `private_elements`."""
        values = configuration.parameters
        return sum(math.prod(values[name] for name in product) for product in products)

    def geometry(self, configuration: Configuration) -> LaunchGeometry:
        """How a configuration is launched."""

        def value(key: str) -> int:
            entry = self.launch[key]
            return entry if isinstance(entry, int) else configuration.parameters[entry]

        return LaunchGeometry(
            value("tile_rows"), value("tile_cols"), value("group_rows"), value("group_cols")
        )

    def points(self) -> Iterator[dict[str, int]]:
        """Every point allowed by values and combinations, constraints not yet applied."""
        joint = {name: c for c in self.combinations for name in c.parameters}
        axes: list[Sequence[tuple[tuple[str, int], ...]]] = []
        seen: set[str] = set()
        for parameter in self.parameters:
            if parameter.name in seen:
                continue
            combination = joint.get(parameter.name)
            if combination is None:
                axes.append([((parameter.name, value),) for value in parameter.values])
                continue
            seen.update(combination.parameters)
            axes.append(
                [tuple(zip(combination.parameters, v, strict=True)) for v in combination.values]
            )
        for point in itertools.product(*axes):
            yield dict(itertools.chain.from_iterable(point))


def load_definition(path: Path) -> KernelDefinition:
    """Read and check the definition of a kernel.

    Raises:
        DatasetError: where the file is missing, breaks the schema or contradicts itself.
    """
    raw = read_json(path, KERNEL_SCHEMA)
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
        constraints=tuple(
            Constraint(c["name"], tuple(c["product"]), c["at_most"], c["reason"])
            for c in raw["constraints"]
        ),
        launch=raw["launch"],
        private_elements=tuple(tuple(e) for e in raw["estimates"]["private_elements"]),
        local_elements=tuple(tuple(e) for e in raw["estimates"]["local_elements"]),
        variant_template=raw["variant_id"],
        id_template=raw["id"],
        path=path,
    )
    _check_names(definition)
    return definition


def load_definitions(folder: Path, operation: str) -> tuple[KernelDefinition, ...]:
    """All kernels of an operation, ordered by name with parameterless ones last."""
    definitions = [load_definition(path) for path in sorted(folder.glob("*.json"))]
    mine = [definition for definition in definitions if definition.operation == operation]
    return tuple(sorted(mine, key=lambda d: (not d.parameters, d.name)))


def _check_names(definition: KernelDefinition) -> None:
    """Raise where a definition refers to parameters or limits that do not exist."""
    names = {parameter.name for parameter in definition.parameters}
    used = {name for c in definition.combinations for name in c.parameters}
    used |= {name for c in definition.constraints for name in c.product}
    used |= {value for value in definition.launch.values() if isinstance(value, str)}
    used |= {name for product in definition.private_elements for name in product}
    used |= {name for product in definition.local_elements for name in product}
    for template in (definition.variant_template, definition.id_template):
        used |= {name for _, name, _, _ in string.Formatter().parse(template) if name}
    limits = {c.at_most for c in definition.constraints if isinstance(c.at_most, str)}
    unknown = (used - names) | (limits - set(DeviceLimits.__dataclass_fields__))
    if unknown or len(names) != len(definition.parameters):
        what = ", ".join(sorted(unknown)) or "a parameter is listed twice"
        raise DatasetError(f"{definition.path}: unknown or repeated names: {what}")
    for combination in definition.combinations:
        if any(len(values) != len(combination.parameters) for values in combination.values):
            raise DatasetError(f"{definition.path}: combination of the wrong length")
    points = [definition.configuration(values).id for values in definition.points()]
    if len(set(points)) != len(points):
        raise DatasetError(f"{definition.path}: two configurations share an id")
