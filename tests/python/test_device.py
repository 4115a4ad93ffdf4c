# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Looking for devices with whatever drivers there are."""

from __future__ import annotations

import re
import sys
import types
from typing import Any

import pytest

from hornbeam.device import devices, probe, tunable_device
from hornbeam.device_keys import KEY_PATTERN, parse_key
from hornbeam.device_naming import NAMING
from hornbeam.errors import DeviceError


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
    assert found.limits.vector_width is None, "this driver does not tell"


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
    (found,) = devices()
    assert found.architecture == architecture
    assert found.limits.vector_width == min(floats, 8), "the machine's vectors hold 8"
    assert sorted(asked) == sorted(widths)


def test_a_driver_that_does_not_tell_is_taken_at_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(name: str) -> int:
        raise _FakeError("INVALID_OPERATION")

    _install_probe(monkeypatch, refuse)
    (found,) = devices()
    assert (found.architecture, found.limits.vector_width) == ("avx2", 8)


@pytest.mark.parametrize("version", ["OpenCL 1.2 x", "OpenCL 2.0", "", "nonsense"])
def test_old_drivers_are_not_asked(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    asked = _install_probe(monkeypatch, lambda name: 4, version=version)
    assert devices()[0].architecture == "avx2"
    assert asked == []


def test_the_devices_of_this_machine_have_valid_keys() -> None:
    for found in devices():
        assert re.fullmatch(KEY_PATTERN, found.key)
        assert parse_key(found.key) is not None
