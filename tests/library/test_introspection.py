# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What the library says of itself."""

from __future__ import annotations

from pathlib import Path

from library_binding import Call, Library, Order

ROOT = Path(__file__).resolve().parents[2]


def test_reference_is_always_deployed_last(library: Library) -> None:
    serving = library.explain_call(Call(1, 1, 1))["target"]
    (target,) = (one for one in library.build_info()["targets"] if one["key"] == serving)
    for selection in target["selections"]:
        kernels = library.kernels(library.data_types[selection["data_type"]])
        assert kernels == selection["kernels"]
        assert kernels[-1] == "reference"
        assert len(set(kernels)) == len(kernels) > 1


def test_explanation_names_a_deployed_kernel(library: Library) -> None:
    told = library.explain_call(Call(512, 512, 784))
    assert told["kernel"] in library.kernels()
    assert told["match"] in ("exact", "family", "default")
    assert told["target"]
    assert told["dataset_key"]


def test_explanation_of_trivial_calls(library: Library) -> None:
    for call in (Call(0, 5, 5), Call(5, 5, 0), Call(5, 5, 5, alpha=0.0)):
        told = library.explain_call(call)
        assert told["kernel"] == "reference"
        assert told["expected_share"] is None


def test_explanation_is_about_the_operands_not_their_layout(library: Library) -> None:
    """A column-major product is the row-major one of swapped operands."""
    by_columns = library.explain_call(Call(64, 3136, 576, order=Order.COLUMN_MAJOR, transa=1))
    by_rows = library.explain_call(Call(3136, 64, 576, transb=1))
    assert by_columns == by_rows


def test_build_info(library: Library) -> None:
    info = library.build_info()
    assert info["version"] == (ROOT / "VERSION").read_text().strip()
    for target in info["targets"]:
        assert target["match"] in ("exact", "family", "default")
        assert {one["data_type"] for one in target["selections"]} == {"float", "double", "half"}
