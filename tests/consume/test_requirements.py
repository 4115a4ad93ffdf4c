# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The lists of pinned packages hold all that these need: they are installed without a search."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from consumers import ROOT


def lines(path: Path) -> Iterator[str]:
    """The requirements in a list and in those that it includes (-r, beside or below it)."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("-r "):
            yield from lines(path.parent / line.removeprefix("-r ").strip())
        elif line and not line.startswith("#"):
            yield line


def pins(name: str) -> dict[str, Requirement]:
    """Name -> requirement, of those that apply to this interpreter."""
    found = map(Requirement, lines(ROOT / name))
    applying = [pin for pin in found if pin.marker is None or pin.marker.evaluate()]
    return {canonicalize_name(pin.name): pin for pin in applying}


@pytest.mark.parametrize(
    "names",
    [
        ["requirements.txt"],
        ["requirements-sycl.txt"],
        ["requirements.txt", "requirements-distributed.txt"],
        ["requirements.txt", "requirements-study.txt"],
    ],
    ids=" ".join,
)
def test_list_is_closed(names: list[str]) -> None:
    listed = {key: pin for name in names for key, pin in pins(name).items()}
    for pin in listed.values():
        for text in metadata.requires(pin.name) or ():
            needed = Requirement(text)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                assert canonicalize_name(needed.name) in listed, f"{pin} needs {needed}"


@pytest.mark.parametrize("name", sorted(path.name for path in ROOT.glob("requirements*.txt")))
def test_every_version_is_exact(name: str) -> None:
    for pin in pins(name).values():
        assert [specifier.operator for specifier in pin.specifier] == ["=="], str(pin)
