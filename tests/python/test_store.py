# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The search path of datasets and the choice among them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hornbeam import paths
from hornbeam.dataset import save
from hornbeam.errors import ConfigurationError
from hornbeam.store import find, keys, own_dataset_dir, search_path
from hornbeam.types import Match
from tuning_helpers import MATMUL, device, small_dataset


def _store(place: Path, key: str, scale: float = 1.0, data_type: str = "float") -> Path:
    dataset = replace(small_dataset(scale=scale), device=device(key), data_type=data_type)
    save(place / key, dataset)
    return place / key


def test_the_users_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HORNBEAM_DATASET_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert search_path() == [tmp_path / "hornbeam/datasets", paths.shipped_dataset_dir()]
    monkeypatch.setenv("HORNBEAM_DATASET_DIR", str(tmp_path / "mine"))
    assert own_dataset_dir() == tmp_path / "mine"
    assert search_path(tmp_path / "option")[0] == tmp_path / "option"


def test_levels_of_match(tmp_path: Path) -> None:
    for key in ("intel-cpu-avx512-8cu", "amd-cpu-avx2-4cu"):
        _store(tmp_path, key)

    def level(key: str) -> tuple[str, Match] | None:
        found = find(MATMUL, "float", device(key), [tmp_path])
        return None if found is None else (found.key, found.match)

    assert level("intel-cpu-avx512-8cu") == ("intel-cpu-avx512-8cu", Match.EXACT)
    assert level("intel-cpu-avx512-2cu") == ("intel-cpu-avx512-8cu", Match.FAMILY)
    assert level("intel-cpu-avx2-2cu") == ("amd-cpu-avx2-4cu", Match.FAMILY)
    assert level("arm-cpu-aarch64-6cu") == ("amd-cpu-avx2-4cu", Match.DEFAULT)


def test_an_exact_match_beats_the_order_of_folders(tmp_path: Path) -> None:
    _store(tmp_path / "own", "intel-cpu-avx512-8cu")
    shipped = _store(tmp_path / "shipped", "intel-cpu-avx512-2cu")
    places = [tmp_path / "own", tmp_path / "shipped"]
    found = find(MATMUL, "float", device("intel-cpu-avx512-2cu"), places)
    assert found is not None
    assert found.folder == shipped
    assert [path.name for path in found.files] == ["device.json", "matmul-float.csv.gz"]


def test_own_measurements_beat_shipped_ones(tmp_path: Path) -> None:
    own = _store(tmp_path / "own", "intel-cpu-avx512-2cu", scale=3.0)
    _store(tmp_path / "shipped", "intel-cpu-avx512-2cu")
    places = [tmp_path / "own", tmp_path / "shipped"]
    found = find(MATMUL, "float", "intel-cpu-avx512-2cu", places)
    assert found is not None
    assert found.folder == own


def test_damaged_own_measurements_are_passed_over(tmp_path: Path) -> None:
    own = _store(tmp_path / "own", "intel-cpu-avx512-2cu")
    shipped = _store(tmp_path / "shipped", "intel-cpu-avx512-2cu")
    places = [tmp_path / "own", tmp_path / "shipped"]
    for name in ("matmul-float.csv.gz", "device.json"):
        (own / name).write_bytes(b"nonsense")
        found = find(MATMUL, "float", device(), places)
        assert found is not None
        assert (found.folder, found.match) == (shipped, Match.EXACT)
        assert any("left out" in warning for warning in found.warnings)


def test_a_folder_named_after_another_device_is_passed_over(tmp_path: Path) -> None:
    _store(tmp_path, "intel-cpu-avx512-2cu").rename(tmp_path / "amd-cpu-avx2-2cu")
    assert keys([tmp_path]) == []


def test_unknown_keys_list_the_known_ones(tmp_path: Path) -> None:
    _store(tmp_path, "intel-cpu-avx512-2cu")
    with pytest.raises(ConfigurationError, match=r"'vax'; stored: intel-cpu-avx512-2cu"):
        find(MATMUL, "float", "vax", [tmp_path])
    with pytest.raises(ConfigurationError, match="none"):
        find(MATMUL, "float", "vax", [tmp_path / "missing"])


def test_what_was_never_measured_is_not_found(tmp_path: Path) -> None:
    assert find(MATMUL, "float", device(), [tmp_path]) is None
    _store(tmp_path, "intel-cpu-avx512-2cu")
    assert find(MATMUL, "double", device(), [tmp_path]) is None
    assert find(MATMUL, "double", "intel-cpu-avx512-2cu", [tmp_path]) is None


def test_another_devices_data_serves_where_the_type_is_missing(tmp_path: Path) -> None:
    _store(tmp_path, "intel-cpu-avx512-2cu")
    _store(tmp_path, "intel-cpu-avx512-16cu", data_type="double")
    found = find(MATMUL, "double", device(), [tmp_path])
    assert found is not None
    assert (found.key, found.match) == ("intel-cpu-avx512-16cu", Match.FAMILY)
