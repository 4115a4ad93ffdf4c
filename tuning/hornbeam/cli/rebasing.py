# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam dataset rebase``: measurements kept where an edit leaves the kernels as they were."""

from __future__ import annotations

from pathlib import Path

import click

from hornbeam import paths
from hornbeam.bench import Deadline, build_tools, module_cache_dir
from hornbeam.bench.modules import CompileJob
from hornbeam.device import environment, wheel_prefix
from hornbeam.drivers import compiler_version
from hornbeam.rebase import rebase as rebase_datasets


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--kernels",
    "old_headers",
    required=True,
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder include/ of the version that was measured.",
)
def rebase(folder: Path, old_headers: Path) -> None:
    """Carry the measurements in the FOLDER of a device over to edited kernel headers.

    Compiles every kernel that was measured and whose headers were edited, from the old headers and
    from those of this version, and records the new headers only if all modules are the same, byte
    for byte. Takes minutes.
    """
    job = CompileJob(
        compiler=build_tools(Deadline()).compiler,
        compiler_version=compiler_version(),
        include_dir=paths.include_dir(),
        cache_dir=module_cache_dir(),
        variables=tuple(environment(wheel_prefix()).items()),
    )
    compared = rebase_datasets(folder, old_headers, job)
    if compared:
        click.echo(f"{folder}: {compared} modules are the same; the new kernel digest is recorded")
    else:
        click.echo(f"{folder}: no kernel that was measured was edited")
