# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Values written as C++ and CMake source, so that no text can leave its literal or comment."""

from __future__ import annotations

import math
import re

_PLAIN = re.compile(rb"[A-Za-z0-9 _.,:;()<>=+*/&|@#%^~{}\[\]!$'-]")
_COMMENT = re.compile(r"[^A-Za-z0-9 _.,:;()<>=+%-]")


def cpp_string(text: str) -> str:
    """Return a C++ string literal.

    Everything but plain ASCII becomes an octal escape of three digits, question marks too:
    neither quotes, line ends, backslashes nor trigraphs of the text reach the source.
    """
    body = "".join(
        chr(byte) if _PLAIN.match(bytes([byte])) else f"\\{byte:03o}"
        for byte in text.encode("utf-8", errors="replace")
    )
    return f'"{body}"'


def cpp_comment(text: str) -> str:
    """Return text for a ``//`` comment: what could end or continue it becomes ``_``."""
    return _COMMENT.sub("_", text)


def cpp_double(value: float) -> str:
    """Return a C++ expression for exactly this float64."""
    if math.isfinite(value):
        return repr(float(value))
    if math.isnan(value):
        return "std::numeric_limits<double>::quiet_NaN()"
    sign = "-" if value < 0 else ""
    return f"{sign}std::numeric_limits<double>::infinity()"


def cpp_share(value: float) -> str:
    """Return a float literal for a share, rounded to five digits; unknown becomes NaN."""
    if math.isnan(value):
        return "std::numeric_limits<float>::quiet_NaN()"
    return f"{value:.5f}F"


def cmake_bracket(text: str) -> str:
    """Return a CMake bracket argument: nothing inside is evaluated or ends it early."""
    level = 0
    while f"]{'=' * level}]" in f"{text}]{'=' * level}":
        level += 1
    fence = "=" * level
    return f"[{fence}[{text}]{fence}]"
