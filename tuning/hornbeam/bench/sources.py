# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Device sources: which functions are compiled, under which names, from which headers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam.errors import BenchmarkError
from hornbeam.kernel_definition import KernelDefinition
from hornbeam.operations import Operation, Specialisation
from hornbeam.space import kernel_of
from hornbeam.types import Configuration

ADAPTER_HEADER = "hornbeam/detail/wheel_kernel.hpp"
KERNEL_NAMESPACE = "hornbeam::kernel"

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](hornbeam/[^>"]+)[>"]', re.MULTILINE)


@dataclass(frozen=True)
class DeviceFunction:
    """A kernel compiled for fixed parameters, element type and specialisation.

    Attributes:
        name: of the function, unique.
        header: that declares the kernel.
        data_type: element type as spelled in C++.
        instantiation: the kernel with its template arguments.
    """

    name: str
    header: str
    data_type: str
    instantiation: str

    @classmethod
    def of(
        cls,
        definition: KernelDefinition,
        configuration: Configuration,
        data_type: str,
        specialisation: Specialisation,
    ) -> DeviceFunction:
        """The function that runs a configuration."""
        arguments = [
            data_type,
            *map(str, definition.template_arguments(configuration)),
            *specialisation.template_arguments,
        ]
        return cls(
            name=function_name(configuration.variant_id, data_type, specialisation),
            header=definition.header,
            data_type=data_type,
            instantiation=f"hornbeam::kernel::{definition.name}<{', '.join(arguments)}>",
        )


def function_of(
    operation: Operation,
    configuration: Configuration,
    data_type: str,
    specialisation: Specialisation,
) -> DeviceFunction:
    """The function that runs a configuration of an operation."""
    definition = kernel_of(operation, configuration)
    return DeviceFunction.of(definition, configuration, data_type, specialisation)


def function_name(variant_id: str, data_type: str, specialisation: Specialisation) -> str:
    """Name of a device function, e.g. ``hornbeam_register_tile_4x4x4_float_nn``."""
    return f"hornbeam_{variant_id}_{data_type}_{specialisation.suffix}"


def device_source(functions: Sequence[DeviceFunction]) -> str:
    """Text of a source file that instantiates functions."""
    headers = [ADAPTER_HEADER, *sorted({function.header for function in functions})]
    lines = [f"#include <{header}>" for header in headers]
    lines.append("")
    lines += [
        f"HORNBEAM_KERNEL({function.name}, {function.data_type}, ({function.instantiation}))"
        for function in functions
    ]
    return "\n".join(lines) + "\n"


def kernel_headers(headers: Iterable[str], include_dir: Path) -> list[Path]:
    """Headers of ours that these headers are made of, themselves included, sorted.

    Raises:
        BenchmarkError: where one is missing.
    """
    found: set[str] = set()
    pending = list(headers)
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        try:
            text = (include_dir / name).read_text(encoding="utf-8")
        except OSError as error:
            raise BenchmarkError(f"{include_dir / name}: cannot be read: {error}") from error
        pending += _INCLUDE.findall(text)
    return sorted(include_dir / name for name in found)


def kernel_digest(operation: Operation, include_dir: Path) -> str:
    """SHA-256 over all sources that an operation's device functions are compiled from."""
    headers = [ADAPTER_HEADER, *(kernel.header for kernel in operation.kernels)]
    return digest_of(kernel_headers(headers, include_dir), include_dir)


def digest_of(files: Sequence[Path], base: Path) -> str:
    """SHA-256 over names and contents of files."""
    digest = hashlib.sha256()
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(base)} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()
