# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Time of the first calls of a process, with and without native binaries in the library.

python benchmarks/first_call/first_call.py [--samples N] [--num-kernels N]

Builds for the device at hand, from its stored measurements. Every sample is a process of its
own, and the ways take turns, so that all of them see the same phases of the machine.
"""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tuning"))

from hornbeam.device import environment, tunable_device, wheel_prefix  # noqa: E402

LIBRARIES = {"SPIR-V": "OFF", "native": "ON"}


def _run(*command: str | Path, env: Mapping[str, str] | None = None) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, "PATH": path, **(env or {})},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise click.ClickException(f"{command[0]} failed:\n{done.stdout[-3000:]}")
    return done.stdout


def _build(folder: Path, native: str, target: str, n_kernels: int) -> Path:
    _run(
        *("cmake", "-S", Path(__file__).parent, "-B", folder, "-G", "Ninja"),
        *("-DCMAKE_BUILD_TYPE=Release", "-DHORNBEAM_TUNE=REUSE"),
        f"-DHORNBEAM_PYTHON={sys.executable}",
        f"-DHORNBEAM_TARGET_DEVICE={target}",
        *("-DHORNBEAM_DATA_TYPES=float", f"-DHORNBEAM_NUM_KERNELS={n_kernels}"),
        f"-DHORNBEAM_NATIVE_BINARIES={native}",
    )
    _run("cmake", "--build", folder, "--target", "first_call")
    return folder / "first_call"


def _line(what: str, library: str, seconds: list[float]) -> str:
    low, middle, high = np.percentile(seconds, (25, 50, 75)) * 1e3
    return f"{what:34s}  {library:7s}  {middle:9.2f}  {low:8.2f} .. {high:.2f}"


@click.command()
@click.option("--samples", type=click.IntRange(1), default=20, show_default=True)
@click.option("--num-kernels", type=click.IntRange(1, 64), default=4, show_default=True)
@click.option("--target", help="Device key [default: the device at hand].")
def main(samples: int, num_kernels: int, target: str | None) -> None:
    """Build the program both ways, run it in turn and print medians and quartiles."""
    device = tunable_device()
    variables = environment(wheel_prefix())
    timed: dict[tuple[str, str], list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        programs = {
            library: _build(Path(folder, library), native, target or device.key, num_kernels)
            for library, native in LIBRARIES.items()
        }
        before = os.getloadavg()[0]
        for _ in range(samples):
            for library, program in programs.items():
                for mode in ("", "prepare"):
                    words = _run(program, mode, env=variables).split()
                    timed.setdefault((library, mode), []).append([float(word) for word in words])
    click.echo(f"device  {device.name} ({device.key}), driver {device.driver}")
    click.echo(f"date    {datetime.datetime.now(tz=datetime.timezone.utc):%Y-%m-%d}")
    click.echo(f"load    {before:.1f} before, {os.getloadavg()[0]:.1f} after")
    click.echo(f"{samples} processes each; {num_kernels} kernels and the reference, float; ms")
    click.echo(f"{'':34s}  {'library':7s}  {'median':>9s}  quartiles")
    for what, mode, column in (
        ("first call", "", 1),
        ("second call", "", 2),
        ("prepare() of all kernels", "prepare", 0),
        ("first call after prepare()", "prepare", 1),
    ):
        for library in programs:
            seconds = [sample[column] for sample in timed[library, mode]]
            click.echo(_line(what, library, seconds))


if __name__ == "__main__":
    main()
