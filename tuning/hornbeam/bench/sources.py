# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Device sources: which functions are compiled, under which names, from which headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam.digests import digest_of
from hornbeam.errors import BenchmarkError
from hornbeam.kernel_definition import KernelDefinition
from hornbeam.operations import Operation, Specialisation, cpp_type
from hornbeam.space import kernel_of
from hornbeam.types import Configuration

ADAPTER_HEADER = "hornbeam/detail/wheel_kernel.hpp"

_INCLUDE = re.compile(r'^\s*#\s*include\s*[<"](hornbeam/[^>"]+)[>"]', re.MULTILINE)


@dataclass(frozen=True)
class DeviceFunction:
    """A kernel compiled for fixed parameters, element type and specialisation.

    Attributes:
        name: of the function, unique.
        header: that declares the kernel.
        data_type: element type as spelled in C++.
        instantiation: the kernel with its template arguments.
        macro: that defines the function.
    """

    name: str
    header: str
    data_type: str
    instantiation: str
    macro: str = "HORNBEAM_KERNEL"

    @classmethod
    def of(
        cls,
        definition: KernelDefinition,
        configuration: Configuration,
        data_type: str,
        specialisation: Specialisation,
    ) -> DeviceFunction:
        """The function that runs a configuration."""
        spelling = cpp_type(data_type)
        arguments = [
            spelling,
            *map(str, definition.template_arguments(configuration)),
            *specialisation.template_arguments,
        ]
        return cls(
            name=function_name(configuration.variant_id, data_type, specialisation),
            header=definition.header,
            data_type=spelling,
            instantiation=f"hornbeam::kernel::{definition.name}<{', '.join(arguments)}>",
            macro="HORNBEAM_SLICED_KERNEL" if definition.cuts_k else "HORNBEAM_KERNEL",
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
        f"{function.macro}({function.name}, {function.data_type}, ({function.instantiation}))"
        for function in functions
    ]
    return "\n".join(lines) + "\n"


def headers_of(headers: Iterable[str], include_dir: Path) -> list[Path]:
    """Headers of ours that device code with these headers is made of, sorted.

    Raises:
        BenchmarkError: where one is missing.
    """
    found: set[str] = set()
    pending = [ADAPTER_HEADER, *headers]
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


def kernel_headers(operation: Operation, include_dir: Path) -> list[Path]:
    """All headers of ours that an operation's device functions are compiled from, sorted.

    Raises:
        BenchmarkError: where one is missing.
    """
    return headers_of((kernel.header for kernel in operation.kernels), include_dir)


def kernel_digest(operation: Operation, include_dir: Path) -> str:
    """SHA-256 over all sources that an operation's device functions are compiled from."""
    return digest_of_files(kernel_headers(operation, include_dir), include_dir)


def digest_of_files(files: Iterable[Path], base: Path) -> str:
    """SHA-256 over the contents of files and their names relative to a folder."""
    return digest_of((str(path.relative_to(base)), path.read_bytes()) for path in files)
