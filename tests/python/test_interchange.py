# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""T4 results: round trips, and files of strangers."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest

from command_world import KEY, small
from hornbeam.cells import build_dataset, cells_of
from hornbeam.dataset import load
from hornbeam.errors import ConfigurationError, DatasetError, ExitCode
from hornbeam.interchange import from_t4, to_t4
from hornbeam.operations import get_operation
from hornbeam.types import Status

OPERATION = get_operation("matmul")
KERNEL = "register_tile"


def sample():
    """A dataset of one kernel and one problem that holds every status."""
    data = small()
    problem = data.problems[0]
    kinds = {c.id for c in data.configurations if c.kernel == KERNEL}
    cells = {k: c for k, c in cells_of(data).items() if k[0] == problem and k[1] in kinds}
    for key, status in zip(list(cells), list(Status)[1:], strict=False):
        cells[key] = type(cells[key])(status)
    key = list(cells)[-1]
    cells[key] = replace(cells[key], samples=1, spread=math.nan, single_launch=True, rotated=True)
    return build_dataset(OPERATION, "float", data.device, data.provenance, cells), problem


def test_t4_round_trip(tmp_path):
    data, problem = sample()
    document = to_t4(data, KERNEL, problem)
    names = {one["invalidity"] for one in document["results"]}
    assert len(names) == len(Status)
    path = tmp_path / "t4.json"
    path.write_text(json.dumps(document, allow_nan=False))
    back = from_t4(path)
    assert (back.device, back.provenance) == (data.device, data.provenance)
    stored, read = cells_of(data), cells_of(back)
    assert list(stored) == list(read)
    for key, cell in stored.items():
        assert vars(read[key]) == pytest.approx(vars(cell), nan_ok=True)


def test_t4_follows_the_published_schema():
    # Looked up, not imported: that would need all that Kernel Tuner needs.
    found = find_spec("kernel_tuner")
    if found is None or found.origin is None:
        pytest.skip("Kernel Tuner, which carries the schema, is not installed")
    folder = Path(found.origin).parent / "schema" / "T4" / "1.0.0"
    schema = json.loads((folder / "results-schema.json").read_text())
    data, problem = sample()
    jsonschema.Draft202012Validator(schema).validate(to_t4(data, KERNEL, problem))


def _set(*place, value):
    def change(document):
        inner = document
        for name in place[:-1]:
            inner = inner[name]
        inner[place[-1]] = value

    return change


LAST = ("results", -1)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.pop("hornbeam"),
        _set("results", value=[]),
        _set("results", value={}),
        _set("schema_version", value="9.0.0"),
        _set("hornbeam", "operation", value="../x"),
        _set("hornbeam", "operation", value="unknown"),
        _set("hornbeam", "data_type", value="unknown"),
        _set("hornbeam", "kernel", value="unknown"),
        _set("hornbeam", "problem", "m", value=0),
        _set("hornbeam", "problem", "m", value=2**60),
        _set("hornbeam", "problem", value={"m": 1}),
        _set("hornbeam", "device", "key", value="../../etc"),
        _set(*LAST, "configuration", value={"rows": 3}),
        _set(*LAST, "configuration", "rows", value=3),
        _set(*LAST, "configuration", "{0.__class__}", value=1),
        _set(*LAST, "invalidity", value="fine"),
        _set(*LAST, "measurements", value=[]),
        _set(*LAST, "measurements", 0, "value", value="1e-3"),
        _set(*LAST, "measurements", 0, "value", value=-1.0),
        _set(*LAST, "measurements", 0, "value", value=True),
        _set(*LAST, "measurements", 1, "value", value=1e9),
        _set(*LAST, "measurements", 1, "value", value=5e-324),
        lambda document: document["results"].append(document["results"][-1]),
    ],
)
def test_files_of_strangers_are_refused(tmp_path, change):
    document = json.loads(json.dumps(to_t4(sample()[0], KERNEL, sample()[1])))
    change(document)
    path = tmp_path / "t4.json"
    path.write_text(json.dumps(document))
    with pytest.raises((DatasetError, ConfigurationError)):
        from_t4(path)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"results": NaN}', "[" * 100000])
def test_what_is_no_document_is_refused(tmp_path, text):
    path = tmp_path / "t4.json"
    path.write_text(text)
    with pytest.raises(DatasetError):
        from_t4(path)


def test_commands_export_and_import(commands):
    data = small()
    files = []
    for number, problem in enumerate(data.problems[:2]):
        files.append(commands.folder / f"{number}.json")
        size = ["--size", ",".join(map(str, problem))]
        arguments = ["--format", "t4", "--kernel", KERNEL, *size, "--output", files[-1]]
        assert commands("dataset", "export", KEY, *arguments)[0] == ExitCode.OK
    output = commands.folder / "imported"
    assert commands("dataset", "import", *files, "--output", output)[0] == ExitCode.OK
    back, warnings = load(output / KEY, OPERATION, "float")
    assert not warnings
    assert back.problems == data.problems[:2]
    original = cells_of(load(commands.folder / "shipped" / KEY, OPERATION, "float")[0])
    for key, cell in cells_of(back).items():
        assert vars(cell) == pytest.approx(vars(original[key]), nan_ok=True)
    status, _, err = commands("dataset", "import", *files, "--output", output)
    assert status == ExitCode.FAILED
    assert "merge" in err
    for wrong in (["--size", "1,2"], ["--size", "1,1,1,1,0,0", "--kernel", "x"]):
        assert commands("dataset", "export", KEY, "--format", "t4", *wrong)[0] == ExitCode.USAGE
