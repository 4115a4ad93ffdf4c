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
        words = _words(_plain(text))
        for maker, patterns in NAMING.makers:
            if any(_matches(patterns, word) for word in words):
                return maker
    words = _words(_without_brackets(_plain(vendor)))
    return words[0][: NAMING.longest_part] if words else NAMING.no_maker


def cpu_architecture(machine: str, *widths: VectorWidths) -> str:
    """Instruction set of a CPU.

    Args:
        machine: as `platform.machine` reports it.
        widths: that it may have, the most trustworthy first; those of no known instruction
            set are passed over.
    """
    if _plain(machine) in NAMING.x86:
        names = {known: name for name, known in NAMING.vectors}
        return next((names[one] for one in widths if one in names), NAMING.other_x86)
    return _part("".join(_words(_plain(machine))))


def device_architecture(name: str, vendor: str) -> str:
    """Family of a GPU or accelerator: its name without maker, marks and versions."""
    plain = _without_brackets(_plain(name).split(":")[0])
    words = [
        word
        for run in re.findall("[a-z0-9.]+", plain)
        if not _is_version(run.strip("."))
        for word in _words(run)
        if word != vendor and not _matches(NAMING.noise, word)
    ]
    return _part("-".join(words[: NAMING.most_words]))


def parse_key(key: str) -> KeyParts | None:
    """Take a key apart; None for a name that is not made like one."""
    found = re.fullmatch("([a-z0-9]+)-(cpu|gpu|accelerator)-([a-z0-9-]+)-([0-9]{1,10})cu", key)
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
    chosen = min(
        keys, key=lambda other: (other != key, _distance(wanted, other), other), default=""
    )
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
    """ASCII in lower case; every other byte of UTF-8 becomes a space."""
    raw = text.encode("utf-8", "replace")[: NAMING.longest_text]
    return bytes(byte if byte < 0x80 else 0x20 for byte in raw).decode("ascii").lower()


def _without_brackets(plain: str) -> str:
    """A text without marks like "(R)" and whatever else stands in brackets."""
    return re.sub(r"\[[^\]]*\]", " ", re.sub(r"\([^)]*\)", " ", plain))


def _words(plain: str) -> list[str]:
    return re.findall("[a-z0-9]+", plain)


def _is_version(run: str) -> bool:
    """Whether a run of letters, digits and dots is a dotted number."""
    return "." in run and not run.strip("0123456789.")


def _matches(patterns: Iterable[str], word: str) -> bool:
    """Whether a word is among those that patterns stand for, see `hornbeam.device_naming`."""
    meaning = {"#": "[0-9]+", "*": ".*"}
    regexes = ("".join(meaning.get(c, c) for c in pattern) for pattern in patterns)
    return any(re.fullmatch(regex, word) for regex in regexes)


def _part(text: str) -> str:
    """An architecture as it stands in a key."""
    return text[: NAMING.longest_part].rstrip("-") or NAMING.no_architecture
