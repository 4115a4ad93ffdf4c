# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: help everywhere, clear errors, exit codes, output for people and machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

import synthetic
from hornbeam import paths
from hornbeam.bench import Deadline
from hornbeam.cli import COMMANDS, main
from hornbeam.cli import tuning as tuning_commands
from hornbeam.dataset import load, save
from hornbeam.device import Probe
from hornbeam.errors import DeviceError, ExitCode
from hornbeam.operations import get_operation
from hornbeam.pipeline import machine, measuring, trust
from hornbeam.selector_file import read_selector
from hornbeam.version import version

KEY = synthetic.DEVICE.key
ALL = [
    *([name] for name in COMMANDS),
    *(["dataset", x] for x in ("show", "validate", "merge", "export")),
]
QUICK = ["--num-kernels", "2"]


@pytest.fixture
def world(tmp_path, monkeypatch):
    """A stored dataset, no device, and nothing of the user's own in reach."""
    monkeypatch.setattr(paths, "shipped_dataset_dir", lambda: tmp_path / "shipped")
    monkeypatch.setenv("HORNBEAM_DATASET_DIR", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("hornbeam.evaluate.LearnOptions.__init__", _quick_init())
    save(tmp_path / "shipped" / KEY, small())
    use_device(monkeypatch)
    return tmp_path


def _quick_init():
    from hornbeam.evaluate import LearnOptions

    whole = LearnOptions.__init__

    def init(self, *arguments, **settings):
        whole(self, *arguments, **{"splits": 1, "max_tried": 3, **settings})

    return init


def small(sizes=None):
    full = synthetic.dataset(8, sizes=sizes)
    kept = slice(0, 760, 19)
    return replace(
        full,
        configurations=full.configurations[kept],
        time_s=full.time_s[:, kept],
        spread=full.spread[:, kept],
        single_launch=full.single_launch[:, kept],
        status=full.status[:, kept],
        details=None,
    )


def use_device(monkeypatch, *devices):
    found = Probe(devices, "" if devices else "no OpenCL driver is registered")
    monkeypatch.setattr(machine, "probe", lambda: found)
    monkeypatch.setattr("hornbeam.device.probe", lambda: found)


def run(capsys, *arguments):
    """Exit status, standard output and standard error of a command."""
    status = main([str(argument) for argument in arguments])
    streams = capsys.readouterr()
    return status, streams.out, streams.err


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_every_command_has_help(command, capsys):
    status, out, err = run(capsys, *command, "--help")
    assert (status, err) == (ExitCode.OK, "")
    assert f"Usage: hornbeam {' '.join(command)}" in out
    assert len(out.splitlines()) > 4


def test_the_program_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "hornbeam", "--help"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(paths.root() / "tuning")},
    )
    assert done.returncode == 0
    for name in COMMANDS:
        assert f"\n  {name} " in done.stdout


def test_light_commands_load_no_heavy_library():
    code = (
        "import sys; from hornbeam.cli import main; main(['env']); "
        "print(sorted({'sklearn', 'scipy', 'pyopencl', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(paths.root() / "tuning")},
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"hornbeam, version {version()}\n", "")


@pytest.mark.parametrize(
    ("arguments", "valid"),
    [
        (["nonsense"], "devices, doctor, env, plan, tune"),
        (["select", "--selection", "x", "--target", KEY], "pca_kmeans, kmeans, top_n"),
        (["select", "--normalisation", "x", "--target", KEY], "scaled, raw_cutoff"),
        (["select", "--type", "half", "--target", KEY], "float, double"),
        (["select", "--operation", "x", "--target", KEY], "matmul"),
        (["select", "--target", "x"], KEY),
        (["select", "--target", KEY, "--num-kernels", "65"], "1..64"),
        (["explain", "--target", "x", "1", "2", "3"], KEY),
        (["explain", "--target", KEY, "1", "2"], "m k n"),
        (["devices", "--format", "xml"], "text, json"),
        (["env", "--format", "xml"], "sh, json, cmake"),
        (["dataset", "show", "x"], KEY),
        (["dataset", "export", "x"], KEY),
        (["configure", "--output-dir", "o", "--target-device", "x"], KEY),
        (["configure", "--output-dir", "o", "--tune", "x"], "AUTO, REUSE, FORCE, OFF"),
        (["configure", "--output-dir", "o", "--data-types", "half"], "float, double"),
        (["configure", "--output-dir", "o", "--selection", "x"], "pca_kmeans"),
        (["tune", "--only-problems"], "--problems"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unknown_names_list_the_valid_ones(world, capsys, arguments, valid):
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (ExitCode.USAGE, "")
    assert valid in err
    assert "Traceback" not in err


def test_devices(world, capsys, monkeypatch):
    status, out, err = run(capsys, "devices")
    assert (status, out) == (ExitCode.NOTHING_FOUND, "")
    assert "no OpenCL driver is registered" in err
    use_device(monkeypatch, synthetic.DEVICE)
    status, out, _ = run(capsys, "devices")
    assert status == ExitCode.OK
    assert KEY in out
    document = json.loads(run(capsys, "devices", "--format", "json")[1])
    assert document["devices"][0]["limits"]["compute_units"] == 4


def test_doctor(world, capsys):
    status, out, _ = run(capsys, "doctor")
    assert status in (ExitCode.OK, ExitCode.FAILED)
    assert "python" in out
    checks = json.loads(run(capsys, "doctor", "--format", "json")[1])["checks"]
    assert {"name", "ok", "found", "advice"} == set(checks[0])


def test_env_in_every_format(world, capsys, monkeypatch):
    value = "/a path/with 'quotes' $(x) ]]"
    monkeypatch.setenv("OCL_ICD_VENDORS", value)
    shell = run(capsys, "env")[1]
    script = f'{shell}\nprintf %s "$OCL_ICD_VENDORS"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == value
    assert json.loads(run(capsys, "env", "--format", "json")[1]) == {"OCL_ICD_VENDORS": value}
    assert (
        run(capsys, "env", "--format", "cmake")[1] == f"set(ENV{{OCL_ICD_VENDORS}} [=[{value}]=])\n"
    )


def test_select_prints_scores_and_writes_the_selector(world, capsys):
    path = world / "selector.json"
    status, out, err = run(capsys, "select", "--target", KEY, *QUICK, "--output", path)
    assert (status, err) == (ExitCode.OK, "")
    assert "<- chosen" in out
    selector = read_selector(path)
    assert len(selector.kernels) == 2
    as_json = run(capsys, "select", "--target", KEY, *QUICK, "--format", "json")[1]
    assert as_json == path.read_text()


def test_select_needs_a_device_or_a_key(world, capsys):
    status, _, err = run(capsys, "select")
    assert status == ExitCode.NOTHING_FOUND
    assert "--target" in err


def test_explain_walks_the_tree(world, capsys):
    path = world / "selector.json"
    run(capsys, "select", "--target", KEY, *QUICK, "--output", path)
    sizes = ["64", "128", "256", "--batch", "4", "--transpose-b"]
    status, out, err = run(capsys, "explain", *sizes, "--target", KEY, *QUICK)
    assert (status, err) == (ExitCode.OK, "")
    stored = run(capsys, "explain", *sizes, "--selector", path, "--format", "json")[1]
    document = json.loads(stored)
    assert document["problem"] == {
        "m": 64, "k": 128, "n": 256, "batch": 4, "transpose_a": 0, "transpose_b": 1,
    }  # fmt: skip
    assert f"kernel          {document['kernel']}" in out
    assert document["kernel"] in {kernel.id for kernel in read_selector(path).kernels}
    assert 0 < document["expected_share"] <= 1
    assert document["dataset"] == KEY


def test_explain_refuses_nonsense(world, capsys):
    status, _, err = run(capsys, "explain", "0", "1", "1", "--target", KEY)
    assert status == ExitCode.FAILED
    assert "m = 0" in err


def test_generate_from_selectors(world, capsys):
    path = world / "selector.json"
    run(capsys, "select", "--target", KEY, *QUICK, "--output", path)
    status, out, _ = run(capsys, "generate", path, "--output-dir", world / "generated")
    assert status == ExitCode.OK
    assert str(world / "generated" / "deployment.cpp") in out.splitlines()
    status, _, err = run(capsys, "generate", world / "missing.json", "--output-dir", world / "x")
    assert status == ExitCode.FAILED
    assert "missing.json" in err


def test_configure_ends_with_a_summary(world, capsys):
    arguments = ["configure", "--output-dir", world / "out", "--target-device", KEY, *QUICK]
    status, out, err = run(capsys, *arguments)
    assert status == ExitCode.OK
    assert f"device    {KEY}" in out
    assert f"{KEY} (exact match)" in out
    assert "held-out score" in out
    assert "warning: the kernels have changed" in err
    again = run(capsys, *arguments)[1]
    assert "up to date" in again
    document = json.loads(run(capsys, *arguments, "--format", "json")[1])
    assert document["up_to_date"] is True
    assert document["targets"][0]["match"] == "exact"


def test_configure_takes_lists_with_commas_and_semicolons(world, capsys):
    for separator in ",;":
        types = separator.join(["double", "float"])
        arguments = ["configure", "--output-dir", world / "out", "--tune", "off"]
        status, out, _ = run(capsys, *arguments, "--data-types", types)
        assert status == ExitCode.OK
        assert out.index("double ") < out.index("float ")


def test_dataset_show(world, capsys):
    status, out, _ = run(capsys, "dataset", "show")
    assert status == ExitCode.OK
    assert KEY in out
    assert "matmul float" in out
    closely = run(capsys, "dataset", "show", KEY)[1]
    assert "8 problems x 40 configurations, 100.0% measured" in closely
    document = json.loads(run(capsys, "dataset", "show", KEY, "--format", "json")[1])
    assert document["datasets"][0]["measurements"][0]["problems"] == 8


def test_dataset_show_without_any(world, capsys, monkeypatch):
    monkeypatch.setattr(paths, "shipped_dataset_dir", lambda: world / "nowhere")
    status, out, err = run(capsys, "dataset", "show")
    assert (status, out, err) == (ExitCode.NOTHING_FOUND, "", "no stored datasets\n")


def test_dataset_validate(world, capsys):
    folder = world / "shipped" / KEY
    status, out, _ = run(capsys, "dataset", "validate")
    assert status == ExitCode.OK
    assert out.splitlines()[0] == f"{folder}: fine"
    assert "remark: matmul float: the kernels have changed" in out
    file = folder / "matmul-float.csv.gz"
    file.write_bytes(file.read_bytes()[:-30])
    status, out, _ = run(capsys, "dataset", "validate", folder)
    assert status == ExitCode.FAILED
    assert "differs from the checksum" in out
    assert run(capsys, "dataset", "validate", world / "nowhere")[0] == ExitCode.FAILED
    (folder / "device.json").write_text("{")
    status, out, _ = run(capsys, "dataset", "validate")
    assert status == ExitCode.FAILED
    assert "device.json" in out


def test_dataset_validate_tells_of_noise_and_mixed_drivers(world, capsys):
    folder = world / "shipped" / KEY
    other = small()
    other = replace(
        other,
        data_type="double",
        spread=other.spread * 10,
        provenance=replace(other.provenance, driver="9.9"),
    )
    save(folder, other)
    status, out, _ = run(capsys, "dataset", "validate", folder, "--format", "json")
    assert status == ExitCode.OK
    remarks = "\n".join(json.loads(out)["folders"][str(folder)]["remarks"])
    assert "matmul double: repeats differ by 30%" in remarks
    assert "more than one driver: 1.2.3, 9.9" in remarks


def test_dataset_merge_and_export(world, capsys):
    other = small(sizes=[(3, 5, 7, 1, 0, 0)])
    save(world / "extra" / KEY, other)
    folders = [world / "shipped" / KEY, world / "extra" / KEY]
    status, out, _ = run(capsys, "dataset", "merge", *folders, "--output", world / "own")
    assert status == ExitCode.OK
    assert "9 problems" in out
    merged, warnings = load(world / "own" / KEY, get_operation("matmul"), "float")
    assert (len(merged.problems), warnings) == (9, [])
    path = world / "data.csv"
    assert run(capsys, "dataset", "export", KEY, "--output", path)[0] == ExitCode.OK
    lines = path.read_text().splitlines()
    assert lines[0].startswith("m,k,n,batch,transpose_a,transpose_b,configuration,")
    assert len(lines) == 1 + 9 * 40
    assert run(capsys, "dataset", "export", KEY)[1].splitlines() == lines


def test_plan_says_what_would_be_measured(world, capsys, monkeypatch):
    monkeypatch.setattr(tuning_commands, "tunable_device", lambda: synthetic.DEVICE)
    status, out, _ = run(capsys, "plan", "--tune-budget", "100000", "--data-types", "float")
    assert status == ExitCode.OK
    assert "790 of 790 configurations" in out
    own = world / "own.csv"
    own.write_text("m,k,n\n1,2,3\n")
    arguments = ["plan", "--problems", own, "--only-problems", "--format", "json"]
    document = json.loads(run(capsys, *arguments)[1])
    assert document["device"] == KEY
    assert [one["problems"] for one in document["plans"]] == [[[1, 2, 3, 1, 0, 0]]] * 2


def test_plan_without_a_device(world, capsys):
    status, _, err = run(capsys, "plan")
    assert status == ExitCode.NOTHING_FOUND
    assert "hornbeam doctor" in err


@pytest.fixture
def bench(monkeypatch):
    """A benchmark that pretends."""
    asked = []

    def measure(task, _bench, deadline):
        assert isinstance(deadline, Deadline)
        asked.append(task)
        return small(sizes=[*task.required, *task.problems][:5])

    monkeypatch.setattr(tuning_commands, "tunable_device", lambda: synthetic.DEVICE)
    monkeypatch.setattr(measuring, "bench_of", lambda _: None)
    monkeypatch.setattr(measuring, "measure", measure)
    monkeypatch.setattr(trust, "verify", lambda *_: {})
    return asked


def test_tune_stores_what_it_measures(world, capsys, bench):
    status, out, _ = run(capsys, "tune", "--data-types", "float", "--tune-budget", "60")
    assert status == ExitCode.OK
    assert f"{KEY}: matmul float, 5 problems x 40 configurations" in out
    assert (world / "own" / KEY / "device.json").exists()
    assert (
        bench[0].journal == world / "cache" / "hornbeam" / "journal" / f"{KEY}-matmul-float.jsonl"
    )


def test_an_interrupted_run_says_how_to_go_on(world, capsys, bench, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(measuring, "measure", interrupt)
    monkeypatch.setattr(sys, "argv", ["hornbeam", "tune", "--problems", "my sizes.csv"])
    status, out, err = run(capsys, "tune")
    assert (status, out) == (ExitCode.INTERRUPTED, "")
    assert "go on with: hornbeam tune --problems 'my sizes.csv'" in err


def test_nothing_measured_is_a_failure(world, capsys, bench, monkeypatch):
    monkeypatch.setattr(measuring, "measure", lambda *_: None)
    status, _, err = run(capsys, "tune", "--data-types", "float")
    assert status == ExitCode.FAILED
    assert "time ran out" in err


def test_device_errors_have_their_exit_code(world, capsys, monkeypatch):
    def none():
        raise DeviceError("no usable device")

    monkeypatch.setattr(tuning_commands, "tunable_device", none)
    assert run(capsys, "tune")[0] == ExitCode.NOTHING_FOUND


def test_quiet_says_less(world, capsys):
    arguments = ["configure", "--output-dir", world / "out", "--target-device", KEY]
    assert "warning" in run(capsys, "-q", *arguments, *QUICK)[2]
