# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The user's cache folder, with and without a home."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from hornbeam import doctor, drivers, paths
from hornbeam.errors import ConfigurationError


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No folder of the user's own: returns the one that stands in for it, not yet made."""
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    return tmp_path / f"hornbeam-{os.getuid()}"


def test_the_cache_follows_the_users_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert paths.cache_dir() == tmp_path / ".cache" / "hornbeam"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert paths.cache_dir() == tmp_path / "xdg" / "hornbeam"
    assert list(tmp_path.iterdir()) == [], "asking makes nothing"


def test_without_a_home_a_private_folder_stands_in(homeless: Path) -> None:
    assert paths.cache_dir() == homeless
    assert homeless.stat().st_mode & 0o777 == 0o700
    homeless.chmod(0o777)
    assert paths.cache_dir() == homeless
    assert homeless.stat().st_mode & 0o777 == 0o700


def _link(folder: Path) -> None:
    folder.with_name("elsewhere").mkdir()
    folder.symlink_to(folder.with_name("elsewhere"))


@pytest.mark.parametrize("make", [_link, Path.touch])
def test_what_others_may_have_put_there_is_refused(homeless: Path, make: object) -> None:
    make(homeless)  # type: ignore[operator]
    with pytest.raises(ConfigurationError, match="set XDG_CACHE_HOME"):
        paths.cache_dir()


def test_a_folder_of_somebody_else_is_refused(
    homeless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    somebody = os.getuid() + 1
    homeless.with_name(f"hornbeam-{somebody}").mkdir()
    monkeypatch.setattr(os, "getuid", lambda: somebody)
    with pytest.raises(ConfigurationError, match="is not a folder of yours"):
        paths.cache_dir()


def test_a_refused_folder_does_not_stop_questions(
    homeless: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)
    homeless.touch()
    assert drivers.environment(Path("/nowhere")) == {}
    (cache,) = [check for check in doctor.doctor() if check.name == "cache folder"]
    assert cache.ok is False
    assert "XDG_CACHE_HOME" in cache.advice
