# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""JSON schema of a kernel's machine-readable definition."""

from __future__ import annotations

from hornbeam.schemas import WORD, object_of

SCHEMA = "hornbeam-kernel/1"
ESTIMATES = ("register_elements", "local_elements")
"""Sums of products of parameters."""

_PRODUCT = {"type": "array", "items": {"anyOf": [WORD, {"type": "integer", "minimum": 1}]}}
_PRODUCTS = {"type": "array", "items": _PRODUCT}
_VALUES = {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1}
_TEMPLATE = {"type": "string", "pattern": r"^([A-Za-z0-9_]|\{[a-z][a-z0-9_]*\})+$"}
_GEOMETRY = {"anyOf": [WORD, {"type": "integer", "minimum": 1}]}
_TILES = ("tile_rows", "tile_cols", "group_rows", "group_cols")
_LAUNCHES = (_TILES, (*_TILES, "least_rows", "least_cols"), (*_TILES, "slices", "least_k"))
_REASONED = {"name": WORD, "reason": {"type": "string"}}
_CONSTRAINT = {
    "anyOf": [
        object_of({**_REASONED, "product": _PRODUCT, "at_most": _GEOMETRY}),
        object_of({**_REASONED, "estimate": {"enum": ESTIMATES}, "at_most": _GEOMETRY}),
        object_of({**_REASONED, "parameter": WORD, "multiple_of": _GEOMETRY}),
    ]
}


KERNEL_SCHEMA = object_of(
    {
        "schema": {"const": SCHEMA},
        "name": WORD,
        "operation": WORD,
        "summary": {"type": "string"},
        "header": {"type": "string", "pattern": r"^[a-z0-9_/]+\.hpp$"},
        "bit_stable": {"type": "boolean"},
        "parameters": {
            "type": "array",
            "items": object_of(
                {
                    "name": WORD,
                    "values": _VALUES,
                    "stage": {"enum": ["compile", "launch"]},
                    "meaning": {"type": "string"},
                }
            ),
        },
        "combinations": {
            "type": "object",
            "additionalProperties": {"type": "array", "items": _VALUES, "minItems": 1},
        },
        "constraints": {"type": "array", "items": _CONSTRAINT},
        "launch": {"oneOf": [object_of(dict.fromkeys(names, _GEOMETRY)) for names in _LAUNCHES]},
        "estimates": object_of(
            {
                **dict.fromkeys(ESTIMATES, _PRODUCTS),
                "compile_cost": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000},
            }
        ),
        "variant_id": _TEMPLATE,
        "id": _TEMPLATE,
    }
)
