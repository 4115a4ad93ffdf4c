# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Tables and plots of stored results.

python benchmarks/peers/report.py results.json [--output-dir FOLDER]
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

import analysis
from analysis import Results

FORMAT = 1


def read(path: Path) -> dict[str, Any]:
    """Read results.

    Raises:
        ClickException: the file is none, or of another version.
    """
    try:
        results: dict[str, Any] = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise click.ClickException(f"{path}: {error}") from error
    if results.get("format") != FORMAT:
        raise click.ClickException(f"{path}: no results of format {FORMAT}")
    return results


def text(results: Results) -> str:
    """All tables."""
    parts = (_conditions, _bars, _comparisons, _worst, _faults)
    return "\n".join("\n".join(part(results)) + "\n" for part in parts)


def _conditions(results: Results) -> Iterator[str]:
    about = results["conditions"]
    yield f"device   {about['device']}, {about['cores']} cores, driver {about['driver']}"
    yield f"date     {about['date']}{', quick' if about['quick'] else ''}"
    loads = [control["load"][0] for control in results["controls"]]
    yield f"load     {min(loads):.1f} .. {max(loads):.1f} (1 minute; the benchmark's own included)"
    for name, unit, scale in (
        ("fma_flop_s", "GFLOP/s, multiply-adds in registers", 1e-9),
        ("triad_bytes_s", "GB/s, STREAM triad", 1e-9),
        ("read_bytes_s", "GB/s, reading", 1e-9),
    ):
        found = analysis.limit(results, name)
        if found is not None:
            scaled = analysis.Quartiles(*(scale * x for x in (found.median, found.low, found.high)))
            yield f"limit    {scaled:.1f} {unit}"
    for peer in results["peers"].values():
        details = [
            f"{key} {peer[key]}" for key in ("version", "core_type", "threads") if key in peer
        ]
        yield f"peer     {', '.join([peer['label'], *details])}"
    for absent in results["absent"]:
        yield f"absent   {absent['label']}: {absent['reason']}"
    if results["left_out"]:
        yield f"warning  time ran out: {results['left_out']} sizes were not measured"


def _bars(results: Results) -> Iterator[str]:
    yield "Medians of paired ratios, quartiles in brackets; above 1 hornbeam is faster."
    verdicts = {True: "reached", False: "MISSED", None: ""}
    for bar in analysis.bars(results):
        verdict = f"{bar.bar:8s} {bar.stretch:8s} {verdicts[bar.reached]}"
        yield f"{bar.measure:79s}  {bar.value:72s}  {verdict}".rstrip()


def _comparisons(results: Results) -> Iterator[str]:
    header = ("set", "against", "sizes", "geometric mean", "as fast", "worst", "best")
    yield "{:12s} {:14s} {:>5s}  {:22s} {:>7s} {:>6s} {:>6s}".format(*header)
    names = [name for name in results["peers"] if name != analysis.BASE]
    sets = sorted({name for size in results["sizes"] for name in size["sets"]})
    for group, members in (("networks", analysis.NETWORKS), *((name, (name,)) for name in sets)):
        for peer in names:
            found = analysis.compare(analysis.of_sets(results, members), peer)
            if found is not None:
                mean = f"{found.mean:.2f}"
                yield (
                    f"{group:12s} {peer:14s} {found.sizes:5d}  {mean:22s} {found.as_fast:7.0%} "
                    f"{found.worst:6.2f} {found.best:6.2f}"
                )


def _worst(results: Results) -> Iterator[str]:
    yield "Worst sizes against the best peer"
    for size, peer, ratio in analysis.worst_sizes(results):
        kernel = size["peers"][analysis.BASE].get("explanation", "")
        rate = 1e-9 * analysis.flops(size["problem"]) / analysis.time_s(size, analysis.BASE)
        yield f"{ratio:5.2f}  {analysis.spelled(size):34s} {peer:14s} {rate:7.1f} GFLOP/s  {kernel}"


def _faults(results: Results) -> Iterator[str]:
    found = analysis.faults(results)
    yield f"results checked: {len(results['sizes'])} sizes, {len(found)} faults"
    for size, name, reason in found:
        yield f"  {name} on {analysis.spelled(size)}: {reason[:200]}"


def write(results: Results, folder: Path) -> str:
    """Write table and plots into a folder, and return the table."""
    import plots

    table = text(results)
    (folder / "table.txt").write_text(table)
    plots.draw(results, folder)
    return table


@click.command()
@click.argument("path", metavar="RESULTS", type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--output-dir",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of table and plots [default: that of the results].",
)
def main(path: Path, output_dir: Path | None) -> None:
    """Print tables of RESULTS and draw plots."""
    click.echo(write(read(path), output_dir or path.parent), nl=False)


if __name__ == "__main__":
    main()
