# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Measurements as T4 results, the format that autotuners share.

A document holds one kernel on one problem, which is one search space to those tools. Beside T4's
own members it has ``hornbeam``, with what they have no place for: what was measured, and where.
Others ignore it; reading needs it. Times of the format are in milliseconds.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from hornbeam.cells import Cell, build_dataset, cells_of
from hornbeam.dataset_schema import DEVICE_SCHEMA, description_of, device_from, provenance_from
from hornbeam.errors import ConfigurationError, DatasetError, choose
from hornbeam.operations import get_operation
from hornbeam.schemas import WORD, object_of, read_json
from hornbeam.space import configuration_order
from hornbeam.types import Dataset, Problem, Status

SCHEMA_VERSION = "1.0.0"
_INVALIDITY = {
    Status.OK: "correct",
    Status.COMPILE_ERROR: "compile",
    Status.LAUNCH_ERROR: "runtime",
    Status.WRONG_RESULT: "correctness",
    Status.TIMEOUT: "timeout",
    Status.SKIPPED: "constraints",
}
_STATUS = {name: status for status, name in _INVALIDITY.items()}
_UNITS = {"time": "ms", "time_min": "ms", "spread": "", "samples": ""}
_FLAGS = ("single_launch", "rotated")
_NUMBERS = {"type": "object", "maxProperties": 64, "additionalProperties": {"type": "integer"}}
_MEASUREMENT = object_of(
    {"name": {"type": "string"}, "value": {"type": ["number", "string", "array"]}}, closed=False
)
_RESULT = object_of(
    {
        "configuration": _NUMBERS,
        "invalidity": {"enum": list(_STATUS)},
        "measurements": {"type": "array", "maxItems": 64, "items": _MEASUREMENT},
    },
    closed=False,
)
_OWN = object_of(
    {
        "operation": WORD,
        "data_type": WORD,
        "kernel": WORD,
        "problem": _NUMBERS,
        "device": DEVICE_SCHEMA["properties"]["device"],
        "provenance": DEVICE_SCHEMA["properties"]["measurements"]["items"]["properties"][
            "provenance"
        ],
    }
)
_DOCUMENT = object_of(
    {
        "schema_version": {"const": SCHEMA_VERSION},
        "results": {"type": "array", "maxItems": 1000000, "items": _RESULT},
        "hornbeam": _OWN,
    },
    closed=False,
)


def to_t4(dataset: Dataset, kernel: str, problem: Problem) -> dict[str, Any]:
    """T4 results of one kernel on one problem, in the order of the space.

    Raises:
        ConfigurationError: the dataset holds nothing of them.
    """
    operation = get_operation(dataset.operation)
    choose("kernel", kernel, list(dict.fromkeys(c.kernel for c in dataset.configurations)))
    parameters = {c.id: c.parameters for c in dataset.configurations if c.kernel == kernel}
    mine = {
        id: cell
        for (row, id), cell in cells_of(dataset).items()
        if row == problem and id in parameters
    }
    if not mine:
        raise ConfigurationError(f"{kernel} was not measured on {','.join(map(str, problem))}")
    return {
        "schema_version": SCHEMA_VERSION,
        "results": [_result(dict(parameters[id]), cell) for id, cell in mine.items()],
        "metadata": {"timeunit": "milliseconds"},
        "hornbeam": {
            "operation": dataset.operation,
            "data_type": dataset.data_type,
            "kernel": kernel,
            "problem": dict(zip(operation.problem_fields, problem, strict=True)),
            "device": description_of(dataset.device),
            "provenance": dict(vars(dataset.provenance)),
        },
    }


def from_t4(path: Path) -> Dataset:
    """Read T4 results that have the member ``hornbeam``.

    Raises:
        DatasetError: the file is damaged, breaks the format, or names what does not exist.
        ConfigurationError: the operation or data type is unknown.
    """
    document = read_json(path, _DOCUMENT)
    own = document["hornbeam"]
    operation = get_operation(own["operation"])
    choose("data type", own["data_type"], list(operation.data_types))
    kernels = {kernel.name: kernel for kernel in operation.kernels}
    definition = kernels[choose("kernel", own["kernel"], list(kernels))]
    if set(own["problem"]) != set(operation.problem_fields):
        raise DatasetError(f"{path}: a problem has {', '.join(operation.problem_fields)}")
    problem = tuple(own["problem"][name] for name in operation.problem_fields)
    for name, value in own["problem"].items():
        least, most = operation.problem_bounds[name]
        if not least <= value <= most:
            raise DatasetError(f"{path}: {name} must be from {least} to {most}, not {value}")
    names = {parameter.name for parameter in definition.parameters}
    valid = configuration_order(operation)
    cells: dict[tuple[Problem, str], Cell] = {}
    for number, result in enumerate(document["results"]):
        place = f"{path}: result {number}"
        values = result["configuration"]
        id = definition.configuration(values).id if set(values) == names else None
        if id not in valid or id is None:
            raise DatasetError(f"{place}: no such configuration of {definition.name}")
        if (problem, id) in cells:
            raise DatasetError(f"{place}: {id} is there twice")
        cells[problem, id] = _cell(result, place)
    if not cells:
        raise DatasetError(f"{path}: holds no result")
    return build_dataset(
        operation,
        own["data_type"],
        device_from(own["device"]),
        provenance_from(own["provenance"]),
        cells,
    )


def _result(configuration: dict[str, int], cell: Cell) -> dict[str, Any]:
    timed = cell.status is Status.OK
    values: dict[str, float] = {}
    if timed:
        values = {"time": cell.median_s * 1e3, "time_min": cell.min_s * 1e3}
        values |= {} if math.isnan(cell.spread) else {"spread": cell.spread}
        values |= {"samples": cell.samples}
        values |= {flag: int(getattr(cell, flag)) for flag in _FLAGS}
    return {
        "configuration": configuration,
        "times": {"runtimes": []},
        "invalidity": _INVALIDITY[cell.status],
        "correctness": 0 if cell.status is Status.WRONG_RESULT else 1,
        "measurements": [
            {"name": name, "value": value, "unit": _UNITS.get(name, "")}
            for name, value in values.items()
        ],
        "objectives": ["time"],
    }


def _cell(result: dict[str, Any], place: str) -> Cell:
    status = _STATUS[result["invalidity"]]
    if status is not Status.OK:
        return Cell(status)
    values = {one["name"]: one["value"] for one in result["measurements"]}
    known = {name: values[name] for name in (*_UNITS, *_FLAGS) if name in values}
    for name, value in known.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise DatasetError(f"{place}: {name} is no number of at least 0")
    if not known.get("time", 0) > 0:
        raise DatasetError(f"{place}: a time above 0 is expected")
    least = float(known.get("time_min", known["time"]))
    samples = known.get("samples", 1)
    if (
        not (least / 1e3 > 0 and least <= known["time"])
        or not isinstance(samples, int)
        or samples < 1
    ):
        raise DatasetError(f"{place}: time_min or samples contradict the time")
    return Cell(
        status=status,
        samples=samples,
        median_s=float(known["time"]) / 1e3,
        min_s=least / 1e3,
        spread=float(known.get("spread", math.nan)),
        single_launch=bool(known.get("single_launch", 0)),
        rotated=bool(known.get("rotated", 0)),
    )
