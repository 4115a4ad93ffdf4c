# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The command line as a whole: help everywhere, clear errors, exit codes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from command_world import KEY, QUICK
from hornbeam import paths
from hornbeam.cli import COMMANDS
from hornbeam.errors import ExitCode
from hornbeam.version import version

ALL = [
    *([name] for name in COMMANDS),
    *(["dataset", x] for x in ("show", "validate", "merge", "export")),
]


@pytest.mark.parametrize("command", ALL, ids=" ".join)
def test_every_command_has_help(command, commands):
    status, out, err = commands(*command, "--help")
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


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        ("env", {"sklearn", "scipy", "pyopencl", "jinja2"}),
        ("--help", {"sklearn", "scipy", "pyopencl", "plotly", "distributed"}),
    ],
)
def test_light_commands_load_no_heavy_library(command, heavy):
    code = (
        f"import sys; from hornbeam.cli import main; main([{command!r}]); "
        f"print(sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(paths.root() / "tuning")},
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_version(commands):
    assert commands("--version") == (0, f"hornbeam, version {version()}\n", "")


@pytest.mark.parametrize(
    ("arguments", "valid"),
    [
        (["nonsense"], "devices, doctor, env, plan, tune"),
        (["select", "--selection", "x", "--target", KEY], "pca_kmeans, kmeans, top_n"),
        (["select", "--normalisation", "x", "--target", KEY], "scaled, raw_cutoff"),
        (["select", "--type", "quad", "--target", KEY], "float, double, half"),
        (["select", "--operation", "x", "--target", KEY], "matmul"),
        (["select", "--target", "x"], KEY),
        (["select", "--target", KEY, "--num-kernels", "65"], "1..64"),
        (["explain", "--target", "x", "1", "2", "3"], KEY),
        (["explain", "--target", KEY, "1", "2"], "m k n"),
        (["configure", "--output-dir", "o", "--target-device", f"{KEY};x"], f"datasets: {KEY}"),
        (["configure", "--output-dir", "o", "--target-device", ";"], "valid: auto"),
        (["devices", "--format", "xml"], "text, json"),
        (["env", "--format", "xml"], "sh, json, cmake"),
        (["dataset", "show", "x"], KEY),
        (["dataset", "export", "x"], KEY),
        (["configure", "--output-dir", "o", "--target-device", "x"], KEY),
        (["configure", "--output-dir", "o", "--tune", "x"], "AUTO, REUSE, FORCE, OFF"),
        (["configure", "--output-dir", "o", "--data-types", "quad"], "float, double, half"),
        (["configure", "--output-dir", "o", "--selection", "x"], "pca_kmeans"),
        (["tune", "--only-problems"], "--problems"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unknown_names_list_the_valid_ones(commands, arguments, valid):
    status, out, err = commands(*arguments)
    assert (status, out) == (ExitCode.USAGE, "")
    assert valid in err
    assert "Traceback" not in err


def test_quiet_says_less(commands):
    arguments = ["configure", "--output-dir", commands.folder / "out", "--target-device", KEY]
    assert "warning" in commands("-q", *arguments, *QUICK)[2]
