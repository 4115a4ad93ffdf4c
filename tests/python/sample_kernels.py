# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Definitions of kernels that do not exist, beside those that do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from hornbeam.kernel_definition import KernelDefinition, load_definition
from hornbeam.operations import Operation, get_operation


def _parameter(name: str, values: list[int], stage: str = "compile") -> dict[str, Any]:
    return {"name": name, "values": values, "stage": stage, "meaning": name}


WIDE = {
    "schema": "hornbeam-kernel/1",
    "name": "wide",
    "operation": "matmul",
    "summary": "Many parameters, some of them bound to one another.",
    "header": "hornbeam/kernels/wide.hpp",
    "bit_stable": True,
    "parameters": [
        _parameter("rows", [4, 6, 8]),
        _parameter("cols", [16, 24, 32]),
        _parameter("width", [8, 16]),
        _parameter("row_block", [12, 16, 24]),
        _parameter("group_cols", [1, 2, 4], "launch"),
    ],
    "combinations": {"rows cols width": [[4, 24, 8], [6, 16, 8], [6, 16, 16], [8, 32, 16]]},
    "constraints": [
        {
            "name": "whole_tiles",
            "parameter": "row_block",
            "multiple_of": "rows",
            "reason": "a block is made of whole tiles",
        },
        {
            "name": "vector_width",
            "product": ["width"],
            "at_most": "vector_width",
            "reason": "the device has no such vectors",
        },
    ],
    "launch": {"tile_rows": "row_block", "tile_cols": "cols", "group_rows": 1, "group_cols": 1},
    "estimates": {
        "register_elements": [["rows", "cols"], ["cols"]],
        "local_elements": [],
        "compile_cost": 3,
    },
    "variant_id": "wide_{rows}x{cols}x{width}_{row_block}",
    "id": "wide_{rows}x{cols}x{width}_{row_block}_{group_cols}",
}

NARROW = {
    **WIDE,
    "name": "narrow",
    "summary": "One parameter; no value keeps the registers busy.",
    "header": "hornbeam/kernels/narrow.hpp",
    "parameters": [_parameter("width", [2, 4, 8])],
    "combinations": {},
    "constraints": [],
    "launch": {"tile_rows": 1, "tile_cols": "width", "group_rows": 1, "group_cols": 64},
    "estimates": {**WIDE["estimates"], "register_elements": [["width"]]},
    "variant_id": "narrow_{width}",
    "id": "narrow_{width}",
}


def sample_kernel(folder: Path, document: dict[str, Any], **changes: object) -> KernelDefinition:
    """A definition, some of its members changed, as it is read from a file."""
    path = folder / f"{document['name']}.json"
    path.write_text(json.dumps({**document, **changes}), encoding="utf-8")
    return load_definition(path)


def with_kernels(*kernels: KernelDefinition) -> Operation:
    """Matrix multiplication by these kernels, the default configuration's and the fallback's."""
    matmul = get_operation("matmul")
    own = [k for k in matmul.kernels if matmul.default_configuration.startswith(k.name)]
    return replace(matmul, kernels=(*kernels, *own, matmul.kernels[-1]))
