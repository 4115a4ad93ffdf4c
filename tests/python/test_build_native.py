# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""When a build embeds native binaries, and what it says where it can't."""

from __future__ import annotations

from dataclasses import replace

import pytest

import synthetic
from build_world import KEY, STRANGER, small_dataset
from hornbeam.pipeline import Tune, manifest

NONE = ["set(HORNBEAM_NATIVE_DEVICE)", "set(HORNBEAM_NATIVE_DRIVER)"]


def native_lines(world):
    text = (world.output / manifest.CMAKE_NAME).read_text().replace("\n  ", " ")
    return [line for line in text.splitlines() if "NATIVE" in line]


@pytest.mark.parametrize("tune", [Tune.AUTO, Tune.REUSE, Tune.OFF])
@pytest.mark.parametrize("targets", [(KEY,), ("auto",)])
def test_the_target_is_here(world, tune, targets):
    world.store(small_dataset())
    others = (STRANGER,) if targets == (KEY,) else ()
    world.device(*others, synthetic.DEVICE)
    result = world.configure(targets=targets, tune=tune, native_binaries=True)
    assert result.warnings == ()
    assert result.native == synthetic.DEVICE
    assert native_lines(world) == [
        "set(HORNBEAM_NATIVE_DEVICE [[Acme 9000]])",
        "set(HORNBEAM_NATIVE_DRIVER [[1.2.3]])",
    ]


@pytest.mark.parametrize(
    "device", [STRANGER, replace(synthetic.DEVICE, supports_spirv=False), None]
)
def test_the_target_is_not_here(world, device):
    world.store(small_dataset())
    world.device(*([device] if device else []))
    result = world.configure(targets=(KEY,), native_binaries=True, tune=Tune.REUSE)
    (warning,) = result.warnings
    assert f"no native binaries are embedded: they need {KEY} in the build machine" in warning
    assert (device.key if device else "no OpenCL driver is registered") in warning
    assert native_lines(world) == NONE


def test_without_the_option_no_device_is_looked_for(world, monkeypatch):
    world.store(small_dataset())
    monkeypatch.setattr("hornbeam.pipeline.machine.probe", lambda: pytest.fail("looked"))
    assert world.configure(targets=(KEY,), tune=Tune.REUSE).native is None
    assert native_lines(world) == NONE


def test_switching_it_changes_no_source(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    before = world.configure(targets=(KEY,)).manifest
    switched = world.configure(targets=(KEY,), native_binaries=True)
    assert switched.up_to_date
    assert switched.manifest == before
    assert native_lines(world) != NONE
