# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The ``hornbeam`` command: results on standard output, messages on standard error."""

from __future__ import annotations

import importlib
import logging
import os
import sys
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import click

from hornbeam.errors import ExitCode, HornbeamError
from hornbeam.version import version

COMMANDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "devices": ("query", "devices"),
        "doctor": ("query", "doctor"),
        "env": ("query", "env"),
        "plan": ("tuning", "plan"),
        "tune": ("tuning", "tune"),
        "dataset": ("data", "dataset"),
        "select": ("selecting", "select"),
        "search": ("searching", "search_command"),
        "explain": ("selecting", "explain"),
        "study": ("study", "study"),
        "generate": ("building", "generate"),
        "configure": ("building", "configure"),
    }
)
"""Command -> module of this package and name in it; modules are imported when they are needed."""


class _Commands(click.Group):
    """Commands that are imported one at a time, so that the light ones start fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name]
        command: click.Command = getattr(importlib.import_module(f"{__name__}.{module}"), name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f"unknown command {args[0]!r}; valid: {', '.join(COMMANDS)}")
        return super().resolve_command(ctx, args)


class _Formatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        if record.levelno < logging.WARNING:
            return text
        return f"{record.levelname.lower()}: {text}"


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version(), prog_name="hornbeam")
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but warnings and errors.")
@click.option("-v", "--verbose", is_flag=True, help="Say more.")
def app(quiet: bool, verbose: bool) -> None:
    """Measure, choose and generate the kernels of the hornbeam library."""
    level = logging.DEBUG if verbose else logging.WARNING if quiet else logging.INFO
    logging.getLogger("hornbeam").setLevel(level)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: without the program's name; those of the process by default.

    Returns:
        A value of `hornbeam.errors.ExitCode`.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(_Formatter("%(message)s"))
    logging.getLogger("hornbeam").addHandler(handler)
    try:
        result = app.main(
            None if arguments is None else list(arguments),
            prog_name="hornbeam",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of a pipe is gone; Python would complain again when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return ExitCode.OK
    except HornbeamError as error:
        click.echo(f"error: {error}", err=True)
        return error.exit_code
    except click.ClickException as error:
        error.show()
        return ExitCode.USAGE
    except (KeyboardInterrupt, click.Abort):
        click.echo("interrupted", err=True)
        return ExitCode.INTERRUPTED
    finally:
        logging.getLogger("hornbeam").removeHandler(handler)
    return int(result) if isinstance(result, int) else ExitCode.OK
