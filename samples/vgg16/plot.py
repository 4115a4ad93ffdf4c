# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Print and draw what `vgg16 --rounds N --json FILE` measured."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

PARTS: dict[str, Callable[[dict[str, object]], bool]] = {
    "convolutions: matmul": lambda step: is_convolution(step) and step["operation"] == "matmul",
    "convolutions: rest": lambda step: is_convolution(step) and step["operation"] != "matmul",
    "fully connected": lambda step: not is_convolution(step),
}
"""Part of the network -> whether a step belongs to it; pooling counts with convolutions."""


def is_convolution(step: dict[str, object]) -> bool:
    """Whether a step belongs to a block, the others are fully connected."""
    return str(step["layer"]).startswith("block")


@dataclass(frozen=True)
class Backend:
    """Times of one back-end."""

    name: str
    kernel: str
    time_ms: NDArray[np.float64]
    """[round, step]"""

    def of(self, chosen: list[bool]) -> NDArray[np.float64]:
        """Milliseconds that some of the steps take together, [round]."""
        sums: NDArray[np.float64] = self.time_ms[:, chosen].sum(axis=1)
        return sums


def quartiles(time_ms: NDArray[np.float64]) -> str:
    """Median and quartiles of an array over rounds."""
    low, median, high = np.percentile(time_ms, [25, 50, 75])
    return f"{median:.1f} ({low:.1f} .. {high:.1f})"


def rows(steps: list[dict[str, object]]) -> dict[str, list[bool]]:
    """Row of the table -> which steps it sums."""
    layers = dict.fromkeys(str(step["layer"]) for step in steps)
    table = {layer: [step["layer"] == layer for step in steps] for layer in layers}
    table |= {part: [belongs(step) for step in steps] for part, belongs in PARTS.items()}
    return table | {"total": [True] * len(steps)}


def print_table(steps: list[dict[str, object]], backends: list[Backend]) -> None:
    """Milliseconds by layer, part and in all, in Markdown."""
    print("| ms, median (quartiles) |", " | ".join(backend.name for backend in backends), "|")
    print("|---|", "|".join("---" for _ in backends), "|", sep="")
    for name, chosen in rows(steps).items():
        print(f"| {name} |", " | ".join(quartiles(one.of(chosen)) for one in backends), "|")
    first = backends[0]
    every = [True] * len(steps)
    for other in backends[1:]:
        ratio = np.median(other.of(every) / first.of(every))
        print(f"\n{other.name}{f' ({other.kernel})' if other.kernel else ''}: ", end="")
        print(f"{ratio:.2f} times as long as {first.name}, median of paired runs", end="")
    print()


def draw(title: str, steps: list[dict[str, object]], backends: list[Backend], path: Path) -> None:
    """A bar for each back-end, of the medians of its parts; a whisker from quartile to quartile.

    The axis ends at four times the shortest bar: longer ones are cut, their lengths are written.
    """
    from matplotlib.figure import Figure  # not needed for the table

    figure = Figure(figsize=(7, 1.5 + 0.5 * len(backends)), layout="constrained")
    axes = figure.add_subplot()
    names = [backend.name for backend in backends]
    left = np.zeros(len(backends))
    for part, belongs in PARTS.items():
        chosen = [belongs(step) for step in steps]
        width = np.array([np.median(backend.of(chosen)) for backend in backends])
        axes.barh(names, width, left=left, label=part)
        left += width
    totals = [np.percentile(one.of([True] * len(steps)), [25, 50, 75]) for one in backends]
    low, median, high = np.transpose(totals)
    spread = np.array([median - low, high - median])
    axes.errorbar(median, names, xerr=spread, fmt="none", ecolor="black", capsize=3)
    end = min(1.05 * high.max(), 4 * median.min())
    axes.set_xlim(0, end)
    for name, time_ms in zip(names, median, strict=True):
        axes.annotate(
            f"{time_ms:.0f} ms", (1.01, name), xycoords=("axes fraction", "data"), va="center"
        )
    axes.invert_yaxis()
    axes.set_xlabel("time of one inference, ms")
    figure.suptitle(title, fontsize="small")
    figure.legend(loc="outside lower center", ncols=len(PARTS), frameon=False)
    figure.savefig(path)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("times", type=Path, help="the JSON file")
    parser.add_argument("--plot", type=Path, help="where to draw, a name in .svg or .png")
    given = parser.parse_args()
    measured = json.loads(given.times.read_text(encoding="utf-8"))
    backends = [
        Backend(one["name"], one["kernel"], 1e3 * np.array(one["time_s"]))
        for one in measured["backends"]
    ]
    about = (
        f"VGG16, {measured['batch']} x {measured['size']} x {measured['size']}, "
        f"{len(backends[0].time_ms)} rounds: {measured['device']}, driver {measured['driver']}, "
        f"{measured['date']}"
    )
    print(f"{about}, kernels chosen by the measurements of {measured['dataset'] or 'no device'}\n")
    print_table(measured["steps"], backends)
    if given.plot:
        draw(about, measured["steps"], backends, given.plot)


if __name__ == "__main__":
    main()
