# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Device keys, matching, and looking for devices with whatever drivers there are."""

from __future__ import annotations

import re
import sys
import types
from typing import Any

import pytest

from hornbeam.device import devices, match, probe, tunable_device
from hornbeam.device_keys import (
    KEY_PATTERN,
    cpu_architecture,
    device_architecture,
    hardware_vendor,
    parse_key,
)
from hornbeam.device_naming import NAMING, VectorWidths
from hornbeam.errors import DeviceError
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


class _FakeDevice:
    """An OpenCL device; properties that are not set raise as those of old drivers do."""

    type = 2
    name = "Genuine  CPU"
    vendor = "Intel(R) Corporation"

    def __init__(self, **properties: Any) -> None:
        self.__dict__.update(properties)

    def __getattr__(self, name: str) -> Any:
        raise _FakeError(f"{name}: INVALID_VALUE")


class _FakeError(Exception):
    pass


def _install(monkeypatch: pytest.MonkeyPatch, platforms: Any) -> None:
    module = types.ModuleType("pyopencl")
    module.Error = _FakeError  # type: ignore[attr-defined]
    module.get_platforms = platforms  # type: ignore[attr-defined]
    module.device_type = types.SimpleNamespace(CPU=2, GPU=4)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pyopencl", module)


def _platform(*found: _FakeDevice) -> Any:
    return types.SimpleNamespace(name="A platform", get_devices=lambda: list(found))


def test_no_pyopencl(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyopencl", None)
    assert devices() == []
    assert "pyopencl cannot be imported" in probe().problem
    with pytest.raises(DeviceError, match=r"pyopencl.*hornbeam doctor"):
        tunable_device()


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Any:
        raise _FakeError("PLATFORM_NOT_FOUND_KHR")

    _install(monkeypatch, none)
    assert "no OpenCL driver is registered" in probe().problem


def test_a_driver_without_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise _FakeError("DEVICE_NOT_FOUND")

    platform = types.SimpleNamespace(name="A platform", get_devices=broken)
    _install(monkeypatch, lambda: [platform])
    assert probe().problem == "the OpenCL drivers offer no device"


def test_only_a_driver_without_spirv(monkeypatch: pytest.MonkeyPatch) -> None:
    _install(monkeypatch, lambda: [_platform(_FakeDevice(name="pthread-AMD EPYC"))])
    (found,) = devices()
    assert not found.supports_spirv
    assert found.data_types == ("float",)
    with pytest.raises(DeviceError, match="no SPIR-V support in the driver of pthread-AMD EPYC"):
        tunable_device()


def test_properties_of_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu = _FakeDevice(
        type=4,
        name="Intel(R) UHD Graphics 770",
        max_compute_units=32,
        max_work_group_size=512,
        local_mem_size=65536,
        driver_version="23.1",
        il_version="SPIR-V_1.2",
        double_fp_config=0,
        extensions="cl_khr_fp16 cl_khr_icd",
    )
    _install(monkeypatch, lambda: [_platform(_FakeDevice(), gpu)])
    found = tunable_device()
    assert found.key == "intel-gpu-uhd-770-32cu"
    assert found.data_types == ("float", "half")
    assert found.limits.max_work_group_size == 512


def _install_probe(monkeypatch: pytest.MonkeyPatch, answer: Any, **properties: Any) -> list[str]:
    """A driver with a CPU of eight lanes that answers for kernels as it is told to.

    Returns:
        Names of the kernels that were asked about, filled as it happens.
    """
    asked: list[str] = []

    class Kernel:
        def __init__(self, program: Any, name: str) -> None:
            self.name = name

        def get_sub_group_info(self, device: Any, question: str, sizes: list[int]) -> int:
            assert (question, sizes) == ("width", [NAMING.probe.group])
            asked.append(self.name)
            width: int = answer(self.name)
            return width

    class Program:
        def __init__(self, context: Any, source: str) -> None:
            assert source == NAMING.probe.source

        def build(self, cache_dir: bool) -> Program:
            assert cache_dir is False, "the driver's settings may have changed"
            return self

    native = {"native_vector_width_float": 8, "native_vector_width_int": 8}
    device = _FakeDevice(
        **{"version": "OpenCL 3.0 x", "max_compute_units": 2, **native, **properties}
    )
    _install(monkeypatch, lambda: [_platform(device)])
    module = sys.modules["pyopencl"]
    module.Context = list  # type: ignore[attr-defined]
    module.Program = Program  # type: ignore[attr-defined]
    module.Kernel = Kernel  # type: ignore[attr-defined]
    module.kernel_sub_group_info = types.SimpleNamespace(  # type: ignore[attr-defined]
        MAX_SUB_GROUP_SIZE_FOR_NDRANGE="width"
    )
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    return asked


@pytest.mark.parametrize(
    ("floats", "integers", "architecture"),
    [(16, 16, "avx512"), (8, 8, "avx2"), (8, 4, "avx"), (4, 4, "sse42"), (64, 64, "avx2")],
)
def test_a_cpu_is_what_its_driver_generates_code_for(
    monkeypatch: pytest.MonkeyPatch, floats: int, integers: int, architecture: str
) -> None:
    widths = {NAMING.probe.floats: floats, NAMING.probe.integers: integers}
    asked = _install_probe(monkeypatch, widths.__getitem__)
    assert devices()[0].architecture == architecture
    assert sorted(asked) == sorted(widths)


def test_a_driver_that_does_not_tell_is_taken_at_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> int:
        raise _FakeError("INVALID_OPERATION")

    _install_probe(monkeypatch, refuse)
    assert devices()[0].architecture == "avx2"


@pytest.mark.parametrize("version", ["OpenCL 1.2 x", "OpenCL 2.0", "", "nonsense"])
def test_old_drivers_are_not_asked(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    asked = _install_probe(monkeypatch, lambda name: 4, version=version)
    assert devices()[0].architecture == "avx2"
    assert asked == []


def test_the_devices_of_this_machine_have_valid_keys() -> None:
    for found in devices():
        assert re.fullmatch(KEY_PATTERN, found.key)
        assert parse_key(found.key) is not None
