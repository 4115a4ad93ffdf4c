# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Commands that ask about this machine."""

from __future__ import annotations

import json
import subprocess

import synthetic
from command_world import KEY
from hornbeam.errors import ExitCode


def test_devices(commands, monkeypatch):
    status, out, err = commands("devices")
    assert (status, out) == (ExitCode.NOTHING_FOUND, "")
    assert "no OpenCL driver is registered" in err
    commands.devices(synthetic.DEVICE)
    status, out, _ = commands("devices")
    assert status == ExitCode.OK
    assert KEY in out
    document = json.loads(commands("devices", "--format", "json")[1])
    assert document["devices"][0]["limits"]["compute_units"] == 4


def test_doctor(commands):
    status, out, _ = commands("doctor")
    assert status in (ExitCode.OK, ExitCode.FAILED)
    assert "python" in out
    checks = json.loads(commands("doctor", "--format", "json")[1])["checks"]
    assert {"name", "ok", "found", "advice"} == set(checks[0])


def test_env_in_every_format(commands, monkeypatch):
    value = "/a path/with 'quotes' $(x) ]]"
    monkeypatch.setenv("OCL_ICD_VENDORS", value)
    shell = commands("env")[1]
    script = f'{shell}\nprintf %s "$OCL_ICD_VENDORS"'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == value
    assert json.loads(commands("env", "--format", "json")[1]) == {"OCL_ICD_VENDORS": value}
    assert commands("env", "--format", "cmake")[1] == f"set(ENV{{OCL_ICD_VENDORS}} [=[{value}]=])\n"
