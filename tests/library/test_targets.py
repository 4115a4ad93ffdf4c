# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A library built for two targets: the device decides which of them serves it.

The CPU driver can be told to generate code for another CPU, which makes another device of this
machine; a process that may use one processor finds one compute unit.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from ask_target import ask, ask_ahead
from hornbeam.device import devices
from hornbeam.device_keys import closest, match_of, parse_key
from library_binding import Library
from two_targets import KERNELS

ONE_PROCESSOR = ("taskset", "-c", "0")
SETTING = "CL_CONFIG_CPU_TARGET_ARCH"
# Its values, and what they make of the device.
SETTINGS = {"": "", "core-avx2": "avx2", "corei7-avx": "avx", "corei7": "sse42", "skx": "avx512"}


@pytest.fixture(scope="module", autouse=True)
def driver_that_can_be_told() -> None:
    if SETTING in os.environ:
        pytest.skip(f"{SETTING} is set: the build's target is another device")
    here = devices()
    if not here or here[0].platform != "Intel(R) OpenCL" or here[0].type != "cpu":
        pytest.skip("the device of this machine is not a CPU under Intel's OpenCL driver")


def runs_here(architecture: str) -> bool:
    """Whether the machine has an instruction set, by what its device is without any setting."""
    order = ["sse42", "avx", "avx2", "avx512"]
    parts = parse_key(devices()[0].key)
    assert parts is not None
    return order.index(architecture) <= order.index(parts.architecture)


def ways() -> list[dict[str, str]]:
    """Settings under which every kernel runs here: one thread, no vectors, no FMA instruction."""
    return [
        {},
        {"CL_CONFIG_CPU_TBB_NUM_WORKERS": "1"},
        {"CL_CONFIG_CPU_VECTORIZER_MODE": "1"},
        *({SETTING: value} for value, name in SETTINGS.items() if value and runs_here(name)),
    ]


@pytest.fixture(scope="module")
def asked(driver_that_can_be_told: None, build_folder: Path) -> Path:
    """The build folder, after everything that takes long was asked."""
    questions = [(way, ["--run"], ()) for way in ways()]
    ask_ahead(build_folder, [*questions, ({}, ["--run"], ONE_PROCESSOR)])
    return build_folder


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_device_decides(asked: Path, targets: list[str], setting: str) -> None:
    architecture = SETTINGS[setting]
    flags = ["--run"] if not architecture or runs_here(architecture) else []
    answers = ask(asked, {SETTING: setting} if setting else {}, *flags)
    key, told = answers["key"], answers["told"]
    assert not architecture or architecture in key.split("-")
    chosen = closest(key, targets)
    assert chosen is not None
    assert told["device"] == key, "the library and Python name the device alike"
    assert told["target"] == told["dataset_key"] == chosen[0]
    assert told["match"] == match_of(key, told["dataset_key"]).value == chosen[1].value
    assert answers.get("wrong", []) == []
    assert all(len(digests) == 1 for digests in answers.get("bits", {}).values())


def test_each_target_has_its_own_kernels(build_folder: Path, targets: list[str]) -> None:
    native, other = targets
    architectures = {SETTINGS[setting]: setting for setting in SETTINGS if setting}
    kernels = {}
    for key in targets:
        answers = ask(build_folder, {SETTING: architectures[key.split("-")[2]]})
        assert answers["told"]["target"] == key
        kernels[key] = answers["kernels"]
    assert set(kernels[native]) != set(kernels[other])
    *selected, last = kernels[other]
    assert last == "reference"
    assert set(selected) == set(KERNELS)


def test_other_numbers_of_compute_units_are_family(asked: Path, targets: list[str]) -> None:
    answers = ask(asked, {}, "--run", under=ONE_PROCESSOR)
    if answers["key"] in targets:
        pytest.skip("the driver counts the same compute units with one processor")
    assert answers["told"]["match"] == "family"
    assert answers["wrong"] == []


def test_the_bits_are_the_same_whatever_the_driver_does(asked: Path) -> None:
    """Every kernel of both targets, on one thread, without vectors, without an FMA instruction."""
    bits = [ask(asked, way, "--run")["bits"] for way in ways()]
    assert set(bits[0]) == {"float", "double", "half"}
    assert all(len(digests) == 1 for digests in bits[0].values())
    for way, other in zip(ways(), bits, strict=True):
        assert other == bits[0], way


@pytest.mark.parametrize("device", ["answers", "refuses"])
def test_a_device_is_asked_once_and_served_whatever_it_says(
    build_folder: Path, device: str
) -> None:
    program = build_folder / "tests" / "cpp" / "hornbeam_target_test"
    done = subprocess.run([program, device], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_build_info_lists_all_targets(library: Library, targets: list[str]) -> None:
    found = library.build_info()["targets"]
    assert [one["key"] for one in found] == [one["dataset_key"] for one in found] == targets
    assert [one["match"] for one in found] == ["exact", "exact"]
