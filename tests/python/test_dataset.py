# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Datasets on disk: round trip, and damaged files of which the good part is kept."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hornbeam.cells import cells_of
from hornbeam.dataset import contents, load, save
from hornbeam.dataset_rows import checksum
from hornbeam.errors import DatasetError
from hornbeam.space import all_configurations
from hornbeam.types import Dataset, Status
from tuning_helpers import IDS, MATMUL, PROBLEMS, device, small_dataset

FILE = "matmul-float.csv.gz"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small dataset."""
    place = tmp_path / device().key
    save(place, small_dataset())
    return place


def _rewrite(folder: Path, change: Callable[[list[str]], list[str]]) -> None:
    """Edit the rows of a measurement file."""
    path = folder / FILE
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    path.write_bytes(gzip.compress(("\n".join(change(lines)) + "\n").encode(), mtime=0))


def _signed(text: str) -> str:
    return f"{text},{checksum(text)}"


def test_round_trip(folder: Path) -> None:
    dataset, warnings = load(folder, MATMUL, "float")
    expected = small_dataset()
    assert warnings == []
    assert dataset.problems == tuple(sorted(PROBLEMS))
    assert set(dataset.configurations) == set(expected.configurations)
    np.testing.assert_allclose(dataset.time_s, expected.time_s, rtol=1e-4)
    assert cells_of(dataset).keys() == cells_of(expected).keys()
    assert (dataset.device, dataset.provenance) == (expected.device, expected.provenance)
    failed = dataset.configurations.index(next(c for c in dataset.configurations if c.id == IDS[2]))
    assert dataset.status[0, failed] is Status.WRONG_RESULT
    assert np.isnan(dataset.time_s[0, failed])


def test_what_is_not_known_of_the_device_is_left_out(folder: Path, tmp_path: Path) -> None:
    dataset = small_dataset()
    assert dataset.device.limits.vector_width is None
    assert "vector_width" not in (folder / "device.json").read_text(encoding="utf-8")
    limits = replace(dataset.device.limits, vector_width=16)
    known = replace(dataset, device=replace(dataset.device, limits=limits))
    save(tmp_path / "known", known)
    assert load(tmp_path / "known", MATMUL, "float")[0].device.limits.vector_width == 16


def test_configurations_keep_the_order_of_the_space(folder: Path) -> None:
    dataset, _ = load(folder, MATMUL, "float")
    order = [c.id for c in all_configurations(MATMUL, None)]
    positions = [order.index(c.id) for c in dataset.configurations]
    assert positions == sorted(positions)


def test_saving_is_deterministic_and_idempotent(folder: Path, tmp_path: Path) -> None:
    first = (folder / FILE).read_bytes()
    loaded, _ = load(folder, MATMUL, "float")
    again = save(tmp_path / "again" / device().key, loaded)
    assert (tmp_path / "again" / device().key / FILE).read_bytes() == first
    assert again.digest == loaded.digest
    assert save(folder, small_dataset()).digest == loaded.digest


def test_other_measurements_in_the_folder_are_kept(folder: Path) -> None:
    save(folder, replace(small_dataset(), data_type="double"))
    assert contents(folder) == [("matmul", "double"), ("matmul", "float")]
    assert load(folder, MATMUL, "float")[1] == []


def test_a_folder_of_another_device_is_not_overwritten(folder: Path) -> None:
    other = replace(small_dataset(), device=device("amd-cpu-avx2-8cu"))
    with pytest.raises(DatasetError, match="belongs to device"):
        save(folder, other)


def _full(tmp_path: Path) -> tuple[Path, Dataset]:
    """A dataset large enough that a cut leaves whole rows before it."""
    ids = tuple(c.id for c in all_configurations(MATMUL, None)[:600])
    folder = tmp_path / "full" / device().key
    return folder, save(folder, small_dataset(ids=ids))


@pytest.mark.parametrize("kept", [0.5, 0.9, 0.999])
def test_a_truncated_file_keeps_its_good_part(tmp_path: Path, kept: float) -> None:
    folder, whole = _full(tmp_path)
    stored = (folder / FILE).read_bytes()
    (folder / FILE).write_bytes(stored[: int(kept * len(stored))])
    dataset, warnings = load(folder, MATMUL, "float")
    assert any("ends early" in warning for warning in warnings)
    cells, all_cells = cells_of(dataset), cells_of(whole)
    assert len(cells) > 0.3 * kept * len(all_cells)
    assert cells.keys() <= all_cells.keys()
    assert dataset.digest != whole.digest


@pytest.mark.parametrize("kept", [0, 5, 12])
def test_nothing_usable_is_an_error(folder: Path, kept: int) -> None:
    (folder / FILE).write_bytes((folder / FILE).read_bytes()[:kept])
    with pytest.raises(DatasetError):
        load(folder, MATMUL, "float")


def test_flipped_bytes_never_crash(tmp_path: Path) -> None:
    folder, whole = _full(tmp_path)
    stored = (folder / FILE).read_bytes()
    good = cells_of(whole)
    for position in range(0, len(stored), 97):
        damaged = bytearray(stored)
        damaged[position] ^= 0x55
        (folder / FILE).write_bytes(bytes(damaged))
        try:
            dataset, warnings = load(folder, MATMUL, "float")
        except DatasetError:
            continue
        assert warnings
        assert cells_of(dataset).keys() <= good.keys()


def test_an_edited_row_is_left_out_with_a_warning(folder: Path) -> None:
    def faster(lines: list[str]) -> list[str]:
        fields = lines[1].split(",")
        fields[9] = "1e-09"
        return [lines[0], ",".join(fields), *lines[2:]]

    before, _ = load(folder, MATMUL, "float")
    _rewrite(folder, faster)
    dataset, warnings = load(folder, MATMUL, "float")
    assert np.nanmin(dataset.time_s) > 1e-8
    assert len(cells_of(dataset)) == len(cells_of(before)) - 1
    text = "\n".join(warnings)
    assert "edited or damaged" in text
    assert "1 row(s) left out: wrong checksum" in text


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("64,64,64,1,0,0,register_tile_4x4x4_8x8,ok,3,-1.0,1.0,0.1,0,1", "impossible value"),
        (
            "64,64,64,1,0,0,register_tile_4x4x4_8x8,ok,9223372036854775808,1.0,1.0,,0,1",
            "impossible",
        ),
        ("64,64,64,1,0,0,register_tile_4x4x4_8x8,ok,3,nan,1.0,0.1,0,1", "impossible value"),
        ("64,64,64,1,0,0,register_tile_4x4x4_8x8,ok,3,inf,1.0,0.1,0,1", "impossible value"),
        ("64,64,64,1,0,0,register_tile_4x4x4_8x8,ok,3,1.0,1.0,0.1,2,1", "impossible value"),
        ("64,64,64,1,0,0,register_tile_4x4x4_8x8,fine,3,1.0,1.0,0.1,0,1", "impossible value"),
        ("64,0,64,1,0,0,register_tile_4x4x4_8x8,ok,3,1.0,1.0,0.1,0,1", "impossible value"),
        ("64,64,64,1,0,0,register_tile_4x4x4_8x8,ok,3,1.0", "wrong number of columns"),
        ("64,64,64,1,0,0,register_tile_9x9x9_8x8,ok,3,1.0,1.0,0.1,0,1", "unknown configuration"),
        ('64,64,64,1,0,0,x");system("id,ok,3,1.0,1.0,0.1,0,1', "malformed configuration id"),
    ],
)
def test_nonsense_is_left_out_even_with_a_right_checksum(
    folder: Path, row: str, fault: str
) -> None:
    before = cells_of(load(folder, MATMUL, "float")[0])
    _rewrite(folder, lambda lines: [*lines, _signed(row)])
    dataset, warnings = load(folder, MATMUL, "float")
    assert cells_of(dataset).keys() == before.keys()
    assert any(fault in warning for warning in warnings), warnings


def test_repeated_rows_count_once(folder: Path) -> None:
    _rewrite(folder, lambda lines: [*lines, lines[1]])
    _, warnings = load(folder, MATMUL, "float")
    assert any("repeated" in warning for warning in warnings)


def test_a_foreign_header_is_an_error(folder: Path) -> None:
    _rewrite(folder, lambda lines: ["a,b,c", *lines[1:]])
    with pytest.raises(DatasetError, match="header"):
        load(folder, MATMUL, "float")


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "hornbeam-device/2"},
        {"measurements": "none"},
        {"device": {"key": "../../etc"}},
    ],
)
def test_a_bad_description_names_the_file(folder: Path, change: dict[str, object]) -> None:
    path = folder / "device.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(DatasetError, match=r"device\.json"):
        load(folder, MATMUL, "float")


@pytest.mark.parametrize("name", ["../secret.csv.gz", "/etc/passwd", "matmul-double.csv.gz"])
def test_the_description_cannot_name_another_file(folder: Path, name: str) -> None:
    path = folder / "device.json"
    description = json.loads(path.read_text())
    description["measurements"][0]["file"] = name
    path.write_text(json.dumps(description))
    with pytest.raises(DatasetError):
        load(folder, MATMUL, "float")


def test_a_torn_description_is_an_error(folder: Path) -> None:
    path = folder / "device.json"
    path.write_text(path.read_text()[:100])
    with pytest.raises(DatasetError, match="not valid JSON"):
        load(folder, MATMUL, "float")


def test_what_is_not_there_is_named(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="no measurements of matmul double, but matmul float"):
        load(folder, MATMUL, "double")
    shutil.rmtree(folder)
    with pytest.raises(DatasetError, match="cannot be read"):
        load(folder, MATMUL, "float")
