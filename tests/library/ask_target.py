# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Ask a library, in a process of its own, which target serves the device and what it computes.

python ask_target.py BUILD_FOLDER [--run]

Prints JSON: key (of the device, as Python makes it), told (by explain), kernels; with --run also
wrong (those whose results differ from numpy's) and bits (data type -> digests of all results).
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hornbeam.device import tunable_device
from library_binding import Call, Library
from matmul_cases import Case

CALL = Call(137, 129, 77, batch=2, transb=1, alpha=0.75, beta=-0.5)


def ask(
    folder: Path, variables: Mapping[str, str], *flags: str, under: Sequence[str] = ()
) -> dict[str, Any]:
    """The answers of a library in a process with these environment variables, under a command."""
    return _answers(folder, tuple(sorted(variables.items())), flags, tuple(under))


@cache
def _answers(
    folder: Path,
    variables: tuple[tuple[str, str], ...],
    flags: tuple[str, ...],
    under: tuple[str, ...],
) -> dict[str, Any]:
    done = subprocess.run(
        [*under, sys.executable, __file__, folder, *flags],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **dict(variables)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: dict[str, Any] = json.loads(done.stdout)
    return answers


def results(library: Library) -> dict[str, Any]:
    """What every kernel computes, and what of it is wrong."""
    wrong: list[str] = []
    bits: dict[str, list[str]] = {}
    for name, dtype in library.data_types.items():
        case = Case.random(library, CALL, dtype, seed=1)
        found = set()
        for kernel in [None, *library.kernels(dtype)]:
            result = case.run(kernel=kernel)
            found.add(hashlib.sha256(result.tobytes()).hexdigest())
            try:
                case.check(result)
            except AssertionError:
                wrong.append(f"{kernel} {dtype}")
        bits[name] = sorted(found)
    return {"wrong": wrong, "bits": bits}


def main(build_folder: str, *flags: str) -> None:
    """Print the answers."""
    library = Library(Path(build_folder))
    answers = {
        "key": tunable_device().key,
        "told": library.explain_call(CALL),
        "kernels": library.kernels(),
        **(results(library) if "--run" in flags else {}),
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
