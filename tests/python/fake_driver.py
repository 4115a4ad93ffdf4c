# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the benchmark driver: speaks its protocol, times nothing.

The file named by FAKE_BEHAVIOUR holds ``{"verify": {...}, "measure": {...}, "ready": ...}``;
each inner object maps a part of a function's name, or ``name@launch``, to a behaviour:
hang, crash, garbage, endless, nan, wrong, error, slow. FAKE_LOG names a file that gets a
line for each start, with the device selector, and for each request. FAKE_START_S and FAKE_DELAY_S
are seconds that a start and each answer take. FAKE_SLOW is a JSON list of [first, last, factor]:
measuring requests of these numbers, counted over all starts, take so many times as long. FAKE_GONE
names the first measuring request that fails because the device vanishes, and how: ``crash``, with
no device found by the next start, or ``error``, as ``20 crash``.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from pathlib import Path
from typing import Any


def main() -> None:
    """Answer requests until the input ends."""
    text = os.environ.get("FAKE_BEHAVIOUR", "")
    behaviour = json.loads(Path(text).read_text(encoding="utf-8")) if text else {}
    delay_s = float(os.environ.get("FAKE_DELAY_S", "0"))
    print("fake driver starts", file=sys.stderr, flush=True)
    log_line(f"start {os.environ.get('ONEAPI_DEVICE_SELECTOR', '')}")
    time.sleep(float(os.environ.get("FAKE_START_S", "0")))
    gone, how = gone_from()
    if measured() > gone and how == "crash":
        answer({"ready": False, "message": "no device"})
    answer(behaviour.get("ready", {"ready": True, "device": "A CPU", "driver": "driver 1"}))
    for line in sys.stdin:
        fields = dict(part.split("=", 1) for part in line.rstrip("\n").split("\t"))
        log(fields)
        time.sleep(delay_s)
        if measured() > gone:
            if how == "crash":
                os.abort()
            answer({"status": "launch_error", "message": "CL_DEVICE_NOT_AVAILABLE"})
        elif not misbehave(fields, behaviour.get(fields["command"], {})):
            answer(verified() if fields["command"] == "verify" else timed(fields))


def answer(document: dict[str, Any]) -> None:
    """Print one answer."""
    print(json.dumps(document), flush=True)


def measured() -> int:
    """Number of measuring requests so far, by all drivers that write to the log."""
    path = Path(os.environ.get("FAKE_LOG", ""))
    return path.read_text(encoding="utf-8").count("\nmeasure ") if path.is_file() else 0


def gone_from() -> tuple[float, str]:
    """Number of requests that the device serves, and how it vanishes."""
    number, how = [*os.environ.get("FAKE_GONE", "inf none").split()][:2]
    return float(number), how


def log(fields: dict[str, str]) -> None:
    """Note a request."""
    what = [fields["command"], fields["function"], fields["launch"], fields.get("problem", "")]
    log_line(" ".join([*what, fields.get("slow_s", "")]))


def log_line(line: str) -> None:
    """Note something."""
    path = os.environ.get("FAKE_LOG")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def verified() -> dict[str, Any]:
    """The answer for a kernel that computes the right result."""
    return {"status": "ok", "max_error": 1e-7}


def timed(fields: dict[str, str]) -> dict[str, Any]:
    """Times that depend on the kernel and the problem alone."""
    sizes = [int(size) for size in fields["problem"].split(",")][:4]
    work = 2.0 * sizes[0] * sizes[1] * sizes[2] * sizes[3]
    slowness = 1 + zlib.crc32(f"{fields['function']} {fields['launch']}".encode()) % 600 / 100
    time_s = 1e-5 + slowness * work / 1e10
    for first, last, factor in json.loads(os.environ.get("FAKE_SLOW", "[]")):
        if first <= measured() <= last:
            time_s *= factor
    load = {"rotated": True, "load": 0.25}
    if time_s > float(fields["slow_s"]):
        return {"status": "ok", "times_s": [time_s], "launches": 1, "single_launch": True, **load}
    samples = int(fields["samples"])
    times_s = [time_s * (1 + i / 100) for i in range(samples)]
    return {
        "status": "ok",
        "times_s": times_s,
        "launches": 2 * samples,
        "single_launch": False,
        **load,
    }


def misbehave(fields: dict[str, str], rules: dict[str, str]) -> bool:
    """Do what a rule says, if one applies."""
    name = f"{fields['function']}@{fields['launch']}"
    kind = next((kind for part, kind in rules.items() if part in name), "")
    if kind == "hang":
        time.sleep(3600)
    if kind == "crash":
        print("fake driver: segmentation fault", file=sys.stderr, flush=True)
        os.abort()
    answers: dict[str, str] = {
        "garbage": "Intel(R) says hello {",
        "list": "[1, 2]",
        "nan": '{"status": "ok", "times_s": [NaN, 1.0]}',
        "negative": '{"status": "ok", "times_s": [-1.0]}',
        "empty": '{"status": "ok", "times_s": []}',
        "missing": '{"status": "ok"}',
        "wrong": '{"status": "wrong_result", "message": "m=7 k=3 n=5"}',
        "error": '{"status": "launch_error", "message": "CL_OUT_OF_RESOURCES"}',
        "refuse": '{"status": "bad_request", "message": "no benchmark for type quad"}',
        "unknown": '{"status": "splendid"}',
        "endless": "x" * (2 << 20),
    }
    if kind in answers:
        print(answers[kind], flush=True)
    return bool(kind)


if __name__ == "__main__":
    main()
