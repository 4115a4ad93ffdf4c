# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""JSON from strangers: parsed as the standard has it, within the limits of 64-bit machines."""

from __future__ import annotations

import json
import math
from typing import Any

_LONGEST_INTEGER = 20


def loads(text: str) -> object:
    """Parse a JSON document.

    Raises:
        ValueError: where it is no JSON, nested too deep, gives a name twice in an object, or
            holds a number beyond float64 or 64 bits, or text that is no Unicode.
    """
    try:
        document: object = json.loads(
            text,
            parse_int=_integer,
            parse_float=_finite,
            parse_constant=_finite,
            object_pairs_hook=_object,
        )
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    if "\\u" in text:  # half a surrogate pair, which could not be written again
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    return document


def _integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]} is not a finite number")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        raise ValueError("an object gives a name twice")
    return document
