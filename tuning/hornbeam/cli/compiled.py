# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Answers of a compiled library, in place of those worked out from measurements."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from hornbeam.errors import ConfigurationError, LibraryNotFoundError, choose
from hornbeam.library import Library, find_library
from hornbeam.library.finding import VARIABLE
from hornbeam.report import bits_in_words

Command = TypeVar("Command", bound=Callable[..., Any])


def library_option(command: Command) -> Command:
    """Add the option that names a compiled library."""
    return click.option(
        "--library",
        "library_path",
        type=click.Path(path_type=Path),
        help="Compiled library to ask: its Python module, a build folder or an install prefix "
        "[default: HORNBEAM_LIBRARY, else an installed one, unless an option says how to learn].",
    )(command)


def library_to_ask(named: Path | None, alternatives: Iterable[str]) -> Path | None:
    """The library that a command asks; None where it is to use measurements.

    Args:
        named: on the command line.
        alternatives: parameters that say what to do without a library.

    Raises:
        ConfigurationError: both are given.
        LibraryNotFoundError: there is none where it was said to be.
    """
    context = click.get_current_context()
    flags = {option.name: option.opts[0] for option in context.command.params}
    chosen = [
        flags[name]
        for name in alternatives
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE
    ]
    if named is not None:
        if chosen:
            raise ConfigurationError(
                f"--library cannot be combined with {', '.join(chosen)}: its kernels are chosen"
            )
        return find_library(named)
    if chosen:
        return None
    try:
        return find_library()
    except LibraryNotFoundError:
        if VARIABLE in os.environ:
            raise
        return None


def explanation_of(path: Path, data_type: str, problem: Mapping[str, Any]) -> dict[str, Any]:
    """What a library would do for a problem, and why: the document that is printed as JSON.

    Args:
        path: of the library.
        data_type: as the tuning package spells it.
        problem: the operation's fields, which are the library's parameters.
    """
    library = Library(path)
    known = library.data_types
    dtype = known[choose("data type", data_type, list(known))]
    told = library.explain(**problem, dtype=dtype)
    told["dataset"] = told.pop("dataset_key")
    return {"problem": dict(problem), **told, "library": str(library.path)}


def explanation_lines(document: Mapping[str, Any]) -> list[str]:
    """The document in words."""
    share = document["expected_share"]
    known = "unknown" if share is None else f"{share:.1%} of the best measured speed"
    measured = f"{document['dataset']} ({document['match']} match)"
    return [
        f"kernel          {document['kernel']}",
        f"path            {document['path'] or 'the tree has no choice'}",
        f"expected share  {known}",
        f"bits            {bits_in_words(document['bit_stable'])}",
        f"target          {document['target']}",
        f"dataset         {measured if document['dataset'] else 'none'}",
        f"device          {document['device']}",
        f"library         {document['library']}",
    ]
