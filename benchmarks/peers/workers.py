# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Builds the programs that take part and makes their processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path

import clblast_tuning
from hornbeam.bench import Driver
from hornbeam.errors import BenchmarkError
from hornbeam.types import DeviceInfo
from measuring import Participant
from own_builds import BASE, OWN

HERE = Path(__file__).resolve().parent
#: Pools of threads sleep when they have nothing to do; see also `measuring.settle`.
_VARIABLES = {"OMP_WAIT_POLICY": "passive", "KMP_BLOCKTIME": "0"}
#: The memory of all participants has pages of the same kind: USM's is not advised to be huge.
_OPENBLAS_VARIABLES = {"NUMPY_MADVISE_HUGEPAGE": "0"}
_START_LIMIT_S = 600.0


@dataclass(frozen=True)
class Absent:
    """A library that does not take part.

    Attributes:
        name, label: see `Participant`.
        reason: why not.
    """

    name: str
    label: str
    reason: str


def mkl_root() -> Path | None:
    """Prefix of the wheels onemkl-sycl-blas and onemkl-sycl-include; None without both."""
    roots = []
    for package, name in (
        ("onemkl-sycl-blas", "libmkl_sycl_blas"),
        ("onemkl-sycl-include", "blas.hpp"),
    ):
        try:
            files = metadata.files(package) or []
        except metadata.PackageNotFoundError:
            return None
        roots += [Path(str(f.locate())).resolve() for f in files if f.name.startswith(name)][:1]
    return next((path.parents[1] for path in roots if path.name.startswith("libmkl")), None)


def versions() -> dict[str, str]:
    """Versions of the packages that matter."""
    names = ("dpcpp-cpp-rt", "intel-opencl-rt", "onemkl-sycl-blas", "mkl", "numpy", "tbb")
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def build(folder: Path, options: Sequence[str], jobs: int) -> None:
    """Build all programs; of the others those that can be built.

    Raises:
        BenchmarkError: the end of what the build printed.
    """
    root = mkl_root()
    common = ["-DCMAKE_BUILD_TYPE=Release", f"-DHORNBEAM_PYTHON={sys.executable}"]
    common += ["-DHORNBEAM_DATA_TYPES=float", "-DHORNBEAM_INSTALL=OFF"]
    # So that a start, which compiles every kernel, takes no minute.
    common += ["-DHORNBEAM_NATIVE_BINARIES=ON", *options]
    for name, (_, more) in OWN.items():
        target = "all" if name == BASE else "hornbeam_worker"
        mkl = f"-DPEERS_MKL_ROOT={root if root and name == BASE else ''}"
        _run("cmake", "-S", HERE, "-B", folder / name, "-G", "Ninja", *common, mkl, *more)
        _run("cmake", "--build", folder / name, f"-j{jobs}", "--target", target)


def _run(*command: str | Path) -> None:
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, "PATH": beside},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BenchmarkError(f"{' '.join(map(str, command))} failed:\n{done.stdout[-4000:]}")


def participants(
    folder: Path, device: DeviceInfo, tuning_s: float
) -> tuple[list[Participant], list[Absent]]:
    """Every library, in a process of its own that is not started yet, and those that are absent.

    Args:
        folder: of the builds.
        device: that those in SYCL and OpenCL run on.
        tuning_s: seconds for CLBlast's tuners, where they have not run before.
    """
    present: list[Participant] = []
    absent: list[Absent] = []

    def add(name: str, label: str, command: Sequence[str | Path], reason: str) -> None:
        if Path(command[0]).exists():
            program = [str(word) for word in command]
            driver = Driver(program, device, _VARIABLES, _START_LIMIT_S)
            present.append(Participant(name, label, driver))
        else:
            absent.append(Absent(name, label, reason))

    worker = folder / BASE / "clblast_worker"
    no_clblast = "clblast_c.h or libclblast is missing (Debian: libclblast-dev)"
    for name, (label, _) in OWN.items():
        add(name, label, [folder / name / "hornbeam_worker"], "not built")
    add(
        "onemkl",
        "oneMKL SYCL gemm, gemm_batch",
        [folder / BASE / "onemkl_worker"],
        "onemkl-sycl-blas or onemkl-sycl-include is missing (requirements-bench.txt)",
    )
    add("clblast", "CLBlast, untuned", [worker], no_clblast)
    if worker.exists():
        tuned = clblast_tuning.parameters(folder / "clblast", device, tuning_s)
        if tuned.arguments:
            add("clblast_tuned", "CLBlast, tuned", [worker, *tuned.arguments], "")
        else:
            absent.append(Absent("clblast_tuned", "CLBlast, tuned", tuned.reason))
    else:
        absent.append(Absent("clblast_tuned", "CLBlast, tuned", no_clblast))
    present.append(_openblas(device))
    return present, absent


def limits(folder: Path, device: DeviceInfo, stream_bytes: int) -> list[Participant]:
    """The program that measures what the processor can do; empty without OpenMP."""
    program = folder / BASE / "limits_worker"
    if not program.exists():
        return []
    return [_host_process("limits", "limits", [str(program), str(stream_bytes)], device, {})]


def _openblas(device: DeviceInfo) -> Participant:
    program = [sys.executable, str(HERE / "openblas_worker.py")]
    return _host_process("openblas", "OpenBLAS through numpy", program, device, _OPENBLAS_VARIABLES)


def _host_process(
    name: str, label: str, command: Sequence[str], device: DeviceInfo, more: Mapping[str, str]
) -> Participant:
    """A process that knows of no device but the processor that it runs on."""
    host = replace(device, name="host", driver="")
    driver = Driver(command, host, {**_VARIABLES, **more}, _START_LIMIT_S)
    return Participant(name, label, driver)


def compiler() -> str:
    """The C++ compiler's first line about itself."""
    name = os.environ.get("CXX", "g++")
    if shutil.which(name) is None:
        return name
    done = subprocess.run([name, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[0]
