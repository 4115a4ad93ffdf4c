# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Ask a library, in a process of its own, which target serves the device and if results are right.

python ask_target.py BUILD_FOLDER [--run]

Prints JSON: key (of the device, as Python makes it), told (by explain), kernels, wrong (those
whose results differ from numpy's; empty without --run).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from hornbeam.device import tunable_device
from library_binding import Call, Library
from matmul_cases import Case

CALL = Call(37, 29, 17, batch=2, transb=1, alpha=0.75, beta=-0.5)


def wrong_kernels(library: Library) -> list[str]:
    """Kernels whose results are not right, and their types."""
    wrong = []
    for dtype in library.data_types.values():
        case = Case.random(library, CALL, dtype, seed=1)
        for kernel in [None, *library.kernels(dtype)]:
            try:
                case.check(case.run(kernel=kernel))
            except AssertionError:
                wrong.append(f"{kernel} {dtype}")
    return wrong


def main(build_folder: str, *flags: str) -> None:
    """Print the answers."""
    library = Library(Path(build_folder))
    answers = {
        "key": tunable_device().key,
        "told": library.explain_call(CALL),
        "kernels": library.kernels(),
        "wrong": wrong_kernels(library) if "--run" in flags else [],
    }
    print(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
