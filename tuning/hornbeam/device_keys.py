# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Device keys: normalised names of devices, and how closely one belongs to another.

A key reads ``<vendor>-<type>-<architecture>-<units>cu``, e.g. ``intel-cpu-avx512-2cu``.
It is made of properties that survive driver updates: never of the raw name alone, which
changes with the driver and holds "(R)" in one version and not in the next.

A library makes the keys of its devices by the same rules, in src/device_key.cpp; tests hold
the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from hornbeam.device_naming import NAMING, VectorWidths
from hornbeam.types import Match

KEY_PATTERN = "^[a-z0-9]+(-[a-z0-9]+)*$"


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
        for maker, pattern in NAMING.makers:
            if re.search(pattern, plain):
                return maker
    words = re.findall(NAMING.word, _plain(vendor))
    return words[0][: NAMING.longest_part] if words else NAMING.no_maker


def cpu_architecture(machine: str, *widths: VectorWidths) -> str:
    """Instruction set of a CPU.

    Args:
        machine: as `platform.machine` reports it.
        widths: that it may have, the most trustworthy first; those of no known instruction
            set are passed over.
    """
    if _plain(machine) in map(_plain, NAMING.x86):
        names = {known: name for name, known in NAMING.vectors}
        return next((names[one] for one in widths if one in names), NAMING.other_x86)
    return _part("".join(re.findall(NAMING.word, _plain(machine))))


def device_architecture(name: str, vendor: str) -> str:
    """Family of a GPU or accelerator: its name without maker, marks and versions."""
    plain = re.sub(NAMING.version, " ", _plain(name).split(":")[0])
    words = re.findall(NAMING.word, re.sub(NAMING.noise, " ", plain))
    return _part("-".join([word for word in words if word != vendor][: NAMING.most_words]))


def parse_key(key: str) -> KeyParts | None:
    """Take a key apart; None for a name that is not made like one."""
    found = re.fullmatch(NAMING.key, key)
    if found is None:
        return None
    return KeyParts(found[1], found[2], found[3], int(found[4]))


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
    wanted = parse_key(key)
    chosen = min(keys, key=lambda other: (other != key, _distance(wanted, other), other), default="")
    return (chosen, match_of(key, chosen)) if chosen else None


def match_of(key: str, other: str) -> Match:
    """How closely a device belongs to the one of another key."""
    if key == other:
        return Match.EXACT
    wanted, parts = parse_key(key), parse_key(other)
    if wanted is None or parts is None:
        return Match.DEFAULT
    family = (wanted.type, wanted.architecture) == (parts.type, parts.architecture)
    return Match.FAMILY if family else Match.DEFAULT


def _distance(wanted: KeyParts | None, key: str) -> tuple[int, int, int, int]:
    """Sort key, the smaller the closer: type, architecture, vendor, units."""
    other = parse_key(key)
    if wanted is None or other is None:
        return (0 if wanted is None else 2, 0, 0, 0)
    return (
        int(other.type != wanted.type),
        int(other.architecture != wanted.architecture),
        int(other.vendor != wanted.vendor),
        abs(other.units - wanted.units),
    )


def _plain(text: str) -> str:
    """ASCII in lower case without marks; every other byte of UTF-8 becomes a space."""
    raw = text.encode("utf-8", "replace")[: NAMING.longest_text]
    ascii_only = bytes(byte if byte < 0x80 else 0x20 for byte in raw).decode("ascii")
    return re.sub(NAMING.marks, " ", ascii_only.lower())


def _part(text: str) -> str:
    """An architecture as it stands in a key."""
    return text[: NAMING.longest_part].strip("-") or NAMING.no_architecture
