# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Files from strangers, damaged at random: an error that names the file, or something usable."""

from __future__ import annotations

import copy
import gzip
import json
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hornbeam import paths
from hornbeam.cells import cells_of
from hornbeam.compaction import compact
from hornbeam.dataset import load, save
from hornbeam.dataset_rows import checksum
from hornbeam.errors import HornbeamError
from hornbeam.journal import read_journal
from hornbeam.journal_rows import format_row
from hornbeam.kernel_definition import load_definition
from hornbeam.pipeline.manifest import read_manifest
from hornbeam.problems import read_problems
from hornbeam.selector_file import read_selector, to_json
from hornbeam.space import enumerate_configurations
from hornbeam.types import Status
from selector_examples import selector
from tuning_helpers import LIMITS, MATMUL, device, row, small_dataset

EXAMPLES = int(os.environ.get("HORNBEAM_FUZZ_EXAMPLES", "60"))
FILE = "matmul-float.csv.gz"

fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="HORNBEAM_FUZZ_EXAMPLES" not in os.environ,
    suppress_health_check=list(HealthCheck),
)

HOSTILE = (
    '"; system("id"); "', "*/ #error", "??/\n#error", "${x} $(id) `id`", "]] ]=]", "a;b", "{0.a}",
    "{}", "\x00", "\ud800", "é\u2028", "../../etc/passwd", "%s%n", "-0", "NaN", "x" * 5000,
)  # fmt: skip

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 1, 2**31, 2**63, 2**64, 10**400, -(10**400)]),
    st.sampled_from([0.0, -0.0, 1e308, 5e-324, float("nan"), float("inf"), -float("inf"), 0.5]),
    st.sampled_from(HOSTILE),
    st.text(max_size=20),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


def slots(document: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON document, as (container, key)."""
    found: list[tuple[Any, Any]] = []
    if isinstance(document, dict):
        found += [(document, key) for key in document]
    elif isinstance(document, list):
        found += [(document, index) for index in range(len(document))]
    return found + [place for container, key in found for place in slots(container[key])]


@st.composite
def documents(draw: st.DrawFn, good: Any) -> str:
    """A JSON document with some places replaced, swapped, removed or repeated."""
    document = copy.deepcopy(good)
    for _ in range(draw(st.integers(1, 3))):
        places = slots(document)
        if not places:
            break
        container, key = draw(st.sampled_from(places))
        action = draw(st.sampled_from(["replace", "swap", "remove", "add", "repeat"]))
        if action == "replace":
            container[key] = draw(values)
        elif action == "swap":
            other, place = draw(st.sampled_from(places))
            container[key], other[place] = copy.deepcopy((other[place], container[key]))
        elif action == "remove":
            del container[key]
        elif isinstance(container, list):
            container.append(copy.deepcopy(container[key]) if action == "repeat" else draw(values))
        else:
            container[draw(st.text(max_size=8))] = draw(values)
    return json.dumps(document, ensure_ascii=draw(st.booleans()))


@st.composite
def damages(draw: st.DrawFn, good: bytes) -> bytes:
    """Bytes flipped, cut, removed, repeated or put in."""
    data = bytearray(good)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        stop = min(len(data), start + draw(st.integers(0, 30)))
        action = draw(st.sampled_from(["flip", "cut", "remove", "repeat", "insert"]))
        if action == "flip" and start < len(data):
            data[start] ^= 1 << draw(st.integers(0, 7))
        elif action == "cut":
            del data[start:]
        elif action == "remove":
            del data[start:stop]
        elif action == "repeat":
            data[start:start] = data[start:stop] * draw(st.integers(1, 40))
        else:
            text = draw(st.sampled_from(HOSTILE)).encode("utf-8", "surrogatepass")
            data[start:start] = draw(st.one_of(st.binary(max_size=20), st.just(text)))
    return bytes(data)


def json_files(good: Any) -> st.SearchStrategy[bytes]:
    """Damaged JSON files: wrong inside, or no JSON any more."""
    inside = documents(good).map(lambda text: text.encode("utf-8", "surrogatepass"))
    twice = st.sampled_from([b'{"schema": 1, ', b"[" * 20000, b'{"a":' * 20000, b"1" * 5000])
    text = json.dumps(good).encode()
    return st.one_of(inside, damages(text), twice.map(lambda start: start + text[1:]))


def read_file(content: bytes, name: str, read: Callable[[Path], Any]) -> Any:
    """What a reader makes of a file; None where it refuses it in the way that it should."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        try:
            return read(path)
        except HornbeamError as error:
            assert name in str(error), f"the message must name the file: {error}"
            assert len(str(error)) < 3000
            str(error).encode("utf-8")
            return None


def load_damaged(files: dict[str, bytes]) -> None:
    """Load a dataset of which some files are replaced, and check what comes out of it."""
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / device().key
        good = cells_of(save(folder, small_dataset()))
        for name, content in files.items():
            (folder / name).write_bytes(content)
        try:
            dataset, _ = load(folder, MATMUL, "float")
        except HornbeamError as error:
            assert str(folder) in str(error)
            return
        known = set(MATMUL.kernels)
        assert {c.kernel for c in dataset.configurations} <= {kernel.name for kernel in known}
        for problem in dataset.problems:
            MATMUL.check_problem(problem)
        times = dataset.time_s[[[s is Status.OK for s in line] for line in dataset.status]]
        assert np.all((times > 0) & (times < 1e7))
        assert len(cells_of(dataset)) <= len(good) + 3
        save(Path(parent) / "again" / dataset.device.key, dataset)


with tempfile.TemporaryDirectory() as _folder:
    save(Path(_folder), small_dataset())
    GOOD_DATASET = {path.name: path.read_bytes() for path in Path(_folder).iterdir()}
ROWS = gzip.decompress(GOOD_DATASET[FILE]).decode().splitlines()


@fuzzed
@given(content=json_files(json.loads(GOOD_DATASET["device.json"])))
def test_device_descriptions(content: bytes) -> None:
    load_damaged({"device.json": content})


@fuzzed
@given(content=damages(GOOD_DATASET[FILE]))
def test_compressed_measurements(content: bytes) -> None:
    load_damaged({FILE: content})


@fuzzed
@given(data=st.data())
def test_measurements_with_right_checksums(data: st.DataObject) -> None:
    """Fields replaced by what no program would write, signed as if it had."""
    lines = list(ROWS)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(1, len(lines) - 1))
        fields = lines[at].split(",")[:-1]
        field = data.draw(st.integers(0, len(fields) - 1))
        number = scalars.map(str) | st.from_regex(
            r"[-+]?[0-9_]{1,30}(e[0-9]{1,4})?", fullmatch=True
        )
        fields[field] = data.draw(number)
        text = ",".join(fields)
        lines[at] = f"{text},{checksum(text)}"
    content = "\n".join(lines).encode("utf-8", "replace")
    load_damaged({FILE: gzip.compress(content, mtime=0)})


@pytest.mark.parametrize("member", [b"\0", b",", b"\n", b"1,1,1\n"])
def test_a_small_file_that_grows_without_end(member: bytes) -> None:
    """Refused before it is unpacked as a whole."""
    load_damaged({FILE: gzip.compress(member * ((1 << 26) // len(member)), compresslevel=1)})


@fuzzed
@given(content=json_files(json.loads(to_json(selector()))))
@example(to_json(selector()).replace("register_tile_4", "egister_tile_4").encode())
def test_selectors(content: bytes) -> None:
    found = read_file(content, "selector-float.json", read_selector)
    if found is not None:
        assert read_file(to_json(found).encode(), "selector.json", read_selector) is not None


@fuzzed
@given(
    content=st.one_of(
        json_files(json.loads(format_row(row()))),
        damages("\n".join(format_row(row(round_=i)) for i in range(3)).encode()),
    )
)
def test_journals(content: bytes) -> None:
    found = read_file(content, "journal.jsonl", read_journal)
    assert found is not None
    if found.rows:
        try:
            compact(found.rows, MATMUL, "float", device())
        except HornbeamError:
            return


@fuzzed
@given(content=damages(b"# own\nm,k,n,batch,transpose_b\n1,2,3,4,0\n512,512,512,1,1\n"))
def test_problem_files(content: bytes) -> None:
    found = read_file(content, "own.csv", lambda path: read_problems(path, MATMUL))
    for problem in found or ():
        MATMUL.check_problem(problem)


MANIFEST = json.dumps(
    {
        "schema": "hornbeam-manifest/1",
        **dict.fromkeys(("input_digest", "tuned_digest", "measured_digest"), "0" * 64),
        **{"options": {}, "targets": [], "summary": ["a line"]},
        "files": {"../outside": "0" * 64},
    }
)
DEFINITION = json.loads((paths.kernel_definition_dir() / "register_tile.json").read_text())


@fuzzed
@given(content=json_files(DEFINITION))
@example(json.dumps({**DEFINITION, "id": "a}"}).encode())
@example(json.dumps({**DEFINITION, "id": "{ows}"}).encode())
def test_kernel_definitions(content: bytes) -> None:
    found = read_file(content, "register_tile.json", load_definition)
    if found is not None:
        for configuration in enumerate_configurations(found, LIMITS)[:50]:
            found.geometry(configuration)
            found.template_arguments(configuration)
            found.elements(found.register_elements, configuration)


@fuzzed
@given(content=json_files(json.loads(MANIFEST)))
def test_manifests(content: bytes) -> None:
    """A damaged one counts as none."""
    read_file(content, "manifest.json", lambda path: read_manifest(path.parent))
