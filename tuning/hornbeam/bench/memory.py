# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How much memory operands must rotate through so that no cache keeps them between launches."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

CPU_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_ASSUMED_CACHE_BYTES = 32 << 20


@dataclass(frozen=True)
class Rotation:
    """Memory that operands rotate through.

    Attributes:
        size_bytes: of all copies of the operands.
        beyond_cache: whether that is twice the last-level cache; less where memory is short.
    """

    size_bytes: int
    beyond_cache: bool


def last_level_cache_bytes(folder: Path = CPU_CACHES) -> int:
    """Size of the largest cache of the first CPU; 32 MiB where the system does not tell."""
    sizes = [0]
    for path in folder.glob("index*/size"):
        found = re.fullmatch(r"(\d+)([KMG]?)", path.read_text(encoding="ascii").strip())
        if found:
            sizes.append(int(found[1]) * _UNITS[found[2]])
    return max(sizes) or _ASSUMED_CACHE_BYTES


def rotation() -> Rotation:
    """Twice the last-level cache, but at most an eighth of the memory."""
    wanted = 2 * last_level_cache_bytes()
    bound = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 8
    return Rotation(min(wanted, bound), wanted <= bound)
