# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Which devices a worker measures on, and the options that ask for workers."""

from __future__ import annotations

from dataclasses import replace

import pytest

import synthetic
from hornbeam.bench import Deadline, Tools
from hornbeam.device import Probe
from hornbeam.errors import DeviceError, ExitCode
from hornbeam.pipeline import campaign, measuring, spreading

GPU = replace(synthetic.DEVICE, key="acme-gpu-g1-4cu", type="gpu", name="Acme G1")


@pytest.fixture
def here(monkeypatch):
    """Sets the devices of this machine."""

    def devices(*found):
        monkeypatch.setattr(campaign, "build_tools", lambda _: Tools(("compiler",), ("driver",)))
        monkeypatch.setattr(spreading, "_found", lambda: Probe(found, ""))
        monkeypatch.setattr(spreading, "tunable_device", lambda: found[0])

    return devices


def test_a_worker_offers_each_device_that_takes_spirv(here):
    deaf = replace(GPU, supports_spirv=False)
    here(synthetic.DEVICE, deaf, GPU, GPU)
    found = spreading.benches_here("matmul", Deadline())
    assert [bench.position for bench in found] == [None, 2, 3], "none where the kind says enough"
    assert [bench.source.device_key for bench in found] == [synthetic.DEVICE.key, *[GPU.key] * 2]


def test_a_worker_without_a_device_says_so(monkeypatch):
    monkeypatch.setattr(spreading, "_found", lambda: Probe((), "no driver"))
    monkeypatch.setattr("hornbeam.device.probe", lambda: Probe((), "no driver"))
    with pytest.raises(DeviceError, match="no usable device: no driver"):
        spreading.benches_here("matmul", Deadline())


def test_workers_do_not_share_a_device(commands, here):
    commands.pretend_to_measure()
    here(synthetic.DEVICE, GPU)
    status, _, err = commands("tune", "--workers", "2")
    assert status == ExitCode.USAGE
    assert "this machine has 1 like Acme 9000" in err
    status, _, err = commands("tune", "--workers", "1", "--scheduler", "tcp://127.0.0.1:1")
    assert status == ExitCode.USAGE
    assert "exclude each other" in err


def test_without_dask_it_is_named(commands, monkeypatch):
    commands.pretend_to_measure()
    monkeypatch.setattr(spreading, "find_spec", lambda _: None)
    status, _, err = commands("tune", "--scheduler", "tcp://127.0.0.1:1")
    assert status == ExitCode.USAGE
    assert "pip install 'hornbeam[distributed]'" in err


def test_a_command_measures_on_workers(commands, here, monkeypatch):
    """The plan is made for all of them, and carried out by the cluster."""
    pytest.importorskip("distributed", reason="requirements-distributed.txt is not installed")
    asked = commands.pretend_to_measure()
    here(synthetic.DEVICE)
    measure, seen = measuring.measure, []

    def noted(campaign, plan, bench, deadline, run):
        seen.append(run.__self__)
        return measure(campaign, plan, bench, deadline)

    monkeypatch.setattr(measuring, "measure", noted)
    status, out, _ = commands("tune", "--workers", "1", "--data-types", "float")
    assert status == ExitCode.OK
    assert "5 problems x 40 configurations" in out
    assert len(asked) == 1
    assert seen[0].set_up is spreading.benches_here
