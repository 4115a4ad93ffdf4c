# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Generated sources: golden files, hostile text, and the selector's JSON."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import jinja2
import pytest

import compiled_tree
from hornbeam import codegen
from hornbeam.codegen import KernelForm, Target, render
from hornbeam.errors import CodegenError, ConfigurationError, DatasetError
from hornbeam.literals import cmake_bracket, cpp_comment, cpp_double, cpp_share, cpp_string
from hornbeam.operations import get_operation
from hornbeam.selector_file import read_selector, to_json
from hornbeam.space import configuration_from_id
from hornbeam.types import Score, Selector, TreeNode

OPERATION = get_operation("matmul")
GOLDEN = Path(__file__).parents[1] / "golden" / "codegen"
SUFFIX = ".golden"  # formatters leave such files alone
HOSTILE = (
    'quote " end; int evil_1 = 1; //',
    "*/ int evil_2 = 2; /*",
    "line\n#error evil_3\r\nend",
    "backslash at the end \\",
    "trigraph ??/",
    "trigraph ??=error evil_4 ??' ??( ??)",
    "]] ]=] $(evil_5) ${evil_6} `evil_7` ; @evil_8@",
    ')" R"(raw)" u8"x" \u00fc\u2028\x85\x00end \x1b[31m',
    "{{ evil_9 }} {% evil_10 %} {# evil #}",
)


def kernels(*ids):
    return tuple(configuration_from_id(OPERATION, name) for name in ids)


def float_selector() -> Selector:
    return Selector(
        operation="matmul",
        data_type="float",
        device_key="acme-cpu-avx2-4cu",
        kernels=kernels(
            "register_tile_1x4x8_1x64", "register_tile_4x4x4_8x8", "register_tile_8x2x4_16x16"
        ),
        features=tuple(feature.name for feature in OPERATION.features),
        nodes=(
            TreeNode(feature="m", threshold=8.5, left=1, right=2, problems=20),
            TreeNode(kernel=0, expected_share=0.93125, problems=5),
            TreeNode(feature="k/n", threshold=0.1, left=3, right=4, problems=15),
            TreeNode(kernel=2, expected_share=1.0, problems=3),
            TreeNode(feature="m*k*n", threshold=123456789.5, left=5, right=6, problems=12),
            TreeNode(feature="transpose_b", threshold=0.5, left=7, right=8, problems=6),
            TreeNode(kernel=2, expected_share=0.98, problems=6),
            TreeNode(kernel=1, expected_share=0.875, problems=3),
            TreeNode(kernel=0, expected_share=0.5, problems=3),
        ),
        scores=(Score(1, 0.7, 0.7, 0.7), Score(3, 0.95, 0.9, 0.7)),
        held_out=Score(3, 0.95, 0.9, 0.7),
        options={"selection": "pca_kmeans", "n_kernels": 3},
        dataset_digest="0123456789abcdef" * 4,
    )


def lone_leaf(data_type: str) -> Selector:
    return replace(
        float_selector(),
        data_type=data_type,
        kernels=kernels("register_tile_4x4x4_8x8"),
        nodes=(TreeNode(kernel=0),),
        scores=(),
        held_out=None,
        dataset_digest="",
        notes=("nothing was measured",),
    )


def targets() -> list[Target]:
    return [
        Target(
            "acme-cpu-avx2-4cu", "acme-cpu-avx2-4cu", "exact",
            (float_selector(), lone_leaf("double")),
        ),
        Target(
            "acme-gpu-big-64cu", "acme-gpu-small-8cu", "default",
            (lone_leaf("float"), lone_leaf("double")),
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("form", KernelForm)
def test_golden_files(form):
    files = render(OPERATION, targets(), "0.0.0", form)
    golden = GOLDEN / form.value
    if os.environ.get("HORNBEAM_UPDATE_GOLDEN"):
        shutil.rmtree(golden, ignore_errors=True)
        for name, text in files.items():
            path = golden / f"{name}{SUFFIX}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    stored = {
        str(path.relative_to(golden)).removesuffix(SUFFIX): path.read_text()
        for path in golden.rglob(f"*{SUFFIX}")
    }
    assert sorted(files) == sorted(stored)
    for name, text in files.items():
        assert text == stored[name], f"{name} differs; HORNBEAM_UPDATE_GOLDEN=1 rewrites it"


def test_same_input_same_bytes():
    assert render(OPERATION, targets(), "1") == render(OPERATION, targets(), "1")


def test_targets_share_their_kernel_variants():
    files = render(OPERATION, targets(), "1")
    text = "".join(text for name, text in files.items() if name.startswith("device/"))
    assert text.count("HORNBEAM_KERNEL(hornbeam_register_tile_4x4x4_double_nn,") == 1
    assert text.count("HORNBEAM_KERNEL(hornbeam_reference_float_tt,") == 1
    sizes = [text.count("HORNBEAM_KERNEL(") for name, text in files.items() if "device/" in name]
    assert max(sizes) <= codegen.VARIANTS_PER_SOURCE * 4


def test_half_is_a_type_of_sycl():
    targets = [Target("key", "key", "exact", (lone_leaf("half"),))]
    files = render(OPERATION, targets, "1")
    assert (
        "HORNBEAM_KERNEL(hornbeam_reference_half_tn, sycl::half,\n"
        "                (hornbeam::kernel::reference<sycl::half, true, false>))"
    ) in files["device/reference_half_0.cpp"]
    assert '"half"' in files["deployment.cpp"]


def test_the_last_kernel_is_the_reference(tmp_path):
    library = compiled_tree.build(render(OPERATION, targets(), "1")["deployment.cpp"], tmp_path)
    assert library.count() == 2
    for target in range(2):
        for table in range(2):
            last = library.kernel_count(target, table) - 1
            assert library.kernel_id(target, table, last) == b"reference"


def test_leaves_lead_to_the_kernels_of_the_tree(tmp_path):
    library = compiled_tree.build(render(OPERATION, targets(), "1")["deployment.cpp"], tmp_path)
    problems = [
        (8, 1, 1, 1, 0, 0),
        (9, 1, 11, 1, 0, 0),
        (9, 2, 11, 1, 0, 0),
        (9, 2, 11, 1, 0, 1),
        (1000, 1000, 1000, 1, 0, 1),
    ]
    assert list(compiled_tree.select(library, problems)) == [0, 2, 1, 0, 2]
    assert list(compiled_tree.select(library, problems, target=1, table=1)) == [0] * 5
    assert library.path(0, 0, 0) == b"m <= 8.5"
    assert library.path(1, 0, 0) == b""


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text, tmp_path):
    selector = replace(float_selector(), dataset_digest=text, notes=(text,), data_type="float")
    target = Target(text, text, text, (selector,))
    source = render(OPERATION, [target], text)["deployment.cpp"]
    library = compiled_tree.build(source, tmp_path, "-trigraphs", "-Wno-trigraphs")
    stored = text.encode().split(b"\0")[0]
    assert (library.note(0, 0), library.digest(0, 0), library.key(0)) == (stored,) * 3
    assert library.version() == stored
    for i in range(1, 11):
        assert not hasattr(library, f"evil_{i}")


@pytest.mark.parametrize("text", HOSTILE)
def test_comments_hold_one_plain_line(text):
    shown = cpp_comment(text)
    assert shown.isascii()
    assert shown.isprintable()
    assert not set(shown) & set("\\/*?\"'`$\n\r")


def test_unknown_template_variables_are_errors(monkeypatch, tmp_path):
    (tmp_path / "device.cpp.j2").write_text("{{ missing }}")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(tmp_path), undefined=jinja2.StrictUndefined
    )
    monkeypatch.setattr(codegen, "_environment", lambda operation: environment)
    with pytest.raises(CodegenError, match="missing"):
        render(OPERATION, targets(), "1")


@pytest.mark.parametrize(
    ("value", "literal"),
    [(96.5, "96.5"), (2.0, "2.0"), (1e22, "1e+22"), (0.1, "0.1"), (1 / 3, "0.3333333333333333")],
)
def test_doubles_are_exact(value, literal):
    assert cpp_double(value) == literal
    assert float(literal) == value


def test_shares_have_five_digits_and_may_be_unknown():
    assert cpp_share(0.123456789) == "0.12346F"
    assert "quiet_NaN" in cpp_share(float("nan"))
    assert cpp_double(float("inf")) == "std::numeric_limits<double>::infinity()"


def test_strings_are_plain_ascii():
    assert cpp_string('a"b\\?\n\u00e9') == '"a\\042b\\134\\077\\012\\303\\251"'


@pytest.mark.parametrize("text", [*HOSTILE, "a]", "a]=", "]]]==]", ""])
def test_cmake_brackets_close_where_they_should(text):
    bracket = cmake_bracket(text)
    level = bracket.index("[", 1)
    closing = "]" + "=" * (level - 1) + "]"
    assert bracket.index(closing, level) == len(bracket) - len(closing)


def test_selectors_survive_the_file(tmp_path):
    for selector in (float_selector(), lone_leaf("double")):
        path = tmp_path / "selector.json"
        path.write_text(to_json(selector))
        again = read_selector(path)
        assert to_json(again) == to_json(selector)
        assert again.kernels == selector.kernels
        assert [node.threshold for node in again.nodes] == [n.threshold for n in selector.nodes]


def _damaged(change):
    document = json.loads(to_json(float_selector()))
    change(document)
    return json.dumps(document)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema="hornbeam-selector/9"), "schema"),
        (lambda d: d.pop("nodes"), "nodes"),
        (lambda d: d["nodes"][0].update(left=0), "back up the tree"),
        (lambda d: d["nodes"][0].update(left=2), "one tree"),
        (lambda d: d["nodes"][0].update(right=99), "one tree"),
        (lambda d: d["nodes"][0].update(feature="m+n"), r"unknown features 'm\+n'"),
        (lambda d: d["nodes"][1].update(kernel=3), "out of range"),
        (lambda d: d["nodes"][1].update(expected_share=2), "nodes"),
        (lambda d: d["nodes"][1].update(extra=2), "nodes"),
        (lambda d: d.update(device_key="../../etc"), "device_key"),
    ],
)
def test_damaged_selectors_are_refused(change, message, tmp_path):
    path = tmp_path / "selector.json"
    path.write_text(_damaged(change))
    with pytest.raises(DatasetError, match=message):
        read_selector(path)


def test_selectors_with_unknown_kernels_are_refused(tmp_path):
    path = tmp_path / "selector.json"
    path.write_text(_damaged(lambda d: d["kernels"].__setitem__(0, 'x"; evil')))
    with pytest.raises(ConfigurationError, match="unknown configuration"):
        read_selector(path)
