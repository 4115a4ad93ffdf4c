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
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import Any

from hornbeam.device import tunable_device
from library_binding import Call, Library
from matmul_cases import Case

CALL = Call(137, 129, 77, batch=2, transb=1, alpha=0.75, beta=-0.5)
CALLS = (
    CALL,
    Call(261, 258, 40, transb=1, beta=1.0),  # whole work-groups, and what is left beside them
    Call(5, 3, 41, batch=3, transa=1, ldc=7),  # less than a work-group
    Call(67, 19, 33, transa=1, alpha=-2.0, beta=3.0),
    Call(139, 53, 700, beta=0.5),  # k in more than one part
    Call(59, 401, 600, transa=1, transb=1),
)
"""What every kernel is to compute, each with the same bits as any other."""


def ask(
    folder: Path, variables: Mapping[str, str], *flags: str, under: Sequence[str] = ()
) -> dict[str, Any]:
    """The answers of a library in a process with these environment variables, under a command."""
    return _answers(folder, tuple(sorted(variables.items())), flags, tuple(under))


def ask_ahead(
    folder: Path, ways: Iterable[tuple[Mapping[str, str], Sequence[str], Sequence[str]]]
) -> None:
    """Ask on all processors at once; answers are remembered, and what fails fails again in `ask`.

    A process spends most of its time in the driver's compiler, which uses one processor.

    Args:
        folder: of the build.
        ways: variables, flags and the command to run under.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        wait([pool.submit(ask, folder, way, *flags, under=under) for way, flags, under in ways])


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
        timeout=900,
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
        cases = [Case.random(library, call, dtype, seed=1) for call in CALLS]
        found = set()
        for kernel in [None, *library.kernels(dtype)]:
            digest = hashlib.sha256()
            for case in cases:
                result = case.run(kernel=kernel)
                digest.update(result.tobytes())
                try:
                    case.check(result)
                except AssertionError:
                    wrong.append(f"{kernel} {dtype} {case.call}")
            found.add(digest.hexdigest())
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
