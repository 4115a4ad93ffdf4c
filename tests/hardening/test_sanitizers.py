# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Host code under sanitizers: calls without a device, and queues, contexts and threads on one.

Nothing of hornbeam's own code is suppressed.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hornbeam.device import environment, wheel_prefix

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FUZZ_RUNS = 1000 * int(os.environ.get("HORNBEAM_FUZZ_EXAMPLES", "60"))
TESTS = {
    "thread": (
        "prepare", "threads_on_one_queue", "threads_on_own_contexts",
        "threads_on_own_queues",
    ),
    "address,undefined": (
        "chain_in_order", "empty_call_respects_dependencies", "foreign_pointer_is_refused",
        "errors_of_dependencies_reach_the_handler", "threads_on_one_queue",
    ),
}  # fmt: skip
OPTIONS = {
    "TSAN_OPTIONS": f"suppressions={HERE / 'tsan.supp'} halt_on_error=1",
    "LSAN_OPTIONS": f"suppressions={HERE / 'lsan.supp'} print_suppressions=0",
    "ASAN_OPTIONS": "detect_stack_use_after_return=1 detect_leaks=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def require_sanitizer(folder: Path, sanitizer: str) -> None:
    """Skip where the compiler has no runtime for a sanitizer."""
    source = folder / "empty.cpp"
    source.write_text("int main() {}\n")
    command = ["c++", f"-fsanitize={sanitizer}", source, "-o", folder / "empty"]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("no C++ compiler named c++")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no runtime for -fsanitize={sanitizer}: {error.stderr[-300:]}")


def build(sanitizer: str, target: str) -> Path:
    """Build folder with a target under a sanitizer, built as cheaply as that goes."""
    folder = ROOT / "build" / f"sanitize-{sanitizer.split(',')[0]}"
    variables = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    for command in (
        [
            *("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_CXX_FLAGS=-O1"),
            *("-DCMAKE_CXX_COMPILER=c++", "-DCMAKE_UNITY_BUILD=ON", "-DHORNBEAM_BUILD_TESTS=ON"),
            *("-DHORNBEAM_TUNE=OFF", "-DHORNBEAM_DATA_TYPES=float"),
            *(f"-DHORNBEAM_PYTHON={sys.executable}", f"-DHORNBEAM_SANITIZE={sanitizer}"),
        ],
        ["cmake", "--build", folder, "--target", target],
    ):
        done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.fail(f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return folder


@pytest.fixture(scope="module")
def variables() -> dict[str, str]:
    """Environment of programs under sanitizers."""
    prefix = wheel_prefix()
    if prefix is None:
        pytest.skip("dpcpp-cpp-rt is not installed in this Python environment")
    return {**os.environ, **environment(prefix), **OPTIONS}


def test_calls(tmp_path: Path, variables: dict[str, str]) -> None:
    """The corpus of the fuzz target, and mutations of it."""
    require_sanitizer(tmp_path, "address,undefined")
    program = build("address,undefined", "hornbeam_call_fuzz") / "tests/fuzz/hornbeam_call_fuzz"
    done = subprocess.run(
        [program, f"-runs={FUZZ_RUNS}", "-seed=1", ROOT / "tests" / "fuzz" / "corpus" / "call"],
        cwd=tmp_path, env=variables, capture_output=True, text=True, check=False,
    )  # fmt: skip
    kept = tmp_path / "crash-input"
    shown = kept.read_bytes().hex() if kept.exists() else "no input was kept"
    assert done.returncode == 0, f"{done.stderr[-4000:]}\n{shown}"
    assert f"{FUZZ_RUNS} mutations: no fault" in done.stdout


@pytest.mark.parametrize("sanitizer", TESTS)
def test_queues(sanitizer: str, tmp_path: Path, variables: dict[str, str]) -> None:
    require_sanitizer(tmp_path, sanitizer)
    program = build(sanitizer, "hornbeam_queue_test") / "tests" / "cpp" / "hornbeam_queue_test"
    for name in TESTS[sanitizer]:
        done = subprocess.run(
            [program, name], env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{name}\n{done.stderr[-8000:]}"
