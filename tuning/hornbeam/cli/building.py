# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam generate`` and ``configure``: from selectors, or from everything, to sources."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from hornbeam.cli.common import (
    dataset_dir_option,
    emit_json,
    emit_lines,
    format_option,
    operation_option,
    problems_option,
)
from hornbeam.cli.learning import learning_options
from hornbeam.codegen import KernelForm
from hornbeam.operations import DEFAULT_DATA_TYPES
from hornbeam.pipeline import BuildOptions, BuildResult, Tune, parse_list, parse_tune
from hornbeam.pipeline import configure as configure_build
from hornbeam.pipeline import generate as generate_files
from hornbeam.pipeline.options import AUTO_TARGET, DEFAULT_BUDGET_S
from hornbeam.selector_file import read_selector
from hornbeam.version import version

logger = logging.getLogger(__name__)

output_option = click.option(
    "--output-dir",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of the generated files; what an earlier run left there is replaced.",
)


def _kernel_form(_context: click.Context, _option: click.Parameter, value: str) -> KernelForm:
    return KernelForm(value)


kernel_form_option = click.option(
    "--kernel-form",
    type=click.Choice([form.value for form in KernelForm]),
    default=KernelForm.MODULES.value,
    show_default=True,
    callback=_kernel_form,
    help="modules: sources for the device compiler. single-source: one header, for compilers "
    "that take host and device code from the same source.",
)


@click.command()
@click.argument(
    "selectors", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False)
)
@click.option("--target", help="Key of the device to build for [default: that of the dataset].")
@kernel_form_option
@output_option
def generate(
    selectors: tuple[Path, ...], target: str | None, kernel_form: KernelForm, output_dir: Path
) -> None:
    """Render SELECTORS to C++ sources: JSON files, for each device one of each element type."""
    found = [read_selector(path) for path in selectors]
    names = generate_files(found, target, output_dir, kernel_form)
    emit_lines(str(output_dir / name) for name in names)


@click.command()
@output_option
@operation_option
@click.option(
    "--target-device",
    "targets",
    default=AUTO_TARGET,
    show_default=True,
    help="auto, the key of a stored dataset, or several of them (a,b): at run time the device of "
    "the queue chooses.",
)
@click.option(
    "--tune",
    default=Tune.AUTO.value,
    show_default=True,
    help="AUTO: reuse measurements, else measure if the device is here, else use the closest "
    "dataset. REUSE: never measure, fail without a dataset of the device or its family. FORCE: "
    "measure now. OFF: default kernels, no data.",
)
@click.option(
    "--tune-budget",
    "budget_s",
    type=click.FLOAT,
    default=DEFAULT_BUDGET_S,
    show_default=True,
    help="Seconds that measuring may take, the build of its tools included.",
)
@problems_option
@click.option(
    "--data-types",
    default=",".join(DEFAULT_DATA_TYPES),
    show_default=True,
    help="Element types to deploy.",
)
@click.option(
    "--native-binaries",
    is_flag=True,
    help="Embed what the target's own driver makes of the kernels, if the target is here.",
)
@learning_options
@dataset_dir_option
@kernel_form_option
@format_option
def configure(
    targets: str,
    tune: str,
    data_types: str,
    format_: str,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Bring the generated sources of a build up to date; what CMake calls."""
    options = BuildOptions(
        targets=parse_list(targets),
        tune=parse_tune(tune),
        data_types=parse_list(data_types),
        **settings,
    )
    result = configure_build(options)
    for warning in result.warnings:
        logger.warning(warning)
    if format_ == "json":
        emit_json(_document(result))
    else:
        emit_lines(_lines(result))


def _lines(result: BuildResult) -> Iterator[str]:
    yield f"hornbeam  {version()}"
    yield from result.manifest.summary
    if result.native is not None:
        yield f"native    binaries for {result.native.name}, driver {result.native.driver}"
    done = "up to date" if result.up_to_date else f"{len(result.changed)} files written"
    yield f"time      {result.time_s:.1f} s, {done}"


def _document(result: BuildResult) -> dict[str, Any]:
    return {
        "version": version(),
        "tuned_digest": result.manifest.tuned_digest,
        "targets": list(result.manifest.targets),
        "files": dict(result.manifest.files),
        "changed": list(result.changed),
        "up_to_date": result.up_to_date,
        "warnings": list(result.warnings),
        "native_device": None if result.native is None else result.native.key,
        "time_s": result.time_s,
    }
