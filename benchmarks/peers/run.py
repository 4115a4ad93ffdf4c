# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measures hornbeam against other libraries on this machine.

python benchmarks/peers/run.py [--quick] [--set NAME ...] [--output FOLDER]
"""

from __future__ import annotations

import contextlib
import datetime
import json
import logging
import os
import platform
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

import report
import workers
from checking import Problem
from hornbeam.device import environment, tunable_device, wheel_prefix
from hornbeam.errors import BenchmarkError, HornbeamError
from hornbeam.types import DeviceInfo
from measuring import Participant, Plan, load_average, measure_size
from selecting import SETS, Item, all_items, in_turn, quick

ROOT = workers.HERE.parents[1]
_LOG = logging.getLogger("peers")

_QUICK_PLAN = Plan(rounds=5, samples=2, turn_limit_s=0.5, least_rounds=2, load_limit_s=60.0)
_QUICK_BUDGET_S = 270.0
_CONTROL_INTERVAL = 20
_STREAM_BYTES_AT_LEAST = 256 << 20


@dataclass
class Session:
    """Everything that is measured with.

    Attributes:
        participants: started.
        limits: the one that measures what the processor can do, started; empty without OpenMP.
        plan: see there.
        deadline_s: on the monotonic clock.
        folder: of operands, in memory where possible.
    """

    participants: list[Participant]
    limits: list[Participant]
    plan: Plan
    deadline_s: float
    folder: Path
    sizes: list[dict[str, Any]] = field(default_factory=list)
    controls: list[dict[str, Any]] = field(default_factory=list)

    def control(self) -> None:
        """Measure the limits: they tell whether the machine kept its pace."""
        found: dict[str, Any] = {"after_sizes": len(self.sizes), "load": load_average()}
        for limits in self.limits:
            answer = limits.ask({"command": "limits", "samples": "3"}, 120.0)
            found.update({key: value for key, value in answer.items() if key != "status"})
        self.controls.append(found)

    def run(self, items: Sequence[Item]) -> int:
        """Measure sizes one after the other.

        Returns:
            How many were left out because time ran out.
        """
        self.control()
        for number, item in enumerate(items):
            if time.monotonic() > self.deadline_s:
                break
            load = load_average()
            found = measure_size(item.problem, self.participants, self.folder, self.plan)
            self.sizes.append(
                {
                    "problem": list(item.problem),
                    "sets": list(item.sets),
                    "load": load,
                    "peers": found,
                }
            )
            _LOG.info("%d/%d  %s", number + 1, len(items), _line(item.problem, found))
            if (number + 1) % _CONTROL_INTERVAL == 0:
                self.control()
        self.control()
        return len(items) - len(self.sizes)


def _line(problem: Problem, found: dict[str, Any]) -> str:
    m, k, n, batch = problem[:4]
    work = 2e-9 * m * k * n * batch
    cells = []
    for name, entry in found.items():
        times = [time_s for samples in entry.get("rounds", []) for time_s in samples]
        rate = f"{work / min(times):.1f}" if times else entry["status"]
        cells.append(f"{name} {rate}")
    return f"{'x'.join(map(str, problem))}  best GFLOP/s: {', '.join(cells)}"


def _conditions(device: DeviceInfo, plan: Plan, is_quick: bool) -> dict[str, Any]:
    pages = Path("/sys/kernel/mm/transparent_hugepage/enabled")
    return {
        "date": datetime.datetime.now(tz=datetime.timezone.utc).isoformat(timespec="seconds"),
        "device": device.name,
        "key": device.key,
        "driver": device.driver,
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)),
        "last_level_cache_bytes": _last_level_cache_bytes(),
        "huge_pages": pages.read_text().strip() if pages.exists() else "",
        "system": platform.platform(),
        "compiler": workers.compiler(),
        "versions": workers.versions(),
        "plan": vars(plan),
        "quick": is_quick,
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        found = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
        if found:
            return found[1]
    return platform.processor()


def _last_level_cache_bytes() -> int:
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
    sizes = [0]
    for path in Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        value = path.read_text().strip()
        sizes.append(int(value[:-1]) * units.get(value[-1], 1))
    return max(sizes)


def _started(candidates: Sequence[Participant]) -> tuple[list[Participant], list[workers.Absent]]:
    started, absent = [], []
    for one in candidates:
        start_s = time.monotonic()
        try:
            one.start()
            started.append(one)
            _LOG.info("%s started in %.1f s", one.label, time.monotonic() - start_s)
        except HornbeamError as error:
            absent.append(workers.Absent(one.name, one.label, str(error)))
    return started, absent


def _document(session: Session, absent: Sequence[workers.Absent], left_out: int) -> dict[str, Any]:
    hidden = ("ready", "pid")
    return {
        "format": report.FORMAT,
        "peers": {
            one.name: {
                "label": one.label,
                "restless": one.restless,
                **{key: value for key, value in one.about.items() if key not in hidden},
            }
            for one in session.participants
        },
        "absent": [vars(one) for one in absent],
        "left_out": left_out,
        "controls": session.controls,
        "sizes": session.sizes,
    }


@contextlib.contextmanager
def _memory_folder() -> Iterator[Path]:
    shared = Path("/dev/shm")
    base = str(shared) if os.access(shared, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hornbeam-peers-", dir=base) as folder:
        yield Path(folder)


def _check_memory(items: Sequence[Item], copies: int) -> list[Item]:
    """Leave out sizes whose operands, a copy in each process, do not fit into memory."""
    found = re.search(r"MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text())
    available_bytes = 1024 * int(found[1]) if found else 0
    kept = [item for item in items if item.bytes * copies < available_bytes]
    for item in items:
        if item not in kept:
            _LOG.warning("%s is left out: not enough memory", item.problem)
    return kept


@click.command()
@click.option("--quick", "is_quick", is_flag=True, help="A part of the sizes, in five minutes.")
@click.option(
    "--set", "sets", multiple=True, type=click.Choice(list(SETS)), help="Only these sets."
)
@click.option("--budget", "budget_s", type=float, help="Seconds of measuring [default: 5400].")
@click.option(
    "--clblast-tuning",
    "tuning_s",
    type=float,
    help="Seconds for CLBlast's tuners, where they have not run yet [default: 600, quick: 0].",
)
@click.option("--without", multiple=True, help="Leave a library out, by its name in the results.")
@click.option("--jobs", type=int, default=os.cpu_count(), show_default=True)
@click.option("--cmake-option", "cmake_options", multiple=True, help="-DNAME=VALUE for hornbeam.")
@click.option(
    "--build-dir", type=click.Path(path_type=Path), default=ROOT / "build" / "bench", hidden=True
)
@click.option("--output", type=click.Path(path_type=Path), help="[default: build/bench/DATE].")
def main(
    is_quick: bool,
    sets: tuple[str, ...],
    budget_s: float | None,
    tuning_s: float | None,
    without: tuple[str, ...],
    jobs: int,
    cmake_options: tuple[str, ...],
    build_dir: Path,
    output: Path | None,
) -> None:
    """Let the libraries take turns; write results.json, table.txt and plots."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s", datefmt="%H:%M:%S")
    os.environ.update(environment(wheel_prefix()))
    try:
        device = tunable_device()
        _LOG.info("building")
        workers.build(build_dir, cmake_options, jobs)
        if tuning_s is None:
            tuning_s = 0.0 if is_quick else 600.0
        candidates, absent = workers.participants(build_dir, device, tuning_s)
    except HornbeamError as error:
        raise click.ClickException(str(error)) from error
    plan = _QUICK_PLAN if is_quick else Plan()
    items = all_items(sets or tuple(SETS))
    items = in_turn(quick(items) if is_quick else items)
    conditions = _conditions(device, plan, is_quick)
    stream_bytes = max(_STREAM_BYTES_AT_LEAST, 8 * conditions["last_level_cache_bytes"])
    budget_s = budget_s or (_QUICK_BUDGET_S if is_quick else 5400.0)
    deadline_s = time.monotonic() + budget_s
    with _memory_folder() as folder:
        started, failed = _started([one for one in candidates if one.name not in without])
        limits, no_limits = _started(workers.limits(build_dir, device, stream_bytes))
        session = Session(started, limits, plan, deadline_s, folder)
        items = _check_memory(items, len(started) + 2)
        left_out = len(items)
        try:
            left_out = session.run(items)
        except (KeyboardInterrupt, BenchmarkError) as error:
            _LOG.warning("ended early: %s", error or "interrupted")
            left_out = len(items) - len(session.sizes)
        finally:
            for one in (*started, *limits):
                one.driver.close()
    absent += [*failed, *no_limits]
    absent += [workers.Absent(name, name, "left out by --without") for name in without]
    output = output or build_dir / conditions["date"].replace(":", "")
    output.mkdir(parents=True, exist_ok=True)
    results = {**_document(session, absent, left_out), "conditions": conditions}
    path = output / "results.json"
    path.write_text(json.dumps(results) + "\n")
    click.echo(report.write(results, output), nl=False)
    click.echo(f"\n{path}")
    if any(e["status"] == "wrong" for size in session.sizes for e in size["peers"].values()):
        sys.exit(1)


if __name__ == "__main__":
    main()
