# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Child processes: run with a time limit, in a group of their own, killed as a group."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from hornbeam.errors import BenchmarkError


@dataclass(frozen=True)
class Completed:
    """How a child process ended.

    Attributes:
        status: exit status, negative for a signal; None where it was killed for time.
        output: what it printed, standard output and error together.
    """

    status: int | None
    output: str


class Children:
    """Child processes that must not outlive a block of code."""

    def __init__(self) -> None:
        """Start with no child."""
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._closed = False

    def run(
        self, command: Sequence[str | Path], timeout_s: float, variables: Mapping[str, str]
    ) -> Completed:
        """Run a command to its end.

        Args:
            command: program and arguments.
            timeout_s: it is killed after so many seconds.
            variables: added to the environment.

        Raises:
            BenchmarkError: where it can't be started.
        """
        child = self._start(command, variables)
        try:
            output, _ = child.communicate(timeout=None if timeout_s == float("inf") else timeout_s)
            return Completed(child.returncode, output.decode("utf-8", errors="replace"))
        except subprocess.TimeoutExpired:
            kill_group(child)
            output, _ = child.communicate()
            return Completed(None, output.decode("utf-8", errors="replace"))
        finally:
            with self._lock:
                self._running.discard(child)

    def kill(self) -> None:
        """Kill all children and start no more."""
        with self._lock:
            self._closed = True
            for child in self._running:
                kill_group(child)

    def _start(
        self, command: Sequence[str | Path], variables: Mapping[str, str]
    ) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._closed:
                raise BenchmarkError("interrupted")
            child = start(command, variables, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT)
            self._running.add(child)
            return child


@contextlib.contextmanager
def children() -> Iterator[Children]:
    """Children that are killed at the end of the block, however it ends."""
    group = Children()
    try:
        yield group
    finally:
        group.kill()


def start(
    command: Sequence[str | Path],
    variables: Mapping[str, str],
    stdin: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    """Start a child in a process group of its own, so that it can be killed with its children.

    Raises:
        BenchmarkError: naming the program that can't be started.
    """
    try:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            bufsize=0,
            env={**os.environ, **variables},
            start_new_session=True,
        )
    except OSError as error:
        raise BenchmarkError(f"{command[0]} cannot be started: {error.strerror}") from error


def kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill a child and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, signal.SIGKILL)
    with contextlib.suppress(OSError):
        child.kill()
