# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""CLBlast's own tuners, for as long as there is time: the best of what they printed by then."""

from __future__ import annotations

import json
import logging
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from hornbeam.bench.process import children
from hornbeam.types import DeviceInfo

_LOG = logging.getLogger(__name__)

#: Tuner -> kernel of the library, and share of the time.
_TUNERS = {
    "clblast_tuner_xgemm": ("Xgemm", 0.6),
    "clblast_tuner_xgemm_direct": ("XgemmDirect", 0.4),
}
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_LEAST_S = 30.0


@dataclass(frozen=True)
class Tuned:
    """What came of it.

    Attributes:
        arguments: of the CLBlast worker, ``KERNEL:NAME=VALUE,...``; empty where there are none.
        reason: why there are none.
    """

    arguments: tuple[str, ...] = ()
    reason: str = ""


def parameters(folder: Path, device: DeviceInfo, limit_s: float) -> Tuned:
    """Parameters that CLBlast's tuners find for single precision; found once for each driver.

    Args:
        folder: what was found is kept in.
        device: that it is found for.
        limit_s: seconds for all tuners.
    """
    path = folder / "tuned.json"
    stored = json.loads(path.read_text()) if path.exists() else {}
    if stored.get("device") == device.name and stored.get("driver") == device.driver:
        return Tuned(arguments=tuple(stored["arguments"]))
    missing = [name for name in _TUNERS if shutil.which(name) is None]
    if missing:
        return Tuned(reason=f"{', '.join(missing)} is missing (Debian: clblast-utils)")
    if limit_s < _LEAST_S:
        return Tuned(reason="not tuned before, and there was no time for it (--clblast-tuning)")
    folder.mkdir(parents=True, exist_ok=True)
    arguments = []
    for tuner, (kernel, share) in _TUNERS.items():
        _LOG.info("running %s for at most %.0f s", tuner, share * limit_s)
        found = best_printed(_output(tuner, folder, share * limit_s).splitlines())
        if found:
            values = ",".join(f"{name}={value}" for name, value in found.items())
            arguments.append(f"{kernel}:{values}")
    if not arguments:
        return Tuned(reason=f"its tuners found nothing in {limit_s:.0f} s")
    document = {"device": device.name, "driver": device.driver, "seconds": limit_s}
    path.write_text(json.dumps({**document, "arguments": arguments}, indent=2) + "\n")
    return Tuned(arguments=tuple(arguments))


def best_printed(lines: Iterable[str]) -> dict[str, int]:
    """The fastest right configuration in what a tuner printed; empty where there is none.

    Args:
        lines: of its tables: the names of parameters above, then a row a configuration with its
            values, its status and its GFLOP/s.
    """
    names: list[str] = []
    best, found = 0.0, {}
    for line in map(_plain, lines):
        if "Parameters explored:" in line:
            names = line.split(":", 1)[1].split()
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 10 or not cells[1].isdigit() or "results match" not in cells[9]:
            continue
        values, speed = cells[3].split(), float(cells[8])
        if speed > best and len(values) == len(names):
            best, found = speed, dict(zip(names, map(int, values), strict=True))
    return found


def _plain(line: str) -> str:
    return _COLOUR.sub("", line)


def _output(tuner: str, folder: Path, limit_s: float) -> str:
    # The tuner writes files into the folder it runs in, when it comes to its end.
    script = f'cd "{folder}" && exec stdbuf -oL {tuner} -precision 32'
    with children() as group:
        return group.run(["sh", "-c", script], limit_s, {}).output
