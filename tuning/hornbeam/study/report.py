# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The report of a study: a page that needs no network, and files with the tables.

Whatever comes from a dataset is escaped: by the template's autoescape, as JSON without ``<``, and
in the page's script, which writes text and never markup. The page's content security policy lets
nothing run but the two scripts that are embedded, by their digests, and nothing be fetched.
"""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from hornbeam.dataset import replace_file
from hornbeam.errors import ConfigurationError
from hornbeam.normalise import NORMALISATIONS
from hornbeam.selection import complete
from hornbeam.study.experiments import BLIND
from hornbeam.study.study import Study
from hornbeam.study.tables import document_of, problem_label, summary_of, tables_of, worst_key
from hornbeam.tree import leaves, path_in_words

PAGE = "index.html"
_TEMPLATES = Path(__file__).resolve().parent / "templates"
_IN_PAGE = ("classifiers", "gains", "optimum", "selectors", "confusion")


def write(study: Study, folder: Path) -> Path:
    """Write the page, a CSV file for each table, and all tables as JSON.

    Returns:
        Path of the page.

    Raises:
        ConfigurationError: Plotly is not installed, or the folder can't be written.
    """
    page = render(study)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, table in tables_of(study).items():
            replace_file(folder / f"{name}.csv", table.to_csv().encode())
        replace_file(folder / "study.json", document_of(study).encode())
        replace_file(folder / PAGE, page.encode())
    except OSError as error:
        raise ConfigurationError(f"{folder}: cannot be written: {error.strerror}") from error
    return folder / PAGE


def render(study: Study) -> str:
    """Return the page."""
    plotly = plotly_script()
    script = (_TEMPLATES / "study.js").read_text(encoding="utf-8")
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}  # keys in their order
    tables = tables_of(study)
    return environment.get_template("study.html.j2").render(
        summary=summary_of(study),
        tables=[tables[name] for name in _IN_PAGE if tables[name].rows],
        leaves=_leaves(study),
        data=_data(study),
        plotly=plotly,
        script=script,
        digests=[_digest(plotly), _digest(script)],
        worst=tables["worst"].title,
    )


def plotly_script() -> str:
    """Return what draws the plots; it is imported when a page is asked for, nothing else needs it.

    Raises:
        ConfigurationError: Plotly is not installed.
    """
    try:
        from plotly.offline import get_plotlyjs
    except ImportError as error:
        raise ConfigurationError("reports need Plotly: pip install 'hornbeam[study]'") from error
    script: str = get_plotlyjs()
    return script


def _digest(script: str) -> str:
    """Return what a content security policy names a script by."""
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")


def _leaves(study: Study) -> list[dict[str, Any]]:
    found = []
    for index in leaves(study.tree):
        node = study.tree[index]
        found.append(
            {
                "path": path_in_words(study.tree, index) or "always",
                "kernel": study.evidence.configurations[study.kernels[node.kernel]].id,
                "problems": node.problems,
                "share": node.expected_share,
            }
        )
    return found


def _data(study: Study) -> dict[str, Any]:
    """Return what the page's script draws from."""
    completed = complete(study.evidence.shares)
    key = worst_key(study)
    reached = np.full(len(completed), np.nan) if key is None else study.outcome.problems[key]
    selectors: dict[str, dict[str, list[list[float | None]]]] = {}
    for (selection, normalisation, count), one in study.outcome.ceilings.items():
        point = [count, *_known([one.mean, one.low, one.high])]
        for name in NORMALISATIONS if selection in BLIND else [normalisation]:
            selectors.setdefault(name, {}).setdefault(selection, []).append(point)
    return {
        "configurations": [one.id for one in study.evidence.configurations],
        "problems": [problem_label(study, row) for row in range(len(completed))],
        "shares": [_known(row, 3) for row in study.evidence.shares],
        "achieved": _known(reached),
        "sets": {name: np.flatnonzero(rows).tolist() for name, rows in study.sets.items()},
        "variance": {name: _known(np.cumsum(one)) for name, one in study.variance.items()},
        "profiles": {
            name: _known(-np.sort(-scale(completed), axis=1).mean(axis=0), 4)
            for name, scale in NORMALISATIONS.items()
        },
        "selectors": selectors,
    }


def _known(values: Any, digits: int = 5) -> list[float | None]:  # noqa: ANN401 - any sequence
    return [round(float(v), digits) if np.isfinite(v) else None for v in values]
