# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Rendering of selectors to C++: the kernels, and the tables and trees that lead to them.

Needs jinja2 alone. Rendering is pure: the same selectors give the same text, byte for byte.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import jinja2

from hornbeam.bench.sources import DeviceFunction, function_of
from hornbeam.device_naming import NAMING
from hornbeam.errors import CodegenError
from hornbeam.features import Feature, cpp_expression
from hornbeam.literals import cpp_comment, cpp_double, cpp_share, cpp_string
from hornbeam.operations import Operation
from hornbeam.space import configuration_from_id, configuration_order, kernel_of
from hornbeam.tree import leaves, path_in_words
from hornbeam.types import Configuration, Selector, TreeNode

VARIANTS_PER_SOURCE = 2
"""Kernel variants in one device source: more would compile one after the other."""

_Source = tuple[str, str, dict[str, Any]]
"""A generated file: its name, template and context."""


class KernelForm(str, Enum):
    """How kernels reach the program.

    Attributes:
        MODULES: sources for the device compiler, whose output is linked into the library.
        SINGLE_SOURCE: a header, compiled with the program by a SYCL compiler.
    """

    MODULES = "modules"
    SINGLE_SOURCE = "single-source"


@dataclass(frozen=True)
class Target:
    """A device that the library is built for.

    Attributes:
        key: of the device.
        dataset_key: of the device whose measurements serve it; empty where nothing was measured.
        match: how that device matches, a value of `hornbeam.types.Match`; empty likewise.
        selectors: one for each data type.
    """

    key: str
    dataset_key: str
    match: str
    selectors: tuple[Selector, ...]


def render(
    operation: Operation,
    targets: Sequence[Target],
    version: str,
    form: KernelForm = KernelForm.MODULES,
) -> dict[str, str]:
    """Return the generated sources: path relative to the output folder -> text.

    Args:
        operation: gives the templates.
        targets: at least one, all with the same data types.
        version: of hornbeam, recorded in the sources.
        form: of the kernels.

    Raises:
        CodegenError: a template refers to what does not exist.
    """
    environment = _environment(operation)
    environment.globals |= {"version": version, "nan": math.nan}
    sources = _module_sources if form is KernelForm.MODULES else _single_source
    try:
        return {
            name: environment.get_template(template).render(context)
            for name, template, context in sources(operation, targets)
        }
    except jinja2.TemplateError as error:
        raise CodegenError(f"{operation.template_dir()}: {error}") from error


def template_dir() -> Path:
    """Folder of the templates that no operation has of its own."""
    return Path(__file__).resolve().parent / "templates"


def deployed(operation: Operation, selector: Selector) -> tuple[Configuration, ...]:
    """Return the kernels of a table: the selector's own, then the operation's fallback."""
    fallback = configuration_from_id(operation, operation.fallback_kernel)
    return (*(kernel for kernel in selector.kernels if kernel.id != fallback.id), fallback)


def _environment(operation: Operation) -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader([operation.template_dir(), template_dir()]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= {
        "string_literal": cpp_string,
        "comment": cpp_comment,
        "double": cpp_double,
        "share": cpp_share,
    }
    return environment


def _variants(
    operation: Operation, targets: Sequence[Target], data_type: str
) -> list[Configuration]:
    """Return one configuration of each variant that any target needs, in the space's order."""
    order = configuration_order(operation)
    wanted = [
        kernel
        for target in targets
        for selector in target.selectors
        if selector.data_type == data_type
        for kernel in deployed(operation, selector)
    ]
    first: dict[str, Configuration] = {}
    for kernel in sorted(wanted, key=lambda kernel: order[kernel.id]):
        first.setdefault(kernel.variant_id, kernel)
    return list(first.values())


def _data_types(targets: Sequence[Target]) -> list[str]:
    names = [selector.data_type for target in targets for selector in target.selectors]
    return list(dict.fromkeys(names))


def _module_sources(operation: Operation, targets: Sequence[Target]) -> Iterator[_Source]:
    for data_type in _data_types(targets):
        variants = _variants(operation, targets, data_type)
        for kernel in operation.kernels:
            mine = [variant for variant in variants if variant.kernel == kernel.name]
            for start in range(0, len(mine), VARIANTS_PER_SOURCE):
                part = mine[start : start + VARIANTS_PER_SOURCE]
                yield (
                    f"device/{kernel.name}_{data_type}_{start // VARIANTS_PER_SOURCE}.cpp",
                    "device.cpp.j2",
                    {
                        "data_type": data_type,
                        "header": kernel.header,
                        "functions": _functions(operation, part, data_type),
                    },
                )
    yield "deployment.cpp", "deployment.cpp.j2", _deployment(operation, targets)
    yield "device_naming.cpp", "device_naming.cpp.j2", {"naming": NAMING}


def _single_source(operation: Operation, targets: Sequence[Target]) -> Iterator[_Source]:
    yield "include/hornbeam/deployment.hpp", "deployment.hpp.j2", _deployment(operation, targets)


def _functions(
    operation: Operation, variants: Sequence[Configuration], data_type: str
) -> list[DeviceFunction]:
    return [
        function_of(operation, variant, data_type, part)
        for variant in variants
        for part in operation.specialisations
    ]


def _deployment(operation: Operation, targets: Sequence[Target]) -> dict[str, Any]:
    functions = [
        function
        for data_type in _data_types(targets)
        for function in _functions(operation, _variants(operation, targets, data_type), data_type)
    ]
    described = [
        {
            "name": f"target_{number}",
            "key": target.key,
            "dataset_key": target.dataset_key,
            "match": target.match,
            "tables": [
                _table(operation, selector, f"target_{number}_{selector.data_type}")
                for selector in target.selectors
            ],
        }
        for number, target in enumerate(targets)
    ]
    headers = sorted({function.header for function in functions})
    return {"headers": headers, "functions": functions, "targets": described}


def _table(operation: Operation, selector: Selector, name: str) -> dict[str, Any]:
    kernels = deployed(operation, selector)
    order = leaves(selector.nodes)
    features = _used_features(operation, selector.nodes)
    return {
        "name": name,
        "data_type": selector.data_type,
        "kernels": [
            {
                "id": kernel.id,
                "bit_stable": kernel_of(operation, kernel).bit_stable,
                "geometry": kernel_of(operation, kernel).geometry(kernel),
                "functions": _functions(operation, [kernel], selector.data_type),
            }
            for kernel in kernels
        ],
        "leaves": [
            {
                "kernel": kernels.index(selector.kernels[selector.nodes[index].kernel]),
                "expected_share": selector.nodes[index].expected_share,
                "path": path_in_words(selector.nodes, index),
            }
            for index in order
        ],
        "nodes": [_node(selector, node, order, index) for index, node in enumerate(selector.nodes)],
        "fields": _used_fields(operation, features),
        "variables": [
            {"name": _variable(feature), "expression": cpp_expression(feature)}
            for feature in features
        ],
        "held_out_share": None if selector.held_out is None else selector.held_out.achieved,
        "dataset_digest": selector.dataset_digest,
        "notes": selector.notes,
    }


def _node(selector: Selector, node: TreeNode, order: list[int], index: int) -> dict[str, Any]:
    if node.feature is None:
        kernel_id = selector.kernels[node.kernel].id
        return {"feature": None, "leaf": order.index(index), "kernel_id": kernel_id}
    return {
        "feature": node.feature,
        "variable": _variable_name(node.feature),
        "threshold": node.threshold,
        "left": node.left,
        "right": node.right,
    }


def _used_features(operation: Operation, nodes: Sequence[TreeNode]) -> list[Feature]:
    used = {node.feature for node in nodes}
    return [feature for feature in operation.features if feature.name in used]


def _used_fields(operation: Operation, features: Sequence[Feature]) -> list[str]:
    used = {name for feature in features for name in feature.numerator + feature.denominator}
    return [name for name in operation.problem_fields if name in used]


def _variable(feature: Feature) -> str:
    return _variable_name(feature.name)


def _variable_name(feature_name: str) -> str:
    """Return a C++ name for a feature, e.g. ``feature_m_by_n`` for ``m/n``."""
    return "feature_" + feature_name.replace("*", "_times_").replace("/", "_by_")
