# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Device keys and how closely they match."""

from __future__ import annotations

import pytest

from hornbeam.device import match
from hornbeam.device_keys import (
    cpu_architecture,
    device_architecture,
    hardware_vendor,
    parse_key,
)
from hornbeam.device_naming import VectorWidths
from hornbeam.types import Match
from tuning_helpers import device


@pytest.mark.parametrize(
    ("name", "vendor", "maker"),
    [
        ("AMD EPYC 7763 64-Core Processor", "Intel(R) Corporation", "amd"),
        ("AMD Ryzen 7 5800U with Radeon Graphics", "Intel(R) Corporation", "amd"),
        ("Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz", "Intel(R) Corporation", "intel"),
        ("pthread-Intel(R) Core(TM) i7-6700K CPU", "GenuineIntel", "intel"),
        ("cpu-znver3-AMD EPYC", "AuthenticAMD", "amd"),
        ("gfx906:sramecc+:xnack-", "Advanced Micro Devices, Inc.", "amd"),
        ("NVIDIA GeForce RTX 3080", "NVIDIA Corporation", "nvidia"),
        ("Tesla V100-SXM2", "NVIDIA Corporation", "nvidia"),
        ("Mali-G71", "ARM", "arm"),
        ("QEMU Virtual CPU version 2.5+", "Intel(R) Corporation", "intel"),
        ("Mystery 9000", "Acme Computing", "acme"),
        ("", "", "unknown"),
    ],
)
def test_the_maker_is_the_hardwares(name: str, vendor: str, maker: str) -> None:
    assert hardware_vendor(name, vendor) == maker


@pytest.mark.parametrize(
    ("machine", "widths", "architecture"),
    [
        ("x86_64", (16, 16), "avx512"),
        ("x86_64", (8, 8), "avx2"),
        ("x86_64", (8, 4), "avx"),
        ("AMD64", (4, 4), "sse42"),
        ("x86_64", (1, 1), "x86"),
        ("aarch64", (4, 4), "aarch64"),
        ("", (4, 4), "generic"),
    ],
)
def test_cpus_are_told_apart_by_vector_width(
    machine: str, widths: tuple[int, int], architecture: str
) -> None:
    assert cpu_architecture(machine, VectorWidths(*widths)) == architecture


def test_the_first_known_vector_width_decides() -> None:
    unknown, generated, native = VectorWidths(64, 64), VectorWidths(4, 4), VectorWidths(8, 8)
    assert cpu_architecture("x86_64", generated, native) == "sse42"
    assert cpu_architecture("x86_64", unknown, native) == "avx2"


@pytest.mark.parametrize(
    ("name", "vendor", "architecture"),
    [
        ("Intel(R) UHD Graphics 770", "intel", "uhd-770"),
        ("Intel(R) UHD Graphics [0x9a60]", "intel", "uhd"),
        ("Intel(R) Iris(R) Xe Graphics", "intel", "iris-xe"),
        ("NVIDIA GeForce RTX 3080", "nvidia", "geforce-rtx-3080"),
        ("gfx906:sramecc+:xnack-", "amd", "gfx906"),
        ("AMD Radeon RX 6800 XT (navi21, LLVM 15.0.7, DRM 3.49)", "amd", "radeon-rx-6800-xt"),
        ("Mali-G71 r0p1", "arm", "mali-g71"),
        ("(R)", "acme", "generic"),
    ],
)
def test_names_are_normalised(name: str, vendor: str, architecture: str) -> None:
    assert device_architecture(name, vendor) == architecture


def test_keys_are_parsed() -> None:
    parts = parse_key("nvidia-gpu-geforce-rtx-3080-68cu")
    assert parts is not None
    assert (parts.architecture, parts.units) == ("geforce-rtx-3080", 68)
    assert str(parts) == "nvidia-gpu-geforce-rtx-3080-68cu"
    assert parse_key("my-own-box") is None


KEYS = (
    "amd-cpu-avx2-8cu",
    "intel-cpu-avx2-4cu",
    "intel-cpu-avx2-16cu",
    "intel-cpu-avx512-2cu",
    "intel-gpu-uhd-770-32cu",
    "my-own-box",
)


@pytest.mark.parametrize(
    ("key", "chosen", "level"),
    [
        ("intel-cpu-avx2-4cu", "intel-cpu-avx2-4cu", Match.EXACT),
        ("my-own-box", "my-own-box", Match.EXACT),
        ("intel-cpu-avx2-6cu", "intel-cpu-avx2-4cu", Match.FAMILY),
        ("intel-cpu-avx2-64cu", "intel-cpu-avx2-16cu", Match.FAMILY),
        ("amd-cpu-avx2-2cu", "amd-cpu-avx2-8cu", Match.FAMILY),
        ("amd-cpu-avx512-8cu", "intel-cpu-avx512-2cu", Match.FAMILY),
        ("amd-cpu-sse42-8cu", "amd-cpu-avx2-8cu", Match.DEFAULT),
        ("amd-gpu-gfx906-60cu", "intel-gpu-uhd-770-32cu", Match.DEFAULT),
        ("acme-accelerator-x1-1cu", "intel-cpu-avx512-2cu", Match.DEFAULT),
        ("some-other-box", "amd-cpu-avx2-8cu", Match.DEFAULT),
    ],
)
def test_matching(key: str, chosen: str, level: Match) -> None:
    found = match(key, KEYS)
    assert found is not None
    assert found[1] is level
    if level is not Match.DEFAULT or "accelerator" not in key:
        assert found[0] == chosen


def test_matching_does_not_depend_on_the_order_of_keys() -> None:
    answers = {match("amd-cpu-avx2-2cu", keys) for keys in (KEYS, KEYS[::-1])}
    assert len(answers) == 1
    assert match(device(), []) is None
