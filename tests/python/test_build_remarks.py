# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a build tells the user although it goes on."""

from __future__ import annotations

from dataclasses import replace

import pytest

import synthetic
from build_world import KEY, SIBLING, small_dataset
from hornbeam.pipeline import Tune


def test_an_old_dataset_is_told_of(world):
    world.store(small_dataset(kernel_digest="0" * 64))
    (warning,) = world.configure(targets=(KEY,)).warnings
    assert f"since {KEY} was measured (2026-01-01), the kernels changed" in warning
    assert "HORNBEAM_TUNE=FORCE" in warning


@pytest.mark.parametrize("tune", [Tune.AUTO, Tune.REUSE])
def test_another_compiler_and_driver_are_told_of_once_in_one_line(world, tune):
    changes = {"compiler": "compiler 0", "driver": "0.9", "kernel_digest": "0" * 64}
    world.store(small_dataset(**changes), small_dataset(data_type="double", **changes))
    world.device(synthetic.DEVICE)
    (warning,) = world.configure(tune=tune).warnings
    assert "the kernels and the compiler (from compiler 0 to " in warning
    assert "the driver (from 0.9 to 1.2.3)" in warning


def test_the_compiler_and_driver_of_another_machine_do_not_matter(world):
    world.store(small_dataset(compiler="compiler 0", driver="0.9"))
    assert world.configure(targets=(KEY,)).warnings == ()
    world.device(SIBLING)
    assert world.configure(targets=(KEY,)).warnings == ()


def test_a_device_that_takes_no_spirv_is_told_of(world):
    world.store(small_dataset())
    world.device(replace(synthetic.DEVICE, supports_spirv=False, platform="Portable OpenCL"))
    (warning,) = world.configure().warnings
    assert "the OpenCL driver of Acme 9000 (Portable OpenCL) takes no SPIR-V" in warning
    assert "hornbeam doctor" in warning


def test_a_damaged_dataset_is_told_of(world):
    world.store(small_dataset())
    file = world.folder / "shipped" / KEY / "matmul-float.csv.gz"
    file.write_bytes(file.read_bytes()[:-40])
    result = world.configure(targets=(KEY,), data_types=("float",))
    assert any(str(file) in warning for warning in result.warnings)
