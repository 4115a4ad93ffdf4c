# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Kernel definitions and the spaces they span."""

from __future__ import annotations

import json
import re
from dataclasses import replace
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
    measurable,
    rejections,
)
from hornbeam.types import DeviceLimits
from sample_kernels import NARROW, WIDE, sample_kernel, with_kernels

MATMUL = get_operation("matmul")
REGISTER_TILE = next(kernel for kernel in MATMUL.kernels if kernel.name == "register_tile")
ANY_DEVICE = DeviceLimits(max_work_group_size=8192, local_memory_bytes=0, compute_units=2)


def test_register_tile_has_the_papers_configurations() -> None:
    configurations = enumerate_configurations(REGISTER_TILE, ANY_DEVICE)
    narrow = [c for c in configurations if c.parameters["cols"] <= 8]
    assert len({c.variant_id for c in narrow}) == 64
    assert len(narrow) == 640
    assert len(configurations) == 790, "with the tiles of 16 columns that unroll to 512 at most"


def test_ids_are_unique_c_identifiers() -> None:
    ids = [c.id for c in all_configurations(MATMUL, None)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[A-Za-z0-9_]{1,96}", id) for id in ids)


def test_order_is_deterministic_and_variants_lie_together() -> None:
    configurations = enumerate_configurations(REGISTER_TILE, None)
    assert configurations[0].id == "register_tile_1x1x1_1x64"
    variants = [c.variant_id for c in configurations]
    assert variants == [v for v in dict.fromkeys(variants) for _ in range(10)]
    order = list(configuration_order(MATMUL))
    assert order == [
        c.id for kernel in MATMUL.kernels for c in enumerate_configurations(kernel, None)
    ]


def test_device_limits_reject_work_groups() -> None:
    small = replace(ANY_DEVICE, max_work_group_size=64)
    able = enumerate_configurations(REGISTER_TILE, small)
    assert {c.parameters["group_rows"] * c.parameters["group_cols"] for c in able} == {64}
    counts = rejections(REGISTER_TILE, small)
    assert sum(counts.values()) + len(able) == len(list(REGISTER_TILE.points()))
    assert rejections(REGISTER_TILE, None) == {"work_group_size": 0, "unrolled_size": 10}


def test_parameters_fixed_together_and_multiples(tmp_path: Path) -> None:
    wide = sample_kernel(tmp_path, WIDE)
    variants = {c.variant_id for c in enumerate_configurations(wide, ANY_DEVICE)}
    assert variants == {
        *("wide_4x24x8_12", "wide_4x24x8_16", "wide_4x24x8_24"),
        *("wide_6x16x8_12", "wide_6x16x8_24"),
        *("wide_6x16x16_12", "wide_6x16x16_24"),
        *("wide_8x32x16_16", "wide_8x32x16_24"),
    }
    assert rejections(wide, None) == {"whole_tiles": 3 * 3, "vector_width": 0}
    even = {**WIDE["constraints"][0], "multiple_of": 8}
    by_number = sample_kernel(tmp_path, WIDE, constraints=[even])
    blocks = {c.parameters["row_block"] for c in enumerate_configurations(by_number, None)}
    assert blocks == {16, 24}


def test_vectors_are_no_wider_than_the_devices(tmp_path: Path) -> None:
    wide = sample_kernel(tmp_path, WIDE)
    narrow = enumerate_configurations(wide, replace(ANY_DEVICE, vector_width=8))
    assert {c.parameters["width"] for c in narrow} == {8}
    everything = enumerate_configurations(wide, replace(ANY_DEVICE, vector_width=16))
    assert everything == enumerate_configurations(wide, ANY_DEVICE), "unknown bounds nothing"


def test_a_constraint_may_hold_an_estimate(tmp_path: Path) -> None:
    shared = {"name": "shared", "estimate": "local_elements", "reason": ""}
    bound = [{**shared, "at_most": "local_memory_elements"}]
    estimates = {**WIDE["estimates"], "local_elements": [["row_block", "width"], ["rows"]]}
    wide = sample_kernel(tmp_path, WIDE, constraints=bound, estimates=estimates)
    half = replace(ANY_DEVICE, local_memory_bytes=2 * 200).of_elements(2)
    fitting = enumerate_configurations(wide, half)
    assert fitting
    for values in wide.points():
        elements = values["row_block"] * values["width"] + values["rows"]
        assert (wide.configuration(values) in fitting) == (elements <= 200)
    everything = enumerate_configurations(wide, ANY_DEVICE)
    assert len(everything) == len(list(wide.points())), "a type left open bounds nothing"


def test_patterns_name_what_is_measured(tmp_path: Path) -> None:
    operation = with_kernels(*(sample_kernel(tmp_path, one) for one in (WIDE, NARROW)))
    everything = measurable(operation, ANY_DEVICE)
    assert operation.fallback_kernel not in {c.id for c in everything}
    few = measurable(operation, ANY_DEVICE, ["wide_*_2", "narrow_[24]"])
    assert {c.kernel for c in few} == {"wide", "narrow"}
    assert {c.parameters["group_cols"] for c in few if c.kernel == "wide"} == {2}
    assert [c.id for c in few if c.kernel == "narrow"] == ["narrow_2", "narrow_4"]
    with pytest.raises(ConfigurationError, match="'tall_\\*'; ids look like wide_4x24x8_12_1"):
        measurable(operation, ANY_DEVICE, ["wide_*", "tall_*"])
    with pytest.raises(ConfigurationError, match="this device can run matches 'wide_8x32x16"):
        measurable(operation, replace(ANY_DEVICE, vector_width=8), ["wide_8x32x16*"])


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
    assert str(kernel.geometry(configuration)) == "2,8,16,16,0,0,0,0"
    assert kernel.template_arguments(configuration) == (2, 4, 8)
    assert kernel.elements(kernel.register_elements, configuration) == 2 * 8 + 2 * 4 + 4 * 8
    panel = configuration_from_id(MATMUL, "packed_panel_8x48x16_k256_96x192")
    assert str(kernel_of(MATMUL, panel).geometry(panel)) == "96,192,1,1,8,48,0,0"
    reference = configuration_from_id(MATMUL, "reference")
    assert str(kernel_of(MATMUL, reference).geometry(reference)) == "1,1,1,64,0,0,0,0"


def test_a_kernel_may_cut_k() -> None:
    configuration = configuration_from_id(MATMUL, "split_k_8_16")
    kernel = kernel_of(MATMUL, configuration)
    assert kernel.cuts_k
    assert not kernel.bit_stable
    geometry = kernel.geometry(configuration)
    assert (geometry.slices, geometry.least_k) == (16, 512)
    assert [k.name for k in MATMUL.kernels if not k.bit_stable] == [kernel.name]
    assert configuration.variant_id == configuration_from_id(MATMUL, "split_k_8_64").variant_id


MULTIPLE = {"name": "x", "parameter": "rows", "multiple_of": "acc", "reason": ""}
GROUP = ("group_rows", "group_cols")
ESTIMATE = {"name": "x", "estimate": "local_elements", "at_most": 8, "reason": ""}
ROWS = {"name": "rows", "values": [0, 4], "stage": "compile", "meaning": ""}
ROWS_OR_NONE = [
    ROWS,
    *({**ROWS, "name": name, "values": [4]} for name in ("acc", "cols")),
    *({**ROWS, "name": name, "values": [1, 8, 16, 32, 64, 128]} for name in GROUP),
]
TILES = dict.fromkeys(("tile_rows", "tile_cols", "group_rows", "group_cols"), 1)


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
        ({"combinations": {"rows cols": [[4, 5]]}}, "gives cols the value 5"),
        ({"combinations": {"rows cols": [[4, 4]], "acc rows": [[4, 4]]}}, "in two combinations"),
        ({"launch": {**TILES, "slices": 4}}, "launch"),
        ({"launch": {**TILES, "slices": "luck", "least_k": 1}}, "luck"),
        ({"constraints": [{**MULTIPLE, "multiple_of": "luck"}]}, "luck"),
        ({"constraints": [{**MULTIPLE, "parameter": "luck"}]}, "luck"),
        ({"constraints": [{**MULTIPLE, "multiple_of": 0}]}, "constraints"),
        ({"constraints": [{**ESTIMATE, "estimate": "luck"}]}, "constraints"),
        ({"constraints": [{**ESTIMATE, "at_most": "luck"}]}, "luck"),
        ({"parameters": ROWS_OR_NONE}, "rows can't be 0"),
        ({"parameters": [{**ROWS, "values": [-1]}]}, "values"),
        ({"constraints": [{**MULTIPLE, "at_most": 8}]}, "constraints"),
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
