# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""JSON schema of a kernel's machine-readable definition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SCHEMA = "hornbeam-kernel/1"

_NAME = {"type": "string", "pattern": "^[a-z][a-z0-9_]*$", "maxLength": 64}
_NAMES = {"type": "array", "items": _NAME}
_PRODUCTS = {"type": "array", "items": _NAMES}
_VALUES = {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1}
_TEMPLATE = {"type": "string", "pattern": "^[A-Za-z0-9_{}]+$"}
_GEOMETRY = {"anyOf": [_NAME, {"type": "integer", "minimum": 1}]}


def _object(required: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(required),
        "required": list(required),
        "additionalProperties": False,
    }


KERNEL_SCHEMA = _object(
    {
        "schema": {"const": SCHEMA},
        "name": _NAME,
        "operation": _NAME,
        "summary": {"type": "string"},
        "header": {"type": "string", "pattern": r"^[a-z0-9_/]+\.hpp$"},
        "bit_stable": {"type": "boolean"},
        "parameters": {
            "type": "array",
            "items": _object(
                {
                    "name": _NAME,
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
        "constraints": {
            "type": "array",
            "items": _object(
                {
                    "name": _NAME,
                    "product": _NAMES,
                    "at_most": _GEOMETRY,
                    "reason": {"type": "string"},
                }
            ),
        },
        "launch": _object(
            dict.fromkeys(("tile_rows", "tile_cols", "group_rows", "group_cols"), _GEOMETRY)
        ),
        "estimates": _object({"private_elements": _PRODUCTS, "local_elements": _PRODUCTS}),
        "variant_id": _TEMPLATE,
        "id": _TEMPLATE,
    }
)
