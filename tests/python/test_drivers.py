# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Driver registrations, and the diagnosis of a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from hornbeam import doctor, drivers
from hornbeam.device import Probe


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("OCL_ICD_VENDORS", raising=False)


def _wheel(tmp_path: Path) -> Path:
    prefix = tmp_path / "prefix"
    (prefix / "lib").mkdir(parents=True)
    (prefix / "lib/libintelocl.so").touch()
    return prefix


def _system(tmp_path: Path) -> Path:
    folder = tmp_path / "vendors"
    folder.mkdir()
    (folder / "pocl.icd").write_text("libpocl.so.2\n")
    (folder / "gone.icd").write_text("/opt/gone/libgone.so\n")
    (folder / "empty.icd").write_text("")
    return folder


def test_wheel_and_system_drivers_are_both_registered(tmp_path: Path) -> None:
    prefix = _wheel(tmp_path)
    folder = drivers.compose_vendors(prefix, _system(tmp_path))
    assert folder is not None
    found = [library for _, library in drivers.registrations(folder)]
    assert found == [str(prefix / "lib/libintelocl.so"), "libpocl.so.2"]
    assert drivers.compose_vendors(prefix, tmp_path / "vendors") == folder


def test_without_any_driver_nothing_is_registered(tmp_path: Path) -> None:
    assert drivers.compose_vendors(None, tmp_path / "none") is None


def test_an_unwritable_cache_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert drivers.compose_vendors(_wheel(tmp_path), tmp_path / "none") is None


def test_the_users_own_setting_is_respected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", "/my/vendors")
    assert drivers.environment(_wheel(tmp_path)) == {"OCL_ICD_VENDORS": "/my/vendors"}


def test_doctor_without_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "probe", lambda: Probe((), "no OpenCL driver is registered"))
    monkeypatch.setattr(drivers, "wheel_prefix", lambda: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("OCL_ICD_VENDORS", str(_system(tmp_path)))
    checks = {check.name: check for check in doctor.doctor()}
    assert checks["sycl toolchain"].ok is False
    assert "pip install dpcpp-cpp-rt" in checks["sycl toolchain"].advice
    assert checks["devices"].ok is False
    assert checks["devices"].found == "no OpenCL driver is registered"
    assert checks["spir-v"].ok is None
    assert checks["c++ compiler"].advice == "install g++"
    assert checks["driver registration"].ok is False
    assert checks["cache folder"].ok
    assert all(check.advice for check in checks.values() if check.ok is False)
    assert not any(check.advice for check in checks.values() if check.ok)


def test_doctor_on_this_machine() -> None:
    names = [check.name for check in doctor.doctor()]
    assert {"python", "sycl toolchain", "devices", "spir-v", "cmake"} <= set(names)
