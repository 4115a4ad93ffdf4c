# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam select`` and ``explain``: kernels chosen from stored measurements."""

from __future__ import annotations

import inspect
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from hornbeam.cli.common import (
    dataset_dir_option,
    emit_json,
    emit_lines,
    format_option,
    operation_of,
    operation_option,
    problems_option,
    type_option,
)
from hornbeam.cli.compiled import (
    explanation_lines,
    explanation_of,
    library_option,
    library_to_ask,
)
from hornbeam.cli.learning import learning_options, selector_of, target_option
from hornbeam.dataset import replace_file
from hornbeam.errors import CodegenError, ConfigurationError
from hornbeam.evaluate import LearnOptions
from hornbeam.features import feature_matrix
from hornbeam.operations import DEFAULT_OPERATION, Operation, get_operation
from hornbeam.problems import read_workload
from hornbeam.report import Explanation, bits_in_words, score_table, selector_lines
from hornbeam.report import explain as explain_problem
from hornbeam.selector_file import read_selector, to_json
from hornbeam.space import configuration_from_id, kernel_of
from hornbeam.types import Problem, Selector


@click.command()
@operation_option
@target_option
@type_option()
@problems_option
@learning_options
@dataset_dir_option
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Selector file (JSON) to write, for 'hornbeam generate'.",
)
@format_option
def select(
    operation: str,
    target: str,
    data_type: str,
    problems: Path | None,
    dataset_dir: Path | None,
    output: Path | None,
    format_: str,
    **learning: Any,  # noqa: ANN401 - the fields of LearnOptions
) -> None:
    """Choose kernels from a stored dataset and train the tree.

    Prints the held-out score of every number of kernels and what was chosen.
    """
    known = operation_of(operation, data_type)
    own = read_workload(problems, known) if problems else {}
    options = LearnOptions(emphasised=own, **learning)
    selector = selector_of(known, data_type, target, dataset_dir, options)
    text = to_json(selector)
    if output is not None:
        try:
            replace_file(output, text.encode())
        except OSError as error:
            raise CodegenError(f"{output}: cannot be written: {error.strerror}") from error
    if format_ == "json":
        click.echo(text, nl=False)
    else:
        emit_lines([f"dataset of {selector.device_key}", *score_table(selector), ""])
        emit_lines(selector_lines(selector))


class _Size(click.Command):
    """A command that takes a size: the columns of the default operation's problem files."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:  # noqa: ANN401
        """Add what the default operation asks for."""
        operation = get_operation(DEFAULT_OPERATION)
        settings["help"] = f"{inspect.cleandoc(settings['help'])}\n\n{operation.size_help}"
        super().__init__(*arguments, **settings)
        for parameter in self.params:
            if isinstance(parameter, click.Argument):
                parameter.metavar = " ".join(operation.required_fields).upper()
        for name, default in operation.problem_columns.items():
            if default is not None:
                self.params.append(_size_option(operation, name, default))


def _size_option(operation: Operation, name: str, default: int) -> click.Option:
    flag = f"--{name.replace('_', '-')}"
    if operation.problem_bounds[name] == (0, 1):
        return click.Option([flag, name], is_flag=True)
    return click.Option([flag, name], type=click.INT, default=default, show_default=True)


@click.command(cls=_Size)
@click.argument("sizes", nargs=-1, required=True, type=click.INT)
@library_option
@operation_option
@target_option
@type_option()
@dataset_dir_option
@learning_options
@click.option(
    "--selector",
    "selector_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Selector file to read instead of learning, e.g. one that a build generated.",
)
@format_option
def explain(
    sizes: tuple[int, ...],
    library_path: Path | None,
    operation: str,
    target: str,
    data_type: str,
    dataset_dir: Path | None,
    selector_path: Path | None,
    format_: str,
    **others: Any,  # noqa: ANN401 - optional sizes and the fields of LearnOptions
) -> None:
    """Say which kernel a size gets, and why.

    Walks the tree of a compiled library, or the one that a build for the target would contain.
    """
    known = operation_of(operation, data_type)
    problem = _problem(known, sizes, others)
    values = dict(zip(known.problem_fields, problem, strict=True))
    learning = [name for name in others if name not in values]
    library = library_to_ask(
        library_path, ["target", "dataset_dir", "selector_path", "operation", *learning]
    )
    if library is not None:
        document = explanation_of(library, data_type, values)
        if format_ == "json":
            emit_json(document)
        else:
            emit_lines(explanation_lines(document))
        return
    if selector_path is not None:
        selector = read_selector(selector_path)
    else:
        names = LearnOptions.__dataclass_fields__
        options = LearnOptions(**{name: v for name, v in others.items() if name in names})
        selector = selector_of(known, data_type, target, dataset_dir, options)
    features = [feature for feature in known.features if feature.name in selector.features]
    row = feature_matrix(features, known.problem_fields, [problem])[0]
    found = explain_problem(selector, row)
    stable = kernel_of(known, configuration_from_id(known, found.kernel)).bit_stable
    if format_ == "json":
        document = {**_document(found), "bit_stable": stable}
        emit_json({"problem": values, "dataset": selector.device_key, **document})
    else:
        emit_lines(_lines(selector, found, stable))


def _problem(operation: Operation, sizes: tuple[int, ...], others: dict[str, Any]) -> Problem:
    required = operation.required_fields
    if len(sizes) != len(required):
        raise ConfigurationError(
            f"{len(sizes)} sizes were given; {operation.name} needs {' '.join(required)}"
        )
    values = {**others, **dict(zip(required, sizes, strict=True))}
    problem = tuple(int(values[name]) for name in operation.problem_fields)
    operation.check_problem(problem)
    return problem


def _document(found: Explanation) -> dict[str, Any]:
    document = asdict(found)
    known = found.expected_share == found.expected_share
    return {**document, "expected_share": found.expected_share if known else None}


def _lines(selector: Selector, found: Explanation, bit_stable: bool) -> list[str]:
    known = found.expected_share == found.expected_share
    share = f"{found.expected_share:.1%} of the best measured speed" if known else "unknown"
    return [
        f"kernel          {found.kernel}",
        f"path            {found.path or 'the tree has no choice'}",
        f"expected share  {share} (over {found.problems} measured problems)",
        f"bits            {bits_in_words(bit_stable)}",
        f"dataset         {selector.device_key or 'none'}",
    ]
