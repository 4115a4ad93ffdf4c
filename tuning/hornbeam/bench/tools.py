# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The device compiler and the benchmark driver, built on first use."""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from hornbeam import paths
from hornbeam.bench.deadline import Deadline, DeadlineError
from hornbeam.bench.locks import open_lock, try_lock
from hornbeam.bench.process import Children, children
from hornbeam.drivers import compiler_version, wheel_prefix
from hornbeam.errors import BenchmarkError

_LOG = logging.getLogger(__name__)
_LINES_SHOWN = 25
_LOCK_INTERVAL_S = 0.2


@dataclass(frozen=True)
class Tools:
    """Commands of the tools: program and leading arguments."""

    compiler: tuple[str, ...]
    driver: tuple[str, ...]

    @classmethod
    def in_folder(cls, folder: Path) -> Tools:
        """The tools that were built into a folder."""
        return cls(
            compiler=(str(folder / "hornbeam-device-compiler"),),
            driver=(str(folder / "hornbeam-bench"),),
        )


def module_cache_dir() -> Path:
    """Folder of compiled device functions."""
    return paths.cache_dir() / "modules"


def build_tools(deadline: Deadline, cache_dir: Path | None = None) -> Tools:
    """Build the tools, or bring them up to date.

    They lie in one folder for each pair of source tree and toolchain; an up-to-date
    build takes a fraction of a second. Concurrent callers wait for one another.

    Args:
        deadline: after which the build, or waiting for another's, is given up. What was built
            by then is kept.
        cache_dir: where builds are kept, the per-user cache by default.

    Raises:
        BenchmarkError: what is missing, or the end of the build's output.
        DeadlineError: the build took too long.
    """
    prefix = wheel_prefix()
    if prefix is None:
        raise BenchmarkError(
            "dpcpp-cpp-rt is not installed in this Python environment, so nothing can be "
            "measured here; pip install dpcpp-cpp-rt"
        )
    source = paths.tools_source_dir()
    identity = f"{source}\n{sys.executable}\n{prefix}\n{compiler_version()}"
    name = hashlib.sha256(identity.encode()).hexdigest()[:16]
    folder = (cache_dir or paths.cache_dir()) / "tools" / name
    with _exclusive(folder, deadline), children() as group:
        if not (folder / "CMakeCache.txt").exists() or not _is_configured(folder):
            _LOG.info("building the device compiler and the benchmark driver")
            _configure(group, source, folder, deadline)
        _run(group, [_program("cmake"), "--build", folder, "--parallel"], deadline)
    return Tools.in_folder(folder)


def _configure(group: Children, source: Path, folder: Path, deadline: Deadline) -> None:
    command: list[str | Path] = [_program("cmake"), "-S", source, "-B", folder]
    command += [f"-DHORNBEAM_PYTHON={sys.executable}", "-DCMAKE_BUILD_TYPE=Release"]
    ninja = _find("ninja")
    if ninja is not None:
        command += ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}"]
    _run(group, command, deadline)


def _is_configured(folder: Path) -> bool:
    return (folder / "build.ninja").exists() or (folder / "Makefile").exists()


def _run(group: Children, command: list[str | Path], deadline: Deadline) -> None:
    result = group.run(command, deadline.remaining_s(), {})
    if result.status is None:
        raise DeadlineError(
            "the time budget was used up while the benchmark tools were built; what was built is "
            "kept, so that the next run gets further"
        )
    if result.status != 0:
        end = "\n".join(result.output.splitlines()[-_LINES_SHOWN:])
        text = " ".join(map(str, command))
        raise BenchmarkError(f"the benchmark tools could not be built: {text} failed:\n{end}")


def _find(name: str) -> str | None:
    """A program beside the Python interpreter, else on the path."""
    beside = str(Path(sys.executable).parent)
    return shutil.which(name, path=os.pathsep.join([beside, os.environ.get("PATH", "")]))


def _program(name: str) -> str:
    found = _find(name)
    if found is None:
        raise BenchmarkError(f"{name} is not found; install it, or pip install {name}")
    return found


@contextmanager
def _exclusive(folder: Path, deadline: Deadline) -> Iterator[None]:
    """Hold the lock of a folder, made where missing.

    Raises:
        BenchmarkError: the folder can't be written.
        DeadlineError: another process held the lock for too long.
    """
    with open_lock(folder / ".lock") as file:
        while not try_lock(file):
            if deadline.remaining_s() <= 0.0:
                raise DeadlineError("the time budget was used up waiting for another build")
            time.sleep(min(_LOCK_INTERVAL_S, deadline.remaining_s()))
        yield
