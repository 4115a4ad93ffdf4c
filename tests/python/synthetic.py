# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A made-up device: plausible, deterministic times for the whole space of matmul's kernels.

The model knows tiles that waste work at edges, registers that spill, vectors that suit the
device or not, work-groups that leave compute units idle, and the cost of a launch. Its numbers
mean nothing; that different sizes want different configurations is all that tests need of it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hornbeam.cells import Cell, build_dataset
from hornbeam.operations import Operation, get_operation
from hornbeam.space import all_configurations, configuration_from_id, kernel_of
from hornbeam.types import (
    Configuration,
    Dataset,
    DeviceInfo,
    DeviceLimits,
    Problem,
    Provenance,
    Status,
)

DEVICE = DeviceInfo(
    key="acme-cpu-avx2-4cu",
    vendor="acme",
    type="cpu",
    architecture="avx2",
    name="Acme 9000",
    driver="1.2.3",
    platform="Acme OpenCL",
    limits=DeviceLimits(max_work_group_size=8192, local_memory_bytes=32768, compute_units=4),
    supports_spirv=True,
    data_types=("float", "double"),
)
PROVENANCE = Provenance("compiler 1", "1.2.3", "0" * 64, "2026-01-01", 0.1)

_LAUNCH_S = 9e-6
_PEAK = 40e9
_REGISTERS = 128
_STEP = 19


def problems(count: int = 90, seed: int = 0) -> list[Problem]:
    """Sizes spread over several orders of magnitude, edge cases among them."""
    generator = np.random.default_rng(seed)
    found: set[Problem] = {
        (1, 4096, 1000, 1, 0, 0),
        (1000, 4096, 1, 1, 0, 0),
        (64, 3, 3136, 16, 0, 0),
        (127, 129, 127, 1, 1, 0),
        (512, 512, 512, 1, 0, 1),
    }
    while len(found) < count:
        m, k, n = (int(2 ** generator.uniform(0, 11)) for _ in range(3))
        batch = int(generator.choice([1, 1, 1, 16, 36]))
        transposes = (int(generator.random() < 0.15), int(generator.random() < 0.25))
        found.add((m, k, n, batch, *transposes))
    return sorted(found)


def time_s(operation: Operation, configuration: Configuration, problem: Problem) -> float:
    """Modelled seconds of one launch, before noise."""
    m, k, n, batch, transpose_a, transpose_b = problem
    geometry = kernel_of(operation, configuration).geometry(configuration)
    rows, cols = geometry.tile_rows, geometry.tile_cols
    acc = configuration.parameters.get("acc", 1)
    tiles_m, tiles_n = math.ceil(m / rows), math.ceil(n / cols)
    groups_m = math.ceil(tiles_m / geometry.group_rows)
    groups_n = math.ceil(tiles_n / geometry.group_cols)
    groups = groups_m * groups_n * batch
    items = groups * geometry.group_rows * geometry.group_cols
    used = rows * cols + rows * acc + acc * cols
    reuse = rows * cols / (rows + cols)
    speed = _PEAK * min(1.0, 0.2 + 0.2 * reuse) * min(1.0, _REGISTERS / used)
    speed *= max(0.4, 1.0 - 0.06 * abs(math.log2(cols / 8)) - 0.04 * abs(math.log2(acc / 4)))
    speed *= (0.7 if transpose_b and cols > 2 else 1.0) * (0.85 if transpose_a and acc > 2 else 1.0)
    if k < 4 * acc:
        speed *= 0.5
    idle = math.ceil(groups / 4) * 4 / groups
    waste = items * rows * cols / (m * n * batch)
    padding = 1.0 + 0.25 * (waste - 1.0)
    return _LAUNCH_S + 2e-8 * items + operation.work(problem) / speed * idle * padding


def dataset(
    count: int = 90,
    *,
    seed: int = 0,
    noise: float = 0.02,
    missing: float = 0.0,
    data_type: str = "float",
    sizes: Sequence[Problem] | None = None,
    device: DeviceInfo = DEVICE,
) -> Dataset:
    """A dataset over the whole space.

    Args:
        count: number of problems, where ``sizes`` is not given.
        seed: of problems, noise and gaps.
        noise: standard deviation of the logarithm of times.
        missing: part of the cells that were never measured.
        data_type: element type.
        sizes: the problems.
        device: where it claims to come from.
    """
    operation = get_operation("matmul")
    generator = np.random.default_rng(seed + 1)
    cells = {}
    for problem in sizes or problems(count, seed):
        for configuration in all_configurations(operation, device.limits):
            jitter = math.exp(noise * generator.standard_normal())
            if generator.random() < missing:
                continue
            median = time_s(operation, configuration, problem) * jitter
            cells[problem, configuration.id] = Cell(Status.OK, 3, median, 0.98 * median, 0.03)
    return build_dataset(operation, data_type, device, PROVENANCE, cells, digest="5" * 64)


def part(dataset: Dataset, rows: Sequence[int], columns: Sequence[int]) -> Dataset:
    """Some problems and configurations of a dataset."""
    index = np.ix_(rows, columns)
    return replace(
        dataset,
        problems=tuple(dataset.problems[i] for i in rows),
        configurations=tuple(dataset.configurations[j] for j in columns),
        time_s=dataset.time_s[index],
        spread=dataset.spread[index],
        single_launch=dataset.single_launch[index],
        status=dataset.status[index],
        details=None,
    )


def few(dataset: Dataset, count: int = 40) -> Dataset:
    """All problems and some configurations of the default one's kernel, spread over its space."""
    operation = get_operation(dataset.operation)
    kernel = configuration_from_id(operation, operation.default_configuration).kernel
    columns = [i for i, c in enumerate(dataset.configurations) if c.kernel == kernel]
    return part(dataset, range(len(dataset.problems)), columns[::_STEP][:count])
