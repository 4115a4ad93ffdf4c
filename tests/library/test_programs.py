# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The C++ test programs: queues and threads, buffers and BLAS, geometry, the table of errors."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ERRORS = ROOT / "docs" / "errors.md"
TESTS = {
    "queue": [
        *("chain_in_order", "chain_out_of_order", "empty_call_respects_dependencies"),
        "errors_of_dependencies_reach_the_handler",
        *("foreign_pointer_is_refused", "prepare", "several_contexts", "threads_on_one_queue"),
        *("threads_on_own_contexts", "threads_on_own_queues"),
    ],
    "interface": [
        *("buffers_of_the_least_size", "buffers_order_calls", "buffers_without_a_product"),
        *("every_kernel_takes_buffers", "gemm", "gemm_batch", "gemm_by_hand"),
        *("small_buffers_are_refused", "sub_buffers"),
    ],
    "data_type": ["plain_device_computes_with_float_alone", "types_need_no_aspect_of_each_other"],
}


def run(build_folder: Path, program: str, *arguments: str) -> str:
    done = subprocess.run(
        [build_folder / "tests" / "cpp" / f"hornbeam_{program}", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("program", TESTS)
def test_all_are_listed_here(build_folder: Path, program: str) -> None:
    assert run(build_folder, f"{program}_test").split() == TESTS[program]


@pytest.mark.parametrize(
    ("program", "name"), [(program, name) for program, names in TESTS.items() for name in names]
)
def test_program(build_folder: Path, program: str, name: str) -> None:
    run(build_folder, f"{program}_test", name)


def test_geometry(build_folder: Path) -> None:
    run(build_folder, "geometry_test")


def test_the_hot_path_opens_nothing(build_folder: Path) -> None:
    run(build_folder, "hot_path_test")


def test_documented_errors_are_those_of_the_code(build_folder: Path) -> None:
    """HORNBEAM_UPDATE_GOLDEN=1 writes the table anew."""
    table = run(build_folder, "failure_table")
    text = ERRORS.read_text(encoding="utf-8")
    before, rows, after = text.partition(table.splitlines()[0] + "\n")
    assert rows, "docs/errors.md has lost the head of its table"
    rest = after.partition("\n\n")[2]
    wanted = f"{before}{table}\n{rest}"
    if os.environ.get("HORNBEAM_UPDATE_GOLDEN"):
        ERRORS.write_text(wanted, encoding="utf-8")
        return
    assert text == wanted
