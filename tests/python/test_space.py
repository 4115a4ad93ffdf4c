# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Kernel definitions and the spaces they span."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hornbeam import paths
from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.kernel_definition import load_definition
from hornbeam.operations import get_operation
from hornbeam.space import (
    all_configurations,
    configuration_from_id,
    configuration_order,
    enumerate_configurations,
    kernel_of,
    rejections,
)
from hornbeam.types import DeviceLimits

MATMUL = get_operation("matmul")
REGISTER_TILE = MATMUL.kernels[0]


def test_register_tile_has_the_papers_configurations() -> None:
    configurations = enumerate_configurations(REGISTER_TILE, DeviceLimits(8192, 0, 2))
    narrow = [c for c in configurations if c.parameters["cols"] <= 8]
    assert len({c.variant_id for c in narrow}) == 64
    assert len(narrow) == 640
    assert len(configurations) == 790


def test_ids_are_unique_c_identifiers() -> None:
    ids = [c.id for c in all_configurations(MATMUL, None)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_]{1,96}", id) for id in ids)


def test_order_is_deterministic_and_variants_lie_together() -> None:
    configurations = enumerate_configurations(REGISTER_TILE, None)
    assert configurations[0].id == "register_tile_1x1x1_1x64"
    variants = [c.variant_id for c in configurations]
    assert variants == [v for v in dict.fromkeys(variants) for _ in range(10)]
    assert list(configuration_order(MATMUL))[:3] == [c.id for c in configurations[:3]]


def test_device_limits_reject_work_groups() -> None:
    small = DeviceLimits(max_work_group_size=64, local_memory_bytes=0, compute_units=1)
    assert len(enumerate_configurations(REGISTER_TILE, small)) == 79 * 3
    counts = rejections(REGISTER_TILE, small)
    assert counts["work_group_size"] + counts["unrolled_size"] + 79 * 3 == 800
    assert rejections(REGISTER_TILE, None) == {"work_group_size": 0, "unrolled_size": 10}


@pytest.mark.parametrize("configuration", all_configurations(MATMUL, None)[::97])
def test_ids_resolve(configuration: Any) -> None:
    assert configuration_from_id(MATMUL, configuration.id) == configuration


@pytest.mark.parametrize("id", ["", "register_tile_3x3x3_8x8", "x" * 500, "reference; rm -rf"])
def test_unknown_ids_are_an_error(id: str) -> None:
    with pytest.raises(ConfigurationError, match="unknown configuration"):
        configuration_from_id(MATMUL, id)


def test_geometry_and_template_arguments() -> None:
    configuration = configuration_from_id(MATMUL, "register_tile_2x4x8_16x16")
    kernel = kernel_of(MATMUL, configuration)
    assert str(kernel.geometry(configuration)) == "2,8,16,16"
    assert kernel.template_arguments(configuration) == (2, 4, 8)
    assert kernel.elements(kernel.private_elements, configuration) == 2 * 8 + 2 * 4 + 4 * 8
    reference = configuration_from_id(MATMUL, "reference")
    assert str(kernel_of(MATMUL, reference).geometry(reference)) == "1,1,1,64"


def _changed(tmp_path: Path, **changes: object) -> Path:
    text = (paths.kernel_definition_dir() / "register_tile.json").read_text(encoding="utf-8")
    path = tmp_path / "kernel.json"
    path.write_text(json.dumps({**json.loads(text), **changes}), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "hornbeam-kernel/9"}, "schema"),
        ({"surprise": 1}, "surprise"),
        ({"id": "register_tile"}, "share an id"),
        ({"combinations": {"rows nonsense": [[1, 2]]}}, "nonsense"),
        ({"combinations": {"group_rows group_cols": [[1]]}}, "wrong length"),
        (
            {"constraints": [{"name": "x", "product": ["rows"], "at_most": "luck", "reason": ""}]},
            "luck",
        ),
    ],
)
def test_bad_definitions_are_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    with pytest.raises(DatasetError, match=message):
        load_definition(_changed(tmp_path, **changes))


def test_missing_definition_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"nothing\.json: cannot be read"):
        load_definition(tmp_path / "nothing.json")


def test_every_kernel_has_its_header() -> None:
    for kernel in MATMUL.kernels:
        assert (paths.include_dir() / kernel.header).exists()
