# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Storing new measurements: united with those that compare, never over better ones."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hornbeam.cells import Cell, build_dataset, cells_of, settled
from hornbeam.dataset import load, save
from hornbeam.errors import DatasetError
from hornbeam.keeping import check_writable, keep
from hornbeam.store import keys
from hornbeam.types import Dataset, Problem, Status
from tuning_helpers import IDS, MATMUL, PROBLEMS, device, small_dataset

OTHER: tuple[Problem, ...] = ((5, 6, 7, 1, 0, 0),)


def _one_cell() -> Dataset:
    dataset = small_dataset()
    cells = {(OTHER[0], IDS[0]): Cell(Status.OK, 3, 1e-3, 1e-3, 0.1)}
    return build_dataset(MATMUL, "float", dataset.device, dataset.provenance, cells)


def _of_another_driver(dataset: Dataset) -> Dataset:
    return replace(dataset, provenance=replace(dataset.provenance, driver="driver 2"))


def _stored(place: Path, data_type: str = "float") -> Dataset:
    dataset, warnings = load(place, MATMUL, data_type)
    assert warnings == []
    return dataset


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Folder of the device in a folder of datasets."""
    return tmp_path / device().key


def test_the_first_measurements_are_stored(place: Path) -> None:
    kept = keep(place, small_dataset(), replace_better=False)
    assert kept.warnings == ()
    assert kept.dataset is not None
    assert kept.dataset.digest == _stored(place).digest


def test_measurements_that_compare_are_united(place: Path) -> None:
    save(place, small_dataset())
    kept = keep(place, _one_cell(), replace_better=False)
    assert kept.warnings == ()
    stored = cells_of(_stored(place))
    assert {problem for problem, _ in stored} == {*PROBLEMS, *OTHER}
    assert len(stored) == settled(small_dataset()) + 1


def test_other_configurations_stand_beside_those_that_are_stored(place: Path) -> None:
    before = save(place, small_dataset())
    id = "register_tile_8x8x8_8x8"
    cells = {(PROBLEMS[1], id): Cell(Status.OK, 3, 1e-3, 1e-3, 0.1)}
    other = build_dataset(MATMUL, "float", before.device, before.provenance, cells)
    assert keep(place, other, replace_better=False).warnings == ()
    stored = _stored(place)
    assert set(cells_of(stored)) == {*cells_of(before), *cells}
    old = [stored.configurations.index(c) for c in before.configurations]
    np.testing.assert_array_equal(stored.time_s[:, old], before.time_s)
    column = [c.id for c in stored.configurations].index(id)
    assert stored.status[stored.problems.index(PROBLEMS[0]), column] is None
    assert np.isnan(stored.time_s[:, column]).sum() == 1, "not measured is not zero"


def test_fewer_measurements_of_another_driver_do_not_replace_more(place: Path) -> None:
    save(place, small_dataset())
    before = {path: path.read_bytes() for path in place.iterdir()}
    kept = keep(place, _of_another_driver(_one_cell()), replace_better=False)
    assert kept.dataset is None
    (warning,) = kept.warnings
    assert "7 matmul float measurements are of another driver" in warning
    assert "1 new ones are fewer" in warning
    assert {path: path.read_bytes() for path in place.iterdir()} == before


def test_what_is_replaced_on_request_is_kept_aside(place: Path) -> None:
    save(place, small_dataset())
    save(place, replace(small_dataset(), data_type="double"))
    old = (place / "matmul-float.csv.gz").read_bytes()
    new = _of_another_driver(_one_cell())
    kept = keep(place, new, replace_better=True)
    assert kept.dataset is not None
    assert _stored(place).problems == OTHER
    assert "a copy is matmul-float.csv.gz.replaced-1" in kept.warnings[0]
    assert (place / "matmul-float.csv.gz.replaced-1").read_bytes() == old
    assert _stored(place, "double").problems == tuple(sorted(PROBLEMS))
    assert keys([place.parent]) == [device().key], "what is kept aside is nobody's dataset"


def test_what_was_kept_aside_is_never_overwritten(place: Path) -> None:
    for driver in ("driver 1", "driver 2", "driver 3"):
        dataset = small_dataset()
        provenance = replace(dataset.provenance, driver=driver)
        keep(place, replace(dataset, provenance=provenance), replace_better=False)
    assert len(list(place.glob("matmul-float.csv.gz.replaced-*"))) == 2
    for name in ("matmul-float.csv.gz", "device.json"):
        (place / name).unlink()
        (place / f"{name}.replaced-1").rename(place / name)
    assert _stored(place).provenance.driver == "driver 1", "and can be put back"


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"schema": "hornbeam-device/9"}'])
def test_a_damaged_description_is_set_aside(place: Path, damage: bytes) -> None:
    save(place, small_dataset())
    old = (place / "matmul-float.csv.gz").read_bytes()
    (place / "device.json").write_bytes(damage)
    kept = keep(place, _one_cell(), replace_better=False)
    assert kept.dataset is not None
    assert _stored(place).problems == OTHER
    assert "set aside as *.damaged-1" in kept.warnings[0]
    assert (place / "device.json.damaged-1").read_bytes() == damage
    assert (place / "matmul-float.csv.gz.damaged-1").read_bytes() == old


def test_a_description_of_another_device_is_set_aside(place: Path) -> None:
    save(place, replace(small_dataset(), device=device("amd-cpu-avx2-2cu")))
    kept = keep(place, small_dataset(), replace_better=False)
    assert kept.dataset is not None
    assert "belongs to device 'amd-cpu-avx2-2cu'" in kept.warnings[0]
    assert _stored(place).device.key == device().key


def test_the_good_part_of_damaged_measurements_is_kept(place: Path) -> None:
    save(place, small_dataset())
    file = place / "matmul-float.csv.gz"
    content = gzip.decompress(file.read_bytes())
    file.write_bytes(gzip.compress(content.replace(b",ok,", b",OK,", 1)))
    damaged = file.read_bytes()
    kept = keep(place, _one_cell(), replace_better=False)
    assert any("damaged measurements are set aside" in warning for warning in kept.warnings)
    assert (place / "matmul-float.csv.gz.damaged-1").read_bytes() == damaged
    assert settled(_stored(place)) == settled(small_dataset()) - 1 + 1


def test_measurements_damaged_beyond_use_are_set_aside(place: Path) -> None:
    save(place, small_dataset())
    (place / "matmul-float.csv.gz").write_bytes(b"nonsense")
    kept = keep(place, small_dataset(), replace_better=False)
    assert kept.dataset is not None
    assert "matmul-float.csv.gz.damaged-1" in kept.warnings[0]
    (place / "matmul-float.csv.gz").unlink()
    assert keep(place, small_dataset(), replace_better=False).dataset is not None


def test_folders_are_tried_before_they_are_needed(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "folder", "")
    assert list((tmp_path / "new" / "folder").iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(DatasetError, match="cannot be written: Not a directory; name another"):
        check_writable(tmp_path / "file" / "folder", "name another")
