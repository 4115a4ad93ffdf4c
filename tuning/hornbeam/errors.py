# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Exceptions raised by the tuning package and the exit codes of its command line."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit status of the ``hornbeam`` command."""

    OK = 0
    FAILED = 1
    USAGE = 2
    NOTHING_FOUND = 3
    INTERRUPTED = 130


class HornbeamError(Exception):
    """Base of every error this package raises on purpose.

    The message names the file, key or value at fault and what to do about it.
    """

    exit_code = ExitCode.FAILED


class ConfigurationError(HornbeamError):
    """An option, key or name is unknown or out of range."""

    exit_code = ExitCode.USAGE


class DeviceError(HornbeamError):
    """No usable device or driver, or the wrong one."""

    exit_code = ExitCode.NOTHING_FOUND


class BenchmarkError(HornbeamError):
    """The benchmark driver could not be built, started or trusted."""


class DatasetError(HornbeamError):
    """A dataset, journal or selector file is damaged or does not follow its schema."""


class CodegenError(HornbeamError):
    """Generated code could not be rendered or written."""


class LibraryError(HornbeamError):
    """The compiled library cannot be loaded, or failed."""


class LibraryNotFoundError(LibraryError):
    """There is no compiled library where it was looked for."""

    exit_code = ExitCode.NOTHING_FOUND


class ArgumentError(LibraryError, ValueError):
    """An argument has a value that the compiled library does not permit; nothing was done."""

    exit_code = ExitCode.USAGE


class ElementTypeError(ArgumentError, TypeError):
    """An array has an element type that the compiled library does not know, or another's."""


class UnimplementedError(LibraryError, NotImplementedError):
    """This build of the library leaves out what the call needs."""


class OutOfMemoryError(LibraryError, MemoryError):
    """The device has no memory left."""


def choose(what: str, value: str, valid: list[str]) -> str:
    """Return ``value`` when it is one of ``valid``.

    Raises:
        ConfigurationError: naming ``what``, ``value`` and the valid ones.
    """
    if value in valid:
        return value
    raise ConfigurationError(f"unknown {what} {value!r}; valid: {', '.join(valid)}")
