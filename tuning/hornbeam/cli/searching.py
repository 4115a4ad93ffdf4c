# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``hornbeam search``: strategies tried on stored measurements."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
import numpy as np

from hornbeam.cli.common import (
    emit_json,
    emit_lines,
    emit_table,
    emit_warnings,
    format_option,
    one_of,
    operation_of,
    operation_option,
    type_option,
)
from hornbeam.dataset import load
from hornbeam.errors import DatasetError, ExitCode
from hornbeam.search import STRATEGIES, Budget, search, strategy_of, strategy_table
from hornbeam.search.replay import Replay


def _table(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        emit_lines(strategy_table())
        context.exit()


def _options_help() -> str:
    """The options of all strategies, for the end of the help."""
    # The first keeps click from wrapping the rest.
    lines = ["\b", "Options of strategies, with defaults:"]
    for strategy in STRATEGIES.values():
        lines += [
            f"  {strategy.name}: {option.name}={option.default}  {option.meaning}"
            for option in strategy.options
        ]
    return "\n".join(lines)


@click.command("search", epilog=_options_help())
@click.option(
    "--replay",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of a device's dataset; no hardware is touched.",
)
@click.option(
    "--strategy",
    required=True,
    callback=one_of("strategy", lambda: list(STRATEGIES)),
    help=f"{', '.join(STRATEGIES)}.",
)
@click.option(
    "--option",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Option of the strategy; may be repeated.",
)
@click.option(
    "--evaluations", type=click.INT, help="Configurations tried on a size [default: all]."
)
@click.option("--seconds", type=click.FLOAT, help="Limit of each size's search [default: none].")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    help="Equal seeds give equal searches.",
)
@click.option(
    "--strategies",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_table,
    help="Print all strategies and their options as a Markdown table.",
)
@operation_option
@type_option()
@format_option
def search_command(
    replay: Path,
    strategy: str,
    pairs: tuple[str, ...],
    evaluations: int | None,
    seconds: float | None,
    seed: int,
    operation: str,
    data_type: str,
    format_: str,
) -> int:
    """Search every size of a dataset for its fastest configuration, and tell what was found."""
    chosen = strategy_of(strategy)
    options = chosen.parse_options(pairs)
    budget = Budget(evaluations, seconds)
    what = operation_of(operation, data_type)
    dataset, warnings = load(replay, what, data_type)
    emit_warnings(warnings)
    found: list[dict[str, Any]] = []
    for row, problem in enumerate(dataset.problems):
        if not np.isfinite(dataset.time_s[row]).any():
            continue
        stored = Replay(what, dataset, row)
        measured = search(chosen, stored.space, stored.evaluate, budget, options=options, seed=seed)
        best = min(measured, key=lambda point: measured[point], default=None)
        timed = best is not None and math.isfinite(measured[best])
        found.append(
            {
                "problem": dict(zip(what.problem_fields, problem, strict=True)),
                "points": len(stored.space),
                "evaluations": len(measured),
                "best": stored.space.configurations[best].id
                if timed and best is not None
                else None,
                "time_s": measured[best] if timed and best is not None else None,
                "share": float(stored.shares(measured.values())[-1]) if measured else 0.0,
            }
        )
    if not found:
        raise DatasetError(f"{replay}: nothing in it has a time")
    document = {
        "strategy": strategy,
        "options": options,
        "seed": seed,
        "median_share": float(np.median([one["share"] for one in found])),
        "worst_share": min(one["share"] for one in found),
        "searches": found,
    }
    if format_ == "json":
        emit_json(document)
    else:
        _show(document)
    return ExitCode.OK


def _show(document: dict[str, Any]) -> None:
    rows = [
        [
            " ".join(f"{name}={value}" for name, value in one["problem"].items()),
            f"{one['evaluations']}/{one['points']}",
            f"{one['share']:.1%}",
            one["best"] or "none could be timed",
        ]
        for one in document["searches"]
    ]
    emit_table(["size", "tried", "of the best", "configuration"], rows)
    emit_lines(
        [
            f"{document['strategy']}: median {document['median_share']:.1%} of the best speed, "
            f"worst {document['worst_share']:.1%}"
        ]
    )
