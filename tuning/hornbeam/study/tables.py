# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Results of a study as tables: the one source of the files, the page and the text."""

from __future__ import annotations

import csv
import io
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hornbeam.study.experiments import SHIPPED, normalisations_of
from hornbeam.study.statistics import Interval
from hornbeam.study.study import Study

Value = str | int | float | None
WORST = 10
_DIGITS = 5


@dataclass(frozen=True)
class ResultTable:
    """A table: a title for people, names of columns, rows of as many values; None is unknown."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]

    def to_csv(self) -> str:
        """Return the table as comma-separated values with a header."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows(self.rows)
        return text.getvalue()


def tables_of(study: Study) -> dict[str, ResultTable]:
    """Return every table by the name of its file."""
    outcome = study.outcome
    score = ("score", "low", "high")
    return {
        "selectors": ResultTable(
            "Ceiling: best of the selected kernels on held-out problems",
            ("selector", "normalisation", "kernels", *score),
            tuple((*key, *_values(found)) for key, found in outcome.ceilings.items()),
        ),
        "classifiers": ResultTable(
            "Achieved: kernel picked by a classifier on held-out problems",
            ("selector", "classifier", "kernels", *score, "ceiling"),
            tuple(
                (*key, *_values(found), _rounded(_ceiling(study, key[0], key[2])))
                for key, found in outcome.achieved.items()
            ),
        ),
        "gains": ResultTable(
            "How far the tree of builds is ahead of trees trained on labels",
            ("selector", "tree", "kernels", "gain", "low", "high"),
            tuple((*key, *_values(found)) for key, found in outcome.gains.items()),
        ),
        "optimum": ResultTable(
            "Greedy choice and the optimum, on all problems",
            ("kernels", "greedy", "solver", "bound", "proven"),
            tuple(
                (n, _rounded(greedy), _rounded(one.ceiling), _rounded(one.bound), int(one.proven))
                for n, (greedy, one) in study.optima.items()
            ),
        ),
        "wins": _wins(study),
        "worst": _worst(study),
        "confusion": ResultTable(
            "Confusion: best kernel and the one picked, held out in groups",
            ("best", *_kernel_ids(study)),
            tuple(
                (name, *(int(count) for count in row))
                for name, row in zip(_kernel_ids(study), study.confusion, strict=True)
            ),
        ),
    }


def summary_of(study: Study) -> dict[str, Value]:
    """Return what there is to say first, in words and numbers."""
    evidence, device, outcome = study.evidence, study.dataset.device, study.outcome
    best_ceiling = max(outcome.ceilings, key=lambda key: outcome.ceilings[key].mean)
    best_achieved = max(outcome.achieved, key=lambda key: outcome.achieved[key].mean)
    return {
        "device": device.key,
        "name": device.name,
        "data type": study.dataset.data_type,
        "measured": study.dataset.provenance.date,
        "problems": len(study.evidence.problems),
        "configurations": len(evidence.configurations),
        "splits": study.plan.repeats,
        "single best kernel": in_words(outcome.single),
        "best ceiling": f"{in_words(outcome.ceilings[best_ceiling])} by {_named(best_ceiling)}",
        "best achieved": f"{in_words(outcome.achieved[best_achieved])} by {_named(best_achieved)}",
    }


def document_of(study: Study) -> str:
    """Return all tables as one JSON document."""
    found: dict[str, Any] = {"summary": summary_of(study)}
    for name, table in tables_of(study).items():
        found[name] = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return json.dumps(found, indent=1) + "\n"


def in_words(found: Interval) -> str:
    """Return a score with its interval, in percent."""
    if math.isnan(found.low):
        return f"{found.mean:.1%}"
    return f"{found.mean:.1%} (95 % interval {found.low:.1%} to {found.high:.1%})"


def problem_label(study: Study, row: int) -> str:
    """Return a problem in words."""
    fields = zip(study.operation.problem_fields, study.evidence.problems[row], strict=True)
    return ", ".join(f"{name} {value}" for name, value in fields)


def worst_key(study: Study) -> tuple[str, int] | None:
    """Return the selector and the number of kernels whose held-out problems are listed."""
    found = study.outcome.problems
    return max(
        found, key=lambda key: study.outcome.achieved[key[0], SHIPPED, key[1]].mean, default=None
    )


def _named(key: tuple[str, str, int]) -> str:
    return f"{key[0]}, {key[1]}, {key[2]} kernels"


def _kernel_ids(study: Study) -> list[str]:
    return [study.evidence.configurations[column].id for column in study.kernels]


def _values(found: Interval) -> tuple[Value, Value, Value]:
    return _rounded(found.mean), _rounded(found.low), _rounded(found.high)


def _rounded(value: float) -> Value:
    return None if math.isnan(value) else round(float(value), _DIGITS)


def _ceiling(study: Study, selection: str, count: int) -> float:
    key = (selection, normalisations_of(selection)[0], count)
    found = study.outcome.ceilings.get(key)
    return math.nan if found is None else found.mean


def _wins(study: Study) -> ResultTable:
    shares = study.evidence.shares
    wins = np.bincount(np.nanargmax(shares, axis=1), minlength=shares.shape[1])
    order = np.argsort(-wins, kind="stable")
    return ResultTable(
        "How often each configuration is the fastest",
        ("configuration", "wins"),
        tuple(
            (study.evidence.configurations[column].id, int(wins[column]))
            for column in order
            if wins[column]
        ),
    )


def _worst(study: Study) -> ResultTable:
    key = worst_key(study)
    columns = ("problem", "achieved", "fastest configuration")
    if key is None:
        return ResultTable("Worst problems", columns, ())
    reached = study.outcome.problems[key]
    known = np.flatnonzero(np.isfinite(reached))
    rows = known[np.argsort(reached[known], kind="stable")][:WORST]
    shares, configurations = study.evidence.shares, study.evidence.configurations
    return ResultTable(
        f"Worst held-out problems of {SHIPPED} ({key[0]}, {key[1]} kernels)",
        columns,
        tuple(
            (
                problem_label(study, row),
                _rounded(reached[row]),
                configurations[int(np.nanargmax(shares[row]))].id,
            )
            for row in rows
        ),
    )
