# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Device keys: normalised names of devices, and how closely one belongs to another.

A key reads ``<vendor>-<type>-<architecture>-<units>cu``, e.g. ``intel-cpu-avx512-2cu``.
It is made of properties that survive driver updates: never of the raw name alone, which
changes with the driver and holds "(R)" in one version and not in the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hornbeam.types import Match

KEY_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"

_MAKERS = (
    ("amd", r"\b(amd|epyc|ryzen|radeon|opteron|athlon|threadripper|gfx\d+\w*)\b"),
    ("intel", r"\b(intel|xeon|pentium|celeron|iris|arc)\b"),
    ("nvidia", r"\b(nvidia|geforce|quadro|tesla)\b"),
    ("arm", r"\b(arm|mali|cortex|neoverse)\b"),
    ("qualcomm", r"\b(qualcomm|adreno|snapdragon|oryon)\b"),
    ("imagination", r"\b(imagination|powervr)\b"),
    ("apple", r"\bapple\b"),
)
_NOISE = r"\([^)]*\)|\[[^\]]*\]|\b(graphics|gpu|series|corporation|processor|with)\b"
_VERSION = r"\b\d+(\.\d+){1,}\b|\br\d+p\d+\b"
_FLOAT_WIDTHS = {16: "avx512", 8: "avx2", 4: "sse42"}
_KEY = re.compile(
    r"(?P<vendor>[a-z0-9]+)-(?P<type>cpu|gpu|accelerator)-(?P<architecture>[a-z0-9-]+)-(?P<units>\d+)cu"
)


@dataclass(frozen=True)
class KeyParts:
    """A device key taken apart; `units` counts compute units."""

    vendor: str
    type: str
    architecture: str
    units: int

    def __str__(self) -> str:
        """The key."""
        return f"{self.vendor}-{self.type}-{self.architecture}-{self.units}cu"


def hardware_vendor(name: str, vendor: str) -> str:
    """Maker of the hardware.

    Args:
        name: of the device; it decides, since a driver for any CPU reports its own maker.
        vendor: as the driver reports it, used where the name says nothing.
    """
    for text in (name, vendor):
        plain = _plain(text)
        for maker, pattern in _MAKERS:
            if re.search(pattern, plain):
                return maker
    words = re.findall(r"[a-z0-9]+", _plain(vendor))
    return words[0] if words else "unknown"


def cpu_architecture(machine: str, native_vector_width_float: int) -> str:
    """Instruction set of a CPU.

    Args:
        machine: as `platform.machine` reports it.
        native_vector_width_float: elements, as the driver reports it.
    """
    if machine.lower() in ("x86_64", "amd64", "i686", "i386"):
        return _FLOAT_WIDTHS.get(native_vector_width_float, "x86")
    return re.sub(r"[^a-z0-9]+", "", machine.lower()) or "generic"


def device_architecture(name: str, vendor: str) -> str:
    """Family of a GPU or accelerator: its name without maker, marks and versions."""
    plain = re.sub(_NOISE, " ", re.sub(_VERSION, " ", name.lower().split(":")[0]))
    words = [word for word in re.findall(r"[a-z0-9]+", plain) if word != vendor]
    return "-".join(words[:6]) or "generic"


def parse_key(key: str) -> KeyParts | None:
    """Take a key apart; None for a name that is not made like one."""
    found = _KEY.fullmatch(key)
    if found is None:
        return None
    return KeyParts(found["vendor"], found["type"], found["architecture"], int(found["units"]))


def closest(key: str, keys: Iterable[str]) -> tuple[str, Match] | None:
    """The key that is closest to another.

    Args:
        key: of the device at hand.
        keys: to choose from.

    Returns:
        The key chosen and how it matches: exact; family, the same type and architecture
        with the closest number of units, the same vendor preferred; default, the closest
        of the same type, else any. None where there is nothing to choose from.
    """
    known = sorted(set(keys))
    if key in known:
        return key, Match.EXACT
    if not known:
        return None
    wanted = parse_key(key)
    if wanted is None:
        return known[0], Match.DEFAULT
    chosen = min(known, key=lambda other: _distance(wanted, parse_key(other)))
    parts = parse_key(chosen)
    family = parts is not None and (parts.type, parts.architecture) == (
        wanted.type,
        wanted.architecture,
    )
    return chosen, Match.FAMILY if family else Match.DEFAULT


def _distance(wanted: KeyParts, other: KeyParts | None) -> tuple[int, int, int, int]:
    """Sort key, the smaller the closer: type, architecture, vendor, units."""
    if other is None:
        return (2, 0, 0, 0)
    return (
        int(other.type != wanted.type),
        int(other.architecture != wanted.architecture),
        int(other.vendor != wanted.vendor),
        abs(other.units - wanted.units),
    )


def _plain(text: str) -> str:
    return re.sub(r"\((r|tm|c)\)|[®™]", " ", text.lower()).replace("_", " ")
