# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Size of the library, and time to build it, against the number of deployed kernels.

python benchmarks/library_size.py [--target KEY] [--data-types float] [--native-binaries] [N ...]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[1]
TOOLS = Path(sys.executable).parent


def _run(*command: str | Path) -> None:
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [str(word) for word in command],
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise click.ClickException(f"{command[0]} failed:\n{done.stdout[-3000:]}")


def _build(folder: Path, n_kernels: int, *options: str) -> tuple[int, float]:
    """Build one library; returns its stripped size in bytes and the seconds of its build."""
    _run(
        *("cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"),
        *("-DBUILD_SHARED_LIBS=ON", "-DHORNBEAM_BUILD_TESTS=OFF", "-DHORNBEAM_TUNE=REUSE"),
        f"-DHORNBEAM_PYTHON={sys.executable}",
        f"-DHORNBEAM_NUM_KERNELS={n_kernels}",
        *options,
    )
    # The tools are the same for all libraries: built before the clock starts.
    _run("cmake", "--build", folder, "--target", "hornbeam-device-compiler")
    start = time.monotonic()
    _run("cmake", "--build", folder, "--target", "hornbeam")
    seconds = time.monotonic() - start
    library = folder / "libhornbeam.so"
    _run("strip", library)
    return library.resolve().stat().st_size, seconds


@click.command()
@click.argument("numbers", nargs=-1, type=click.IntRange(1, 64))
@click.option("--target", default="auto", show_default=True, help="Device key.")
@click.option("--data-types", default="float", show_default=True, help="Separated by commas.")
@click.option("--native-binaries", is_flag=True, help="Needs the target device.")
def main(numbers: tuple[int, ...], target: str, data_types: str, native_binaries: bool) -> None:
    """Build libraries with N deployed kernels each (default: 1 4 8 16) and print their sizes."""
    options = [
        f"-DHORNBEAM_TARGET_DEVICE={target}",
        f"-DHORNBEAM_DATA_TYPES={data_types.replace(',', ';')}",
        f"-DHORNBEAM_NATIVE_BINARIES={'ON' if native_binaries else 'OFF'}",
    ]
    click.echo("kernels  size of libhornbeam.so, stripped  build time")
    for n_kernels in numbers or (1, 4, 8, 16):
        with tempfile.TemporaryDirectory() as folder:
            size, seconds = _build(Path(folder), n_kernels, *options)
        click.echo(f"{n_kernels:7d}  {size / 1024:29.0f} KiB  {seconds:8.1f} s")


if __name__ == "__main__":
    main()
