# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that work with stored measurements."""

from __future__ import annotations

import json
from dataclasses import replace

from command_world import KEY, small
from hornbeam import paths
from hornbeam.dataset import load, save
from hornbeam.errors import ExitCode
from hornbeam.operations import get_operation


def test_dataset_show(commands):
    status, out, _ = commands("dataset", "show")
    assert status == ExitCode.OK
    assert KEY in out
    assert "matmul float" in out
    closely = commands("dataset", "show", KEY)[1]
    assert "8 problems x 40 configurations, 100.0% measured" in closely
    document = json.loads(commands("dataset", "show", KEY, "--format", "json")[1])
    assert document["datasets"][0]["measurements"][0]["problems"] == 8


def test_dataset_show_without_any(commands, monkeypatch):
    monkeypatch.setattr(paths, "shipped_dataset_dir", lambda: commands.folder / "nowhere")
    status, out, err = commands("dataset", "show")
    assert (status, out, err) == (ExitCode.NOTHING_FOUND, "", "no stored datasets\n")


def test_dataset_validate(commands):
    folder = commands.folder / "shipped" / KEY
    status, out, _ = commands("dataset", "validate")
    assert status == ExitCode.OK
    assert out.splitlines()[0] == f"{folder}: fine"
    assert "remark: matmul float: the kernels have changed" in out
    file = folder / "matmul-float.csv.gz"
    file.write_bytes(file.read_bytes()[:-30])
    status, out, _ = commands("dataset", "validate", folder)
    assert status == ExitCode.FAILED
    assert "differs from the checksum" in out
    assert commands("dataset", "validate", commands.folder / "nowhere")[0] == ExitCode.FAILED
    (folder / "device.json").write_text("{")
    status, out, _ = commands("dataset", "validate")
    assert status == ExitCode.FAILED
    assert "device.json" in out


def test_dataset_validate_tells_of_noise_and_mixed_drivers(commands):
    folder = commands.folder / "shipped" / KEY
    other = small()
    other = replace(
        other,
        data_type="double",
        spread=other.spread * 10,
        provenance=replace(other.provenance, driver="9.9"),
    )
    save(folder, other)
    status, out, _ = commands("dataset", "validate", folder, "--format", "json")
    assert status == ExitCode.OK
    remarks = "\n".join(json.loads(out)["folders"][str(folder)]["remarks"])
    assert "matmul double: repeats differ by 30%" in remarks
    assert "more than one driver: 1.2.3, 9.9" in remarks


def remarks_on(commands, dataset):
    folder = commands.folder / "noisy" / KEY
    save(folder, dataset)
    status, out, _ = commands("dataset", "validate", folder, "--format", "json")
    assert status == ExitCode.OK
    return "\n".join(json.loads(out)["folders"][str(folder)]["remarks"])


def test_dataset_validate_tells_of_drift_and_load(commands):
    """Problems on which everything moved, though the median of all repeats is fine."""
    quiet = small()
    assert "throttled" not in remarks_on(commands, quiet)
    assert "load" not in remarks_on(commands, quiet)
    spread = quiet.spread.copy()
    spread[2] = 0.4
    drifted = replace(quiet, spread=spread, provenance=replace(quiet.provenance, load=9.0))
    found = remarks_on(commands, drifted)
    assert "on 1 of 8 problems nearly all configurations" in found
    assert ",".join(map(str, quiet.problems[2])) in found
    assert "--only-problems" in found
    assert "load of 9 on 4 compute units" in found


def test_one_unsteady_configuration_is_no_drift(commands):
    quiet = small()
    spread = quiet.spread.copy()
    spread[:, 3] = 0.9
    assert "throttled" not in remarks_on(commands, replace(quiet, spread=spread))


def test_dataset_merge_and_export(commands):
    other = small(sizes=[(3, 5, 7, 1, 0, 0)])
    save(commands.folder / "extra" / KEY, other)
    folders = [commands.folder / "shipped" / KEY, commands.folder / "extra" / KEY]
    status, out, _ = commands("dataset", "merge", *folders, "--output", commands.folder / "own")
    assert status == ExitCode.OK
    assert "9 problems" in out
    merged, warnings = load(commands.folder / "own" / KEY, get_operation("matmul"), "float")
    assert (len(merged.problems), warnings) == (9, [])
    own = commands.folder / "own"
    assert commands("dataset", "merge", folders[0], "--output", own)[0] == ExitCode.OK
    assert len(load(own / KEY, get_operation("matmul"), "float")[0].problems) == 8
    aside = own / KEY / "matmul-float.csv.gz.replaced-1"
    assert aside.exists(), "what a merge overwrites is kept"
    assert commands("dataset", "merge", *folders, "--output", own)[0] == ExitCode.OK
    path = commands.folder / "data.csv"
    assert commands("dataset", "export", KEY, "--output", path)[0] == ExitCode.OK
    lines = path.read_text().splitlines()
    assert lines[0].startswith("m,k,n,batch,transpose_a,transpose_b,configuration,")
    assert len(lines) == 1 + 9 * 40
    assert commands("dataset", "export", KEY)[1].splitlines() == lines
