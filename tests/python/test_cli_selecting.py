# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that select kernels and generate sources from stored measurements."""

from __future__ import annotations

import json

import synthetic
from command_world import KEY, QUICK
from hornbeam.dataset import save
from hornbeam.errors import ExitCode
from hornbeam.selector_file import read_selector


def test_select_prints_scores_and_writes_the_selector(commands):
    path = commands.folder / "selector.json"
    status, out, err = commands("select", "--target", KEY, *QUICK, "--output", path)
    assert (status, err) == (ExitCode.OK, "")
    assert "<- chosen" in out
    selector = read_selector(path)
    assert len(selector.kernels) == 2
    as_json = commands("select", "--target", KEY, *QUICK, "--format", "json")[1]
    assert as_json == path.read_text()


def test_select_takes_patterns_of_configurations(commands):
    patterns = ["--configurations", "register_tile_4x4x?_*,register_tile_8x*"]
    document = commands("select", "--target", KEY, *QUICK, *patterns, "--format", "json")[1]
    names = json.loads(document)["kernels"]
    assert names
    assert all(name.startswith(("register_tile_4x4x", "register_tile_8x")) for name in names)
    status, _, err = commands("select", "--target", KEY, "--configurations", "none_*")
    assert status == ExitCode.USAGE
    assert "matches none_*" in err


def test_select_and_explain_take_kernels_that_are_not_bit_stable(commands):
    full = synthetic.dataset(8)
    columns = [i for i, one in enumerate(full.configurations) if one.kernel in ("split_k", "gemv")]
    save(commands.folder / "shipped" / KEY, synthetic.part(full, range(8), columns))
    options = ["--target", KEY, *QUICK, "--configurations", "split_k_*"]
    status, _, err = commands("select", *options)
    assert status == ExitCode.USAGE
    assert "--no-bit-stable" in err
    document = commands("select", *options, "--no-bit-stable", "--format", "json")[1]
    assert all(name.startswith("split_k_") for name in json.loads(document)["kernels"])
    told = commands("explain", "1", "100000", "1", *options, "--no-bit-stable")[1]
    assert "bits            its own" in told
    told = commands("explain", "1", "100000", "1", "--target", KEY, *QUICK)[1]
    assert "bits            as from other kernels" in told


def test_select_needs_a_device_or_a_key(commands):
    status, _, err = commands("select")
    assert status == ExitCode.NOTHING_FOUND
    assert "--target" in err


def test_explain_walks_the_tree(commands):
    path = commands.folder / "selector.json"
    commands("select", "--target", KEY, *QUICK, "--output", path)
    sizes = ["64", "128", "256", "--batch", "4", "--transpose-b"]
    status, out, err = commands("explain", *sizes, "--target", KEY, *QUICK)
    assert (status, err) == (ExitCode.OK, "")
    stored = commands("explain", *sizes, "--selector", path, "--format", "json")[1]
    document = json.loads(stored)
    assert document["problem"] == {
        "m": 64, "k": 128, "n": 256, "batch": 4, "transpose_a": 0, "transpose_b": 1,
    }  # fmt: skip
    assert f"kernel          {document['kernel']}" in out
    assert document["kernel"] in {kernel.id for kernel in read_selector(path).kernels}
    assert 0 < document["expected_share"] <= 1
    assert document["dataset"] == KEY


def test_explain_says_in_which_order_it_takes_sizes(commands):
    out = " ".join(commands("explain", "--help")[1].split())
    assert "explain [OPTIONS] M K N" in out
    assert "C[m, n] = op(A)[m, k] * op(B)[k, n], in this order" in out
    assert "The C++ interface takes m, n, k" in out


def test_explain_refuses_nonsense(commands):
    status, _, err = commands("explain", "0", "1", "1", "--target", KEY)
    assert status == ExitCode.FAILED
    assert "m = 0" in err


def test_explain_asks_a_library_or_measurements(commands, monkeypatch):
    missing = commands.folder / "missing"
    status, _, err = commands("explain", "1", "1", "1", "--library", missing)
    assert status == ExitCode.NOTHING_FOUND
    assert f"{missing}/libhornbeam_python.so" in err
    others = ["--target", KEY, "--num-kernels", "2"]
    status, _, err = commands("explain", "1", "1", "1", "--library", missing, *others)
    assert status == ExitCode.USAGE
    assert "--library cannot be combined with --target, --num-kernels" in err
    monkeypatch.setenv("HORNBEAM_LIBRARY", str(missing))
    status, _, err = commands("explain", "1", "1", "1")
    assert status == ExitCode.NOTHING_FOUND
    assert f"{missing}/libhornbeam_python.so" in err
    assert commands("explain", "1", "1", "1", *others)[0] == ExitCode.OK


def test_generate_from_selectors(commands):
    path = commands.folder / "selector.json"
    commands("select", "--target", KEY, *QUICK, "--output", path)
    status, out, _ = commands("generate", path, "--output-dir", commands.folder / "generated")
    assert status == ExitCode.OK
    assert str(commands.folder / "generated" / "deployment.cpp") in out.splitlines()
    missing = commands.folder / "missing.json"
    status, _, err = commands("generate", missing, "--output-dir", commands.folder / "x")
    assert status == ExitCode.FAILED
    assert "missing.json" in err


def test_configure_ends_with_a_summary(commands):
    place = ["--output-dir", commands.folder / "out"]
    arguments = ["configure", *place, "--target-device", KEY, *QUICK]
    status, out, err = commands(*arguments)
    assert status == ExitCode.OK
    assert f"device    {KEY}" in out
    assert f"{KEY} (exact match)" in out
    assert "held-out score" in out
    assert "the kernels changed: its times may be out of date" in err
    again = commands(*arguments)[1]
    assert "up to date" in again
    document = json.loads(commands(*arguments, "--format", "json")[1])
    assert document["up_to_date"] is True
    assert document["targets"][0]["match"] == "exact"


def test_configure_takes_lists_with_commas_and_semicolons(commands):
    for separator in ",;":
        types = separator.join(["double", "float"])
        arguments = ["configure", "--output-dir", commands.folder / "out", "--tune", "off"]
        status, out, _ = commands(*arguments, "--data-types", types)
        assert status == ExitCode.OK
        assert out.index("double ") < out.index("float ")
