# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements carried over to edited kernel headers, where these compile to the same modules."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from hornbeam.bench import Deadline, DeviceFunction, compile_functions, kernel_digest
from hornbeam.bench.modules import CompileJob
from hornbeam.bench.sources import digest_of_files, headers_of
from hornbeam.dataset import contents, load, read_description, write_description
from hornbeam.errors import DatasetError
from hornbeam.measure.compiled import functions_of
from hornbeam.measure.progress import Progress
from hornbeam.operations import Operation, get_operation
from hornbeam.space import configuration_from_id
from hornbeam.types import Dataset

_SOURCE_TIMEOUT_S = 3600.0  # one that is given up is compiled in halves: to other modules
_NAMES_SHOWN = 5


def rebase(folder: Path, old_headers: Path, job: CompileJob) -> int:
    """Record the headers of a job as those that the datasets of a device were measured with.

    Every device function of a configuration that has a time, and of the kernel that it was verified
    against, is compiled from the old headers and from the new, unless these are the same. Only
    where all modules are equal, byte for byte, is the description of the device rewritten; the
    measurements stay as they are.
    Kernels that the old headers lack are new; nothing was measured of them.

    Args:
        folder: of one device.
        old_headers: folder of the headers that were measured, as ``include/`` of that version.
        job: how functions are compiled, from the new headers.

    Returns:
        Number of functions compared; 0 where no header that they are made of was edited.

    Raises:
        DatasetError: the old headers are not those that were measured, or modules differ.
        BenchmarkError: a header is missing, or the compiler can't be started.
    """
    digests: dict[tuple[str, str], str] = {}
    functions: list[DeviceFunction] = []
    for name, data_type in contents(folder):
        operation = get_operation(name)
        dataset, _ = load(folder, operation, data_type)
        new = kernel_digest(operation, job.include_dir)
        if dataset.provenance.kernel_digest == new:
            continue
        _require_measured(dataset, _old_digest(operation, old_headers), old_headers)
        digests[name, data_type] = new
        functions += _functions(operation, dataset)
    functions = [f for f in functions if _edited(f.header, old_headers, job.include_dir)]
    if functions:
        _require_equal(functions, replace(job, include_dir=old_headers), job)
    if digests:
        _record(folder, digests)
    return len(functions)


def _edited(header: str, old: Path, new: Path) -> bool:
    """Whether what a header includes, itself included, differs between two folders."""
    return digest_of_files(headers_of([header], old), old) != digest_of_files(
        headers_of([header], new), new
    )


def _old_digest(operation: Operation, headers: Path) -> str:
    """Digest over the kernels that there were."""
    kernels = tuple(k for k in operation.kernels if (headers / k.header).exists())
    return kernel_digest(replace(operation, kernels=kernels), headers)


def _require_measured(dataset: Dataset, digest: str, headers: Path) -> None:
    measured = dataset.provenance.kernel_digest
    if digest != measured:
        raise DatasetError(
            f"{headers}: has kernel headers of digest {digest}, but {dataset.device.key} "
            f"{dataset.operation} {dataset.data_type} was measured with {measured}; check out the "
            "version that was measured"
        )


def _functions(operation: Operation, dataset: Dataset) -> list[DeviceFunction]:
    timed = np.isfinite(dataset.time_s)
    configurations = [c for i, c in enumerate(dataset.configurations) if timed[:, i].any()]
    configurations.append(configuration_from_id(operation, operation.fallback_kernel))
    return functions_of(operation, dataset.data_type, configurations, operation.specialisations)


def _require_equal(functions: Sequence[DeviceFunction], old: CompileJob, new: CompileJob) -> None:
    """Raise unless functions compile to equal modules.

    A module depends a little on the functions that are compiled in the same source, so nothing is
    taken from the cache: both versions are compiled in the same sources.

    Raises:
        DatasetError: naming the first that do not, or that do not compile.
    """
    modules = [_modules(functions, job) for job in (old, new)]
    differing = [f.name for f in functions if modules[0][f.name] != modules[1][f.name]]
    if differing:
        more = len(differing) - _NAMES_SHOWN
        raise DatasetError(
            f"{len(differing)} of {len(functions)} modules differ: "
            f"{', '.join(differing[:_NAMES_SHOWN])}{f' and {more} more' if more > 0 else ''}; "
            "what was measured is not what these headers compile to, so measure again"
        )


def _modules(functions: Sequence[DeviceFunction], job: CompileJob) -> dict[str, bytes]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Progress(f"compiling from {job.include_dir}") as progress,
    ):
        alone = replace(job, cache_dir=Path(folder), timeout_s=_SOURCE_TIMEOUT_S)
        compiled = compile_functions(functions, alone, Deadline(), progress.update)
        for name, message in compiled.failures.items():
            raise DatasetError(f"{name} does not compile from {job.include_dir}: {message}")
        return {name: path.read_bytes() for name, path in compiled.modules.items()}


def _record(folder: Path, digests: Mapping[tuple[str, str], str]) -> None:
    description = read_description(folder)
    for entry in description["measurements"]:
        known = entry["provenance"]["kernel_digest"]
        name = (entry["operation"], entry["data_type"])
        entry["provenance"]["kernel_digest"] = digests.get(name, known)
    write_description(folder, description)
