# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The benchmark driver as a child process: requests in, answers out, with a limit on each.

The child runs on one device, the one that its times are recorded for, whatever the user's
environment prefers.

A request is a line of tab-separated ``key=value`` fields, its answer one line of JSON. A
child that hangs, dies or answers nonsense is killed and a fresh one started for the next
request, so that it costs that request alone.
"""

from __future__ import annotations

import collections
import contextlib
import json
import math
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from hornbeam.bench.process import kill_group, start
from hornbeam.errors import BenchmarkError, DeviceError
from hornbeam.types import DeviceInfo

START_TIMEOUT_S = 60.0
SELECTOR_VARIABLE = "ONEAPI_DEVICE_SELECTOR"

_LONGEST_ANSWER = 1 << 20
_LOG_LINES = 20
_OBITUARY_S = 1.0
# The toolchain's selector has no word for accelerators: any device then, compared by name.
_SELECTORS = {"cpu": "opencl:cpu", "gpu": "opencl:gpu"}
_ANY_DEVICE = "opencl:*"


class DriverTimeoutError(BenchmarkError):
    """A request took too long."""


class DriverCrashError(BenchmarkError):
    """The driver died or gave an answer that makes no sense."""


class Driver:
    """A benchmark driver; use it as a context manager."""

    def __init__(
        self,
        command: Sequence[str],
        device: DeviceInfo,
        variables: Mapping[str, str] | None = None,
        start_timeout_s: float = START_TIMEOUT_S,
        position: int | None = None,
    ) -> None:
        """Prepare a driver; the child is started by the first request.

        Args:
            command: program and arguments.
            device: that it has to run on.
            variables: added to its environment.
            start_timeout_s: for the child to find its device.
            position: of the device among all that OpenCL lists; None for the first of its kind.
        """
        self._command = tuple(command)
        self._device = device
        selector = _SELECTORS.get(device.type, _ANY_DEVICE)
        if position is not None:
            selector = f"opencl:{position}"
        self._variables = {**(variables or {}), SELECTOR_VARIABLE: selector}
        self._start_timeout_s = start_timeout_s
        self._child: subprocess.Popen[bytes] | None = None
        self._pending = b""
        self._log: collections.deque[str] = collections.deque(maxlen=_LOG_LINES)
        self.starts = 0

    def __enter__(self) -> Driver:
        """Return the driver."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop the child."""
        self.close()

    def start(self, timeout_s: float = math.inf) -> dict[str, Any]:
        """Start the child anew.

        Args:
            timeout_s: for it to find its device, where less than the driver's own limit.

        Returns:
            What it says of its device.

        Raises:
            DeviceError: it finds no usable device, or another one than it has to run on.
            BenchmarkError: it can't be started.
        """
        self.close()
        limit_s = min(timeout_s, self._start_timeout_s)
        end_s = time.monotonic() + limit_s
        self._child = start(self._command, self._variables)
        self.starts += 1
        threading.Thread(target=self._drain, args=(self._child,), daemon=True).start()
        try:
            ready = self._receive(end_s, limit_s)
        except (DriverTimeoutError, DriverCrashError) as error:
            self.close()
            raise BenchmarkError(f"the benchmark driver does not start: {error}") from error
        try:
            _check(ready, self._device)
        except DeviceError:
            self.close()
            raise
        return ready

    def request(self, fields: Mapping[str, str], timeout_s: float) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Args:
            fields: of the request; no tab or line end in them.
            timeout_s: after which the child is killed; starting it counts.

        Raises:
            DriverTimeoutError: no answer in time.
            DriverCrashError: the child died, or its answer is no JSON object.
            BenchmarkError: the child can't be started.
        """
        end_s = time.monotonic() + timeout_s
        if self._child is None:
            self.start(timeout_s)
        line = "\t".join(f"{key}={value}" for key, value in fields.items())
        if "\n" in line or line.count("\t") != len(fields) - 1:
            raise BenchmarkError("a request must not hold tabs or line ends")
        try:
            self._send(line + "\n")
            return self._receive(end_s, timeout_s)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Kill the child, if there is one."""
        child, self._child = self._child, None
        self._pending = b""
        if child is None:
            return
        kill_group(child)
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def kill(self) -> None:
        """Kill the child from another thread: a request under way fails at once."""
        child = self._child
        if child is not None:
            kill_group(child)

    def _send(self, line: str) -> None:
        assert self._child is not None and self._child.stdin is not None
        try:
            self._child.stdin.write(line.encode())
        except OSError as error:
            raise DriverCrashError(self._obituary()) from error

    def _receive(self, end_s: float, limit_s: float) -> dict[str, Any]:
        """Read one line and parse it.

        Args:
            end_s: on the monotonic clock.
            limit_s: time that there was until then, for the message.
        """
        assert self._child is not None and self._child.stdout is not None
        descriptor = self._child.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while b"\n" not in self._pending:
                left_s = end_s - time.monotonic()
                if left_s <= 0 or not selector.select(min(left_s, 3600.0)):
                    if time.monotonic() >= end_s:
                        raise DriverTimeoutError(f"no answer within {limit_s:.1f} s")
                    continue
                part = os.read(descriptor, 1 << 16)
                if not part:
                    raise DriverCrashError(self._obituary())
                self._pending += part
                if len(self._pending) > _LONGEST_ANSWER:
                    raise DriverCrashError("the driver's answer does not end")
        line, _, self._pending = self._pending.partition(b"\n")
        return _parse(line)

    def _obituary(self) -> str:
        """How the child ended, with the end of its messages."""
        assert self._child is not None
        try:
            status = f"exit status {self._child.wait(timeout=_OBITUARY_S)}"
        except subprocess.TimeoutExpired:
            status = "its output closed"
        log = " | ".join(self._log)
        return f"the benchmark driver died ({status})" + (f": {log}" if log else "")

    def _drain(self, child: subprocess.Popen[bytes]) -> None:
        """Keep the last messages of a child, so that its pipe never fills."""
        assert child.stderr is not None
        with child.stderr as stream:
            for line in iter(lambda: stream.readline(1 << 12), b""):
                self._log.append(line.decode("utf-8", errors="replace").rstrip())


def _check(ready: Mapping[str, Any], device: DeviceInfo) -> None:
    """Raise unless a child found the device that it has to run on.

    Raises:
        DeviceError: it found none, or another one.
    """
    if ready.get("ready") is not True:
        raise DeviceError(
            f"the benchmark driver cannot use {device.name}: {ready.get('message', '')}"
        )
    found = _identity(str(ready.get("device", "")), str(ready.get("driver", "")))
    wanted = _identity(device.name, device.driver)
    if found != wanted:
        raise DeviceError(
            f"the benchmark driver runs on {found}, but {wanted} is to be measured; hide the "
            "other driver from OpenCL, see 'hornbeam doctor'"
        )


def _identity(name: str, driver: str) -> str:
    """A device in words; blanks at the ends differ between interfaces to the same driver."""
    return f"{name.strip()!r} (driver {driver.strip()!r})"


def _parse(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DriverCrashError(f"the driver answered {line[:200]!r}") from error
    if not isinstance(answer, dict):
        raise DriverCrashError(f"the driver answered {line[:200]!r}")
    return answer
