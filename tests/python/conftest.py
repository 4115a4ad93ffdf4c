# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests of the tuning package."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from build_world import World
from command_world import Commands
from hornbeam import paths
from hornbeam.bench import contention


@pytest.fixture(scope="session", autouse=True)
def user_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The user's cache folder, hidden from all but those who ask for it."""
    found = paths.cache_dir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield found


@pytest.fixture(autouse=True)
def _an_idle_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans are cut down where the machine is busy, and it may be."""
    monkeypatch.setattr(contention, "_QUIET", math.inf)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """Everything a build depends on, made up."""
    return World(tmp_path, monkeypatch)


@pytest.fixture
def commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Commands:
    """The command line, with a stored dataset, no device and nothing of the user's in reach."""
    return Commands(tmp_path, monkeypatch, capsys)
