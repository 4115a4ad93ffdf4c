# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The operations that the pipeline tunes; what is specific to one lives in its subpackage."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from hornbeam.errors import DatasetError, choose
from hornbeam.features import Feature
from hornbeam.kernel_definition import KernelDefinition
from hornbeam.types import Problem

DEFAULT_OPERATION = "matmul"
DEFAULT_DATA_TYPES = ("float", "double")
"""What is meant where no operation, or no element types, are named."""

_CPP_TYPES = {"half": "sycl::half"}


@dataclass(frozen=True)
class Specialisation:
    """Part of a problem that is fixed when a device function is compiled.

    Attributes:
        suffix: last part of the function's name, e.g. ``tn``.
        values: problem field -> value, e.g. ``{"transpose_a": 1, "transpose_b": 0}``.
        template_arguments: the kernel's last template arguments in C++.
    """

    suffix: str
    values: Mapping[str, int]
    template_arguments: tuple[str, ...]

    def __hash__(self) -> int:
        """Hash of the suffix, which is unique within an operation."""
        return hash(self.suffix)


@dataclass(frozen=True)
class PublishedLayout:
    """A CSV layout of measurements that others published.

    Attributes:
        columns: those needed; ones named like a problem's field hold it.
        configuration: id of a row's configuration, a format string over the columns.
        rate: the column of units of work done in a second.
        fixed: column -> the one value that is understood.
    """

    columns: tuple[str, ...]
    configuration: str
    rate: str
    fixed: Mapping[str, int]


@dataclass(frozen=True)
class Operation:
    """All that the pipeline knows of an operation.

    Attributes:
        name: e.g. ``matmul``.
        size_help: what the required fields mean, for people.
        problem_fields: names of the values of a problem.
        problem_bounds: field -> (least, greatest) allowed value.
        problem_columns: column of a problem file -> default, None where it is required.
        features: what the decision tree may ask for.
        kernels: kernel families, the fallback last.
        element_bytes: name of each known element type -> size of an element.
        fallback_kernel: id of the configuration that is always compiled.
        default_configuration: id of the one used where nothing was measured.
        specialisations: what device functions are compiled for.
        work: floating-point operations of a problem.
        elements: number of elements of all operands of a problem.
        group: problems with the same value are much alike: held out together, never apart.
        folder: where templates and problem sets lie.
        published: layout of measurements that others published; None where there is none.
    """

    name: str
    size_help: str
    problem_fields: tuple[str, ...]
    problem_bounds: Mapping[str, tuple[int, int]]
    problem_columns: Mapping[str, int | None]
    features: tuple[Feature, ...]
    kernels: tuple[KernelDefinition, ...]
    element_bytes: Mapping[str, int]
    fallback_kernel: str
    default_configuration: str
    specialisations: tuple[Specialisation, ...]
    work: Callable[[Problem], float]
    elements: Callable[[Problem], int]
    group: Callable[[Problem], tuple[int, ...]]
    folder: Path
    published: PublishedLayout | None = None

    def __hash__(self) -> int:
        """Hash of the name, which is unique."""
        return hash(self.name)

    @property
    def data_types(self) -> tuple[str, ...]:
        """Known element types."""
        return tuple(self.element_bytes)

    @property
    def required_fields(self) -> tuple[str, ...]:
        """Fields that a problem file has to give, in its order."""
        return tuple(name for name, value in self.problem_columns.items() if value is None)

    def footprint_bytes(self, problem: Problem, data_type: str) -> int:
        """Size of all operands of a problem."""
        return self.elements(problem) * self.element_bytes[data_type]

    def check_problem(self, problem: Problem) -> None:
        """Check the values of a problem.

        Raises:
            DatasetError: naming the field, its value and the allowed range.
        """
        if len(problem) != len(self.problem_fields):
            raise DatasetError(
                f"a problem of {self.name} has {len(self.problem_fields)} values "
                f"({', '.join(self.problem_fields)}), not {len(problem)}"
            )
        for name, value in zip(self.problem_fields, problem, strict=True):
            least, greatest = self.problem_bounds[name]
            if not least <= value <= greatest:
                raise DatasetError(f"{name} = {value} is outside {least}..{greatest}")

    def specialisation(self, problem: Problem) -> Specialisation:
        """The specialisation whose functions compute a problem."""
        values = dict(zip(self.problem_fields, problem, strict=True))
        for candidate in self.specialisations:
            if all(values[name] == value for name, value in candidate.values.items()):
                return candidate
        raise DatasetError(f"no kernel of {self.name} computes {problem}")

    def template_dir(self) -> Path:
        """Folder of the templates that render C++ for this operation."""
        return self.folder / "templates"

    def problem_dir(self) -> Path:
        """Folder of the stored problem sets."""
        return self.folder / "problems"


def cpp_type(data_type: str) -> str:
    """Return an element type as spelled in C++."""
    return _CPP_TYPES.get(data_type, data_type)


def operation_names() -> list[str]:
    """Names of all operations."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)


@lru_cache(maxsize=16)
def get_operation(name: str) -> Operation:
    """Load an operation.

    Raises:
        ConfigurationError: listing the known ones.
    """
    choose("operation", name, operation_names())
    module = importlib.import_module(f"{__name__}.{name}")
    operation: Operation = module.OPERATION
    return operation
