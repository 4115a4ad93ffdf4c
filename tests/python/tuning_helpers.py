# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What several tests of measuring and of stored data need."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

from hornbeam import paths
from hornbeam.bench import Tools
from hornbeam.cells import Cell, build_dataset
from hornbeam.journal_rows import Row, Source
from hornbeam.measure import Bench
from hornbeam.operations import get_operation
from hornbeam.plan import Plan
from hornbeam.plan_cost import Estimate
from hornbeam.space import configuration_from_id
from hornbeam.types import Dataset, DeviceInfo, DeviceLimits, Problem, Provenance, Status

HERE = Path(__file__).resolve().parent
LIMITS = DeviceLimits(max_work_group_size=8192, local_memory_bytes=1 << 18, compute_units=2)
SOURCE = Source("intel-cpu-avx512-2cu", "compiler 1", "driver 1", "ab" * 32)
PROBLEMS: tuple[Problem, ...] = ((64, 64, 64, 1, 0, 0), (128, 32, 16, 1, 0, 0))
IDS = (
    "register_tile_4x4x4_8x8",
    "register_tile_2x4x8_8x8",
    "register_tile_2x4x8_16x16",
    "register_tile_8x1x4_1x64",
)
MATMUL = get_operation("matmul")


def device(key: str = SOURCE.device_key) -> DeviceInfo:
    """A device with a key."""
    vendor, type_, architecture, _ = key.split("-")
    return DeviceInfo(
        key=key,
        vendor=vendor,
        type=type_,
        architecture=architecture,
        name="A CPU",
        driver=SOURCE.driver,
        platform="A platform",
        limits=LIMITS,
        supports_spirv=True,
        data_types=("float", "double"),
    )


def plan(
    ids: tuple[str, ...] = IDS,
    problems: tuple[Problem, ...] = PROBLEMS,
    rounds: int = 3,
    extra_rounds: int = 0,
) -> Plan:
    """A plan of a few cells."""
    configurations = tuple(configuration_from_id(MATMUL, id) for id in ids)
    return Plan(
        operation=MATMUL,
        data_type="float",
        problems=problems,
        configurations=configurations,
        rounds=rounds,
        rejected={},
        problems_given=len(problems),
        configurations_valid=len(configurations),
        estimate=Estimate(1.0, 1.0, 1.0),
        budget_s=60.0,
        extra_rounds=extra_rounds,
    )


def fake_bench(
    folder: Path,
    behaviour: Mapping[str, object] | None = None,
    variables: Mapping[str, str] | None = None,
) -> Bench:
    """A bench of fake tools that log to ``driver.log`` and ``compiler.log`` in a folder."""
    rules = folder / "behaviour.json"
    rules.write_text(json.dumps(behaviour or {}), encoding="utf-8")
    return Bench(
        tools=Tools(
            compiler=(sys.executable, str(HERE / "fake_compiler.py")),
            driver=(sys.executable, str(HERE / "fake_driver.py")),
        ),
        device=device(),
        source=SOURCE,
        include_dir=paths.include_dir(),
        module_cache=folder / "modules",
        variables={
            "FAKE_BEHAVIOUR": str(rules),
            "FAKE_LOG": str(folder / "driver.log"),
            "FAKE_COMPILER_LOG": str(folder / "compiler.log"),
            **(variables or {}),
        },
    )


def lines(path: Path) -> list[str]:
    """Lines of a log, none where it does not exist."""
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def row(
    problem: Problem = PROBLEMS[0],
    configuration: str = IDS[0],
    round_: int = 0,
    time_s: float = 1e-3,
    status: Status = Status.OK,
    source: Source = SOURCE,
    single_launch: bool = False,
    time: str = "2026-01-02T03:04:05Z",
) -> Row:
    """A journal row."""
    ok = status is Status.OK
    nan = float("nan")
    return Row(
        operation="matmul",
        data_type="float",
        kernel="register_tile",
        configuration=configuration,
        problem=problem,
        source=source,
        status=status,
        round=round_,
        time=time,
        launches=3 if ok else 0,
        samples=3 if ok else 0,
        median_s=time_s if ok else nan,
        min_s=0.9 * time_s if ok else nan,
        spread=0.2 if ok else nan,
        single_launch=single_launch,
        rotated=True,
        load=0.5,
    )


def small_dataset(
    problems: tuple[Problem, ...] = PROBLEMS, ids: tuple[str, ...] = IDS, scale: float = 1.0
) -> Dataset:
    """A dataset with a failed cell and one that was never tried."""
    cells = {
        (problem, id): Cell(
            status=Status.OK,
            samples=9,
            median_s=scale * (1 + i + 10 * j) * 1e-4,
            min_s=scale * (1 + i + 10 * j) * 0.9e-4,
            spread=0.05,
            single_launch=j == 1,
            rotated=True,
        )
        for i, problem in enumerate(problems)
        for j, id in enumerate(ids)
    }
    cells[problems[0], ids[2]] = Cell(Status.WRONG_RESULT)
    del cells[problems[1], ids[3]]
    provenance = Provenance("compiler 1", "driver 1", "ab" * 32, "2026-01-02", 0.5)
    return build_dataset(MATMUL, "float", device(), provenance, cells)
