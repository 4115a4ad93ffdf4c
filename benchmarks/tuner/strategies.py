# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Best found against evaluations, for every strategy, over sizes and seeds."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from numpy.typing import NDArray

from hornbeam.search import STRATEGIES, Budget, Strategy, search
from hornbeam.search.replay import Replay

matplotlib.use("svg")
import matplotlib.pyplot as plt

from data import dense

EVALUATIONS = 100
SHOWN = (10, 30, 100)
_EVERY = 10
_QUANTILES = (0.1, 0.5)


def report(folder: Path, seeds: int) -> list[str]:
    """Search every tenth size of the dense dataset; draw ``search.svg``.

    Returns:
        Lines of a Markdown table.
    """
    operation, dataset = dense()
    replays = [Replay(operation, dataset, row) for row in range(0, len(dataset.problems), _EVERY)]
    curves = {name: _curves(strategy, replays, seeds) for name, strategy in STRATEGIES.items()}
    _draw(folder / "search.svg", curves, f"{len(replays)} sizes, {seeds} seeds")
    columns = " | ".join(f"after {count}" for count in SHOWN)
    lines = [
        f"Share of the best speed: median (tenth percentile) over {len(replays)} sizes and "
        f"{seeds} seeds, {len(replays[0].space)} configurations.",
        "",
        f"| strategy | {columns} |",
        "|---" * (1 + len(SHOWN)) + "|",
    ]
    for name in sorted(curves, key=lambda name: -float(np.median(curves[name][:, -1]))):
        at = [np.quantile(curves[name][:, count - 1], _QUANTILES) for count in SHOWN]
        cells = " | ".join(f"{median:.1%} ({low:.1%})" for low, median in at)
        lines.append(f"| `{name}` | {cells} |")
    return lines


def _curves(strategy: Strategy, replays: list[Replay], seeds: int) -> NDArray[np.float64]:
    """float64[runs, EVALUATIONS], share of the best speed after each evaluation."""
    runs = []
    for replay in replays:
        for seed in range(seeds):
            budget = Budget(evaluations=EVALUATIONS)
            found = search(strategy, replay.space, replay.evaluate, budget, seed=seed)
            runs.append(replay.shares(found.values()))
    return np.array(runs)


def _draw(path: Path, curves: dict[str, NDArray[np.float64]], title: str) -> None:
    figure, panels = plt.subplots(1, 2, figsize=(10, 4.5), sharey=True, layout="constrained")
    colours = plt.get_cmap("tab10")
    for axes, quantile, what in zip(
        panels, reversed(_QUANTILES), ("median", "tenth percentile"), strict=True
    ):
        for number, (name, runs) in enumerate(curves.items()):
            line = np.quantile(runs, quantile, axis=0)
            axes.plot(range(1, EVALUATIONS + 1), line, label=name, color=colours(number))
        axes.set_xscale("log")
        axes.set_xticks([1, *SHOWN], [str(count) for count in (1, *SHOWN)])
        axes.set_xlabel("evaluations")
        axes.set_title(f"{what}, {title}", fontsize=9)
        axes.grid(alpha=0.3)
    panels[0].set_ylabel("share of the best speed")
    panels[1].legend(fontsize=8)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
