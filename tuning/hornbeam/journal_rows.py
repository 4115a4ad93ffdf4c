# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Rows of the measuring journal, one JSON object a line, each with a checksum of its own."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hornbeam import strict_json
from hornbeam.device_keys import KEY_PATTERN
from hornbeam.errors import DatasetError
from hornbeam.types import Problem, Status

SCHEMA = "hornbeam-journal/1"

Check = Callable[[object], bool]

_COUNT_LIMIT = 1 << 53
_STATUSES = {status.value for status in Status}
_WORD = re.compile(r"[A-Za-z0-9_]{1,96}")
_KEY = re.compile(KEY_PATTERN)
_DIGEST = re.compile(r"[0-9a-f]*")
_TIME = re.compile(r"[0-9TZ:+.\-]{10,40}")


def _text(pattern: re.Pattern[str] | None = None, longest: int = 300) -> Check:
    return lambda value: (
        isinstance(value, str)
        and len(value) <= longest
        and (pattern is None or pattern.fullmatch(value) is not None)
    )


def _count(value: object) -> bool:
    return type(value) is int and 0 <= value < _COUNT_LIMIT


def _flag(value: object) -> bool:
    return isinstance(value, bool)


def _amount(value: object) -> bool:
    return isinstance(value, int | float) and not _flag(value) and 0.0 <= value < math.inf


def _time_s(value: object) -> bool:
    return value is None or (_amount(value) and value != 0)


# Plain predicates rather than a JSON schema: a journal has a few hundred thousand lines,
# and validating one against a schema takes half a millisecond.
_CHECKS: dict[str, Check] = {
    "schema": lambda value: value == SCHEMA,
    "operation": _text(_WORD),
    "kernel": _text(_WORD),
    "data_type": _text(_WORD),
    "problem": lambda value: isinstance(value, list) and all(map(_count, value)),
    "configuration": _text(_WORD),
    "device_key": _text(_KEY),
    "compiler": _text(),
    "driver": _text(),
    "kernel_digest": _text(_DIGEST),
    "status": lambda value: value in _STATUSES,
    "round": _count,
    "launches": _count,
    "samples": _count,
    "median_s": _time_s,
    "min_s": _time_s,
    "spread": lambda value: value is None or _amount(value),
    "single_launch": _flag,
    "rotated": _flag,
    "load": _amount,
    "message": _text(longest=2000),
    "time": _text(_TIME),
    "control": _flag,
    "checksum": _text(),
}


@dataclass(frozen=True)
class Source:
    """What a time depends on beside the cell: times of two sources are never mixed.

    Attributes:
        device_key: see `hornbeam.device_keys`.
        compiler: device compiler and version.
        driver: driver version.
        kernel_digest: SHA-256 over the kernel sources.
    """

    device_key: str
    compiler: str
    driver: str
    kernel_digest: str


@dataclass(frozen=True)
class Row:
    """One measurement of one cell in one round, or why there is none.

    Attributes:
        operation, data_type, kernel, configuration, problem: the cell.
        source: see `Source`.
        status: outcome; figures are NaN unless it is `Status.OK`.
        round: 0, 1, ...: repeats of a cell are spread over time.
        launches: launches timed.
        samples: batches of launches; the figures are per launch.
        median_s, min_s: over the samples, in seconds.
        spread: (max - min) / median over the samples; NaN for one sample.
        single_launch: one launch, because far slower than the best.
        rotated: operands rotated through more memory than the last-level cache.
        load: one-minute load average before, in runnable processes.
        time: UTC, ISO 8601.
        message: what went wrong, for people.
        control: a control measurement, by which the rows around it are judged; see
            `hornbeam.journal_controls`.
    """

    operation: str
    data_type: str
    kernel: str
    configuration: str
    problem: Problem
    source: Source
    status: Status
    round: int
    time: str
    launches: int = 0
    samples: int = 0
    median_s: float = math.nan
    min_s: float = math.nan
    spread: float = math.nan
    single_launch: bool = False
    rotated: bool = False
    load: float = 0.0
    message: str = ""
    control: bool = False


def format_row(row: Row) -> str:
    """The line of a row, without its end."""
    document: dict[str, Any] = {"schema": SCHEMA, **vars(row), **vars(row.source)}
    del document["source"]
    document["problem"] = list(row.problem)
    document["status"] = row.status.value
    document["message"] = row.message[:2000]
    for name in ("median_s", "min_s", "spread"):
        value = document[name]
        document[name] = value if math.isfinite(value) else None
    if not row.control:
        del document["control"]
    document["checksum"] = _checksum(document)
    return _canonical(document)


def parse_row(line: str) -> Row:
    """Parse the line of a row.

    Raises:
        DatasetError: where it is torn, edited or follows another schema.
    """
    try:
        document = strict_json.loads(line)
    except ValueError as error:
        raise DatasetError("torn line") from error
    if not isinstance(document, dict) or _checksum(document) != document.get("checksum"):
        raise DatasetError("wrong checksum")
    document.setdefault("control", False)
    for name, check in _CHECKS.items():
        if name not in document or not check(document[name]):
            raise DatasetError(f"breaks the schema: {name}")
    values = dict(document)
    source = Source(*(values.pop(name) for name in Source.__dataclass_fields__))
    del values["schema"], values["checksum"]
    values["problem"] = tuple(values["problem"])
    values["status"] = Status(values["status"])
    for name in ("median_s", "min_s", "spread"):
        values[name] = math.nan if values[name] is None else float(values[name])
    if values["status"] is Status.OK and math.isnan(values["median_s"]):
        raise DatasetError("status ok without a time")
    return Row(source=source, **{name: values[name] for name in _FIELDS})


_FIELDS = [name for name in Row.__dataclass_fields__ if name != "source"]


def _canonical(document: dict[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _checksum(document: dict[str, Any]) -> str:
    rest = {name: value for name, value in document.items() if name != "checksum"}
    return f"{zlib.crc32(_canonical(rest).encode('ascii')):08x}"
