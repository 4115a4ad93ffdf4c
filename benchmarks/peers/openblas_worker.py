# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""OpenBLAS as numpy calls it, answering the requests that the C++ workers answer.

Batches are one call of ``numpy.matmul``, which loops over OpenBLAS's gemm in C.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# OpenBLAS is to take the processor for what it is; it reads these when it is loaded.
for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(variable, None)

import numpy as np  # noqa: E402
from threadpoolctl import threadpool_info  # noqa: E402


class _Product:
    """A product whose operands are in memory."""

    def __init__(self, folder: Path, problem: tuple[int, ...]) -> None:
        m, k, n, batch, transpose_a, transpose_b = problem
        a = np.fromfile(folder / "a", np.float32).reshape(
            batch, *((k, m) if transpose_a else (m, k))
        )
        b = np.fromfile(folder / "b", np.float32).reshape(
            batch, *((n, k) if transpose_b else (k, n))
        )
        self.c = np.full((batch, m, n), np.nan, np.float32)
        a, b, c = (a[0], b[0], self.c[0]) if batch == 1 else (a, b, self.c)
        self._operands = (
            a.swapaxes(-1, -2) if transpose_a else a,
            b.swapaxes(-1, -2) if transpose_b else b,
            c,
        )

    def multiply(self) -> None:
        a, b, c = self._operands
        np.matmul(a, b, out=c)

    def seconds(self, calls: int) -> float:
        start_s = time.perf_counter()
        for _ in range(calls):
            self.multiply()
        return (time.perf_counter() - start_s) / calls

    def times_s(self, samples: int, min_batch_s: float, slow_s: float) -> list[float]:
        """Samples as ``time_launches`` of the benchmark driver takes them."""
        call_s = self.seconds(1)
        if slow_s < call_s <= 3 * slow_s:
            call_s = min(call_s, self.seconds(1))
        if call_s > slow_s:
            return [call_s]
        found: list[float] = []
        while len(found) < samples:
            calls = min(max(math.ceil(min_batch_s / max(call_s, 1e-9)), 1), 1_000_000)
            call_s = self.seconds(calls)
            if found or call_s * calls >= min_batch_s / 2:
                found.append(call_s)
        return found


class _Worker:
    """Answers requests."""

    def __init__(self) -> None:
        self._product: _Product | None = None

    def answer(self, fields: Mapping[str, str]) -> dict[str, Any]:
        if fields["command"] == "load":
            self._product = None  # its memory first
            problem = tuple(map(int, fields["problem"].split(",")))
            self._product = _Product(Path(fields["folder"]), problem)
            self._product.multiply()
            np.memmap(Path(fields["folder"]) / "c", np.float32, "r+", shape=self._product.c.shape)[
                :
            ] = self._product.c
            return {"status": "ok", "explanation": ""}
        assert self._product is not None
        times_s = self._product.times_s(
            int(fields["samples"]), float(fields["min_batch_s"]), float(fields["slow_s"])
        )
        return {"status": "ok", "times_s": times_s}


def _library() -> dict[str, Any]:
    """What numpy was linked with."""
    for pool in threadpool_info():
        if pool["user_api"] == "blas":
            return {
                "version": f"{pool['internal_api']} {pool['version']}",
                "core_type": pool.get("architecture", ""),
                "threads": pool["num_threads"],
                "numpy": np.__version__,
            }
    return {"version": "unknown", "numpy": np.__version__}


def _say(answer: Mapping[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


def main() -> None:
    """Serve until the input ends."""
    _say({"ready": True, "device": "host", "driver": "", "pid": os.getpid(), **_library()})
    worker = _Worker()
    for line in sys.stdin:
        fields = dict(field.split("=", 1) for field in line.rstrip("\n").split("\t"))
        try:
            _say(worker.answer(fields))
        except Exception as error:
            _say({"status": "error", "message": f"{type(error).__name__}: {error}"})


if __name__ == "__main__":
    main()
