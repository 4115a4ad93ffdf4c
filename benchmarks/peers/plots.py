# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Plots of stored results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import matplotlib
import numpy as np

import analysis
from analysis import Results

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes

_SLOWEST = 32.0
#: The same library has the same bytes: no date, no random names.
matplotlib.rcParams["svg.hashsalt"] = "hornbeam"


def draw(results: Results, folder: Path) -> list[Path]:
    """Draw all plots into a folder and return their files."""
    made = []
    for name, painter in (
        ("performance-profile", _profile),
        ("ratio-by-intensity", _ratios),
        ("roofline", _roofline),
    ):
        figure, axes = plt.subplots(figsize=(7.5, 4.8), layout="constrained")
        painter(axes, results)
        about = results["conditions"]
        axes.set_title(
            f"{about['device']}, {about['cores']} cores, {about['date'][:10]}", fontsize=9
        )
        axes.grid(alpha=0.3)
        path = folder / f"{name}.svg"
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)
        made.append(path)
    return made


def _profile(axes: Axes, results: Results) -> None:
    names = list(results["peers"])
    for name, relative in analysis.profile(analysis.network_sizes(results), names).items():
        share = np.arange(1, len(relative) + 1) / max(len(relative), 1)
        x = [*np.minimum(relative, _SLOWEST * 2), _SLOWEST * 2]
        axes.step(
            x, [*share, share[-1] if len(share) else 0.0], where="post", label=_label(results, name)
        )
    axes.set_xscale("log", base=2)
    axes.set_xlim(1, _SLOWEST)
    axes.set_ylim(0, 1.02)
    axes.set_xlabel("time relative to the fastest on the same size")
    axes.set_ylabel("share of the networks' sizes")
    axes.legend(fontsize=8)


def _ratios(axes: Axes, results: Results) -> None:
    for name in analysis.others(results):
        sizes = [s for s in results["sizes"] if analysis.ratio(s, name) is not None]
        x = [analysis.intensity(size["problem"]) for size in sizes]
        y = [_median_ratio(size, name) for size in sizes]
        axes.scatter(x, y, s=9, alpha=0.6, label=_label(results, name))
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log", base=2)
    axes.set_xlabel("FLOP per byte that must be moved")
    axes.set_ylabel("speed of hornbeam relative to the peer")
    axes.legend(fontsize=8)


def _median_ratio(size: analysis.Size, name: str) -> float:
    found = analysis.ratio(size, name)
    return math.nan if found is None else found.median


def _roofline(axes: Axes, results: Results) -> None:
    sizes: Sequence[analysis.Size] = results["sizes"]
    for name in results["peers"]:
        timed = [s for s in sizes if not math.isnan(analysis.time_s(s, name))]
        x = [analysis.intensity(size["problem"]) for size in timed]
        y = [1e-9 * analysis.flops(size["problem"]) / analysis.time_s(size, name) for size in timed]
        axes.scatter(x, y, s=9, alpha=0.6, label=_label(results, name))
    peak, rate = (analysis.limit(results, name) for name in ("fma_flop_s", "triad_bytes_s"))
    if peak is not None and rate is not None:
        x_limit = np.geomspace(0.1, 1000, 200)
        roof = 1e-9 * np.minimum(peak.high, x_limit * rate.high)
        axes.plot(x_limit, roof, color="black", linewidth=1, label="FMA peak, STREAM triad")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("FLOP per byte that must be moved")
    axes.set_ylabel("GFLOP/s")
    axes.legend(fontsize=8)


def _label(results: Results, name: str) -> str:
    return str(results["peers"][name]["label"])
