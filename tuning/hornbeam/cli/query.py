# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam devices``, ``doctor`` and ``env``: questions about this machine."""

from __future__ import annotations

import shlex
from dataclasses import asdict

import click

from hornbeam.cli.common import emit_json, emit_lines, emit_table, format_option, one_of
from hornbeam.errors import ExitCode
from hornbeam.literals import cmake_bracket
from hornbeam.types import DeviceInfo

ENVIRONMENT_FORMATS = ["sh", "json", "cmake"]


@click.command()
@format_option
def devices(format_: str) -> int:
    """List the devices of this machine and their keys.

    A key names a device in HORNBEAM_TARGET_DEVICE and in the stored datasets.
    """
    from hornbeam.device import probe

    found = probe()
    if format_ == "json":
        emit_json({"devices": [asdict(one) for one in found.devices], "problem": found.problem})
    elif found.devices:
        header = ["key", "name", "driver", "SPIR-V", "types"]
        emit_table(header, [_row(device) for device in found.devices])
    else:
        click.echo(f"no device: {found.problem}; 'hornbeam doctor' says what to do", err=True)
    return ExitCode.OK if found.devices else ExitCode.NOTHING_FOUND


def _row(device: DeviceInfo) -> list[str]:
    spirv = "yes" if device.supports_spirv else "no"
    return [device.key, device.name, device.driver, spirv, ", ".join(device.data_types)]


@click.command()
@format_option
def doctor(format_: str) -> int:
    """Check this machine: what is found, what is missing, what to do about it.

    Exits with 1 where something is missing.
    """
    from hornbeam import doctor as diagnosis

    checks = diagnosis.doctor()
    if format_ == "json":
        emit_json({"checks": [asdict(check) for check in checks]})
    else:
        marks = {True: "ok", False: "MISSING", None: "-"}
        for check in checks:
            click.echo(f"{marks[check.ok]:8}{check.name}: {check.found}")
            if check.advice:
                click.echo(f"{'':8}-> {check.advice}")
    return ExitCode.FAILED if any(check.ok is False for check in checks) else ExitCode.OK


@click.command()
@click.option(
    "--format",
    "format_",
    callback=one_of("format", lambda: ENVIRONMENT_FORMATS),
    default="sh",
    show_default=True,
    help="sh (for eval), json or cmake.",
)
def env(format_: str) -> None:
    """Print the variables that let a program find the OpenCL drivers.

    In a shell: eval "$(hornbeam env)"
    """
    from hornbeam.drivers import environment, wheel_prefix

    variables = environment(wheel_prefix())
    if format_ == "json":
        emit_json(variables)
    elif format_ == "cmake":
        emit_lines(f"set(ENV{{{name}}} {cmake_bracket(v)})" for name, v in variables.items())
    else:
        emit_lines(f"export {name}={shlex.quote(value)}" for name, value in variables.items())
