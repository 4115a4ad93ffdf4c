# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What results say: paired ratios, means over sizes, the bars. Reads no clock and no device."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from own_builds import BASE, OWN

Results = Mapping[str, Any]
Size = Mapping[str, Any]

NETWORKS = ("vgg16", "resnet50", "mobilenet")
_FLOAT_BYTES = 4


@dataclass(frozen=True)
class Quartiles:
    """Median and the range of the middle half."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Quartiles:
        """Quartiles of values, of which there is one at least."""
        low, median, high = np.percentile(list(values), (25, 50, 75))
        return cls(float(median), float(low), float(high))

    def __format__(self, spec: str) -> str:
        """The median, and the range in brackets."""
        return f"{self.median:{spec}} ({self.low:{spec}} .. {self.high:{spec}})"


def flops(problem: Sequence[int]) -> float:
    """Floating-point operations of a product."""
    m, k, n, batch = problem[:4]
    return 2.0 * m * k * n * batch


def least_bytes(problem: Sequence[int]) -> float:
    """Bytes that have to be moved at least: operands read and results written once."""
    m, k, n, batch = problem[:4]
    return float(_FLOAT_BYTES * batch * (m * k + k * n + m * n))


def intensity(problem: Sequence[int]) -> float:
    """Floating-point operations for each of `least_bytes`."""
    return flops(problem) / least_bytes(problem)


def round_times_s(size: Size, name: str) -> list[float]:
    """Seconds of a call in each round; empty where the peer is absent or its result was wrong."""
    entry = size["peers"].get(name, {})
    if entry.get("status") != "ok":
        return []
    return [float(np.median(samples)) for samples in entry["rounds"] if samples]


def time_s(size: Size, name: str) -> float:
    """Median seconds of a call; NaN where there is none."""
    times = round_times_s(size, name)
    return float(np.median(times)) if times else math.nan


def round_ratios(size: Size, peer: str, base: str = BASE) -> list[float]:
    """Speed of ``base`` relative to a peer in each round that both took part in."""
    pairs = zip(round_times_s(size, peer), round_times_s(size, base), strict=False)
    return [theirs / ours for theirs, ours in pairs]


def ratio(size: Size, peer: str, base: str = BASE) -> Quartiles | None:
    """Paired speed ratio on a size; above 1 where ``base`` is faster."""
    ratios = round_ratios(size, peer, base)
    return Quartiles.of(ratios) if ratios else None


def of_sets(results: Results, names: Sequence[str]) -> list[Size]:
    """Sizes of some sets; a size that is in several of them counts once."""
    found = {
        tuple(size["problem"]): size for size in results["sizes"] if set(size["sets"]) & {*names}
    }
    return list(found.values())


def network_sizes(results: Results) -> list[Size]:
    """Sizes of the three networks."""
    return of_sets(results, NETWORKS)


@dataclass(frozen=True)
class Comparison:
    """``BASE`` against a peer over several sizes.

    Attributes:
        sizes: that both have times for.
        mean: geometric mean of the medians; ``low`` and ``high`` are the quartiles over rounds of
            the geometric mean within a round.
        as_fast: share of sizes on which ``BASE`` is at least as fast.
        worst, best: smallest and largest ratio.
    """

    sizes: int
    mean: Quartiles
    as_fast: float
    worst: float
    best: float


def compare(sizes: Sequence[Size], peer: str, base: str = BASE) -> Comparison | None:
    """Compare over sizes; None where no size has times of both."""
    paired = [ratios for size in sizes if (ratios := round_ratios(size, peer, base))]
    if not paired:
        return None
    medians = np.array([np.median(ratios) for ratios in paired])
    # A peer that is slow on a size rests early there; its median stands in for further rounds.
    length = max(map(len, paired))
    rounds = [
        [*ratios, *[median] * (length - len(ratios))]
        for ratios, median in zip(paired, medians, strict=True)
    ]
    spread = Quartiles.of(np.exp(np.log(rounds).mean(axis=0)))
    return Comparison(
        sizes=len(paired),
        mean=Quartiles(float(np.exp(np.log(medians).mean())), spread.low, spread.high),
        as_fast=float((medians >= 1).mean()),
        worst=float(medians.min()),
        best=float(medians.max()),
    )


def best_peer_time_s(size: Size, peers: Iterable[str]) -> tuple[str, float]:
    """The fastest of some peers and its seconds; ("", NaN) where none has a time."""
    times = {name: time_s(size, name) for name in peers}
    known = {name: value for name, value in times.items() if not math.isnan(value)}
    if not known:
        return "", math.nan
    name = min(known, key=known.__getitem__)
    return name, known[name]


def worst_sizes(
    results: Results, count: int = 10, base: str = BASE
) -> list[tuple[Size, str, float]]:
    """Sizes on which ``base`` is slowest against the best peer, with that peer and the ratio."""
    found = []
    for size in results["sizes"]:
        peer, _ = best_peer_time_s(size, others(results, base))
        paired = ratio(size, peer, base) if peer else None
        if paired is not None:
            found.append((size, peer, paired.median))
    return sorted(found, key=lambda item: item[2])[:count]


def others(results: Results, base: str = BASE) -> list[str]:
    """Names of the libraries that took part and are not hornbeam."""
    return [name for name in results["peers"] if name not in (base, *OWN)]


def profile(sizes: Sequence[Size], names: Sequence[str]) -> dict[str, list[float]]:
    """Performance profile: of each library, ascending, its times relative to the fastest's.

    Sizes on which a library has no time count as infinitely slow.
    """
    found: dict[str, list[float]] = {name: [] for name in names}
    for size in sizes:
        _, best = best_peer_time_s(size, names)
        if math.isnan(best):
            continue
        for name in names:
            relative = time_s(size, name) / best
            found[name].append(math.inf if math.isnan(relative) else relative)
    return {name: sorted(values) for name, values in found.items()}


def limit(results: Results, name: str) -> Quartiles | None:
    """A limit of the processor over the whole run: what most of its samples reach.

    Args:
        results: see there.
        name: ``fma_flop_s``, ``triad_bytes_s`` or ``read_bytes_s``.
    """
    samples = [max(control[name]) for control in results["controls"] if control.get(name)]
    return Quartiles.of(samples) if samples else None


@dataclass(frozen=True)
class Bar:
    """A measure and what it has to reach.

    Attributes:
        measure: in words.
        value: what was measured, in words.
        reached: whether that is enough; None where there is nothing to judge by.
        bar, stretch: in words.
    """

    measure: str
    value: str
    reached: bool | None
    bar: str
    stretch: str


def bars(results: Results) -> list[Bar]:
    """Every measure that the benchmark was made for."""
    rows: list[Callable[[Results], Bar]] = [
        _mean_bar("onemkl", "oneMKL SYCL", 1.05, 1.20),
        _share_bar,
        _worst_bar,
        _mean_bar("openblas", "OpenBLAS", 1.00, 1.10),
        _mean_bar("clblast_tuned", "tuned CLBlast", 5, 8),
        _mean_bar("clblast", "untuned CLBlast", None, None),
        _mean_bar("register_tile", "register_tile alone", None, None),
        _square_bar,
        _vector_bar,
        _narrow_bar(BASE, ""),
        _narrow_bar("any_bits", " (HORNBEAM_BIT_STABLE=OFF)"),
        _cliff_bar,
        _kernels_bar,
    ]
    return [row(results) for row in rows]


def _at_least(
    measure: str, value: str, number: float, bar: float | None, stretch: float | None
) -> Bar:
    if bar is None or stretch is None:
        return Bar(measure, value, None, "", "")
    return Bar(measure, value, number >= bar, f">= {bar:g}", f">= {stretch:g}")


def _nothing(measure: str, bar: str = "", stretch: str = "") -> Bar:
    return Bar(measure, "not measured", None, bar, stretch)


def _mean_bar(
    peer: str, label: str, bar: float | None, stretch: float | None
) -> Callable[[Results], Bar]:
    measure = f"geometric mean over the networks' sizes against {label}"

    def row(results: Results) -> Bar:
        found = compare(network_sizes(results), peer)
        if found is None:
            return _nothing(measure)
        text = f"{found.mean:.2f}, {found.sizes} sizes"
        return _at_least(measure, text, found.mean.median, bar, stretch)

    return row


def _share_bar(results: Results) -> Bar:
    measure = "share of the networks' sizes at least as fast as oneMKL SYCL"
    found = compare(network_sizes(results), "onemkl")
    if found is None:
        return _nothing(measure)
    return _at_least(measure, f"{found.as_fast:.1%}", found.as_fast, 0.50, 0.75)


def _worst_bar(results: Results) -> Bar:
    measure = "worst of the networks' sizes against oneMKL SYCL"
    sized = [(r, size) for size in network_sizes(results) if (r := ratio(size, "onemkl"))]
    if not sized:
        return _nothing(measure)
    worst, size = min(sized, key=lambda item: item[0].median)
    return _at_least(measure, f"{worst:.2f}, {spelled(size)}", worst.median, 0.65, 0.85)


def _square_bar(results: Results) -> Bar:
    measure = "square 2048 against the measured FMA peak"
    peak = limit(results, "fma_flop_s")
    times = [
        time
        for size in of_sets(results, ["squares"])
        if size["problem"][:3] == [2048] * 3
        for time in round_times_s(size, BASE)
    ]
    if peak is None or not times:
        return _nothing(measure)
    share = Quartiles.of(2 * 2048.0**3 / time / peak.high for time in times)
    return _at_least(measure, f"{share:.2f}", share.median, 0.68, 0.80)


def _vector_bar(results: Results) -> Bar:
    measure = "m = 1 or n = 1, matrix beyond the caches: bytes moved against STREAM's triad"
    rate = limit(results, "triad_bytes_s")
    cache = results["conditions"]["last_level_cache_bytes"]
    shares = {
        spelled(size): least_bytes(size["problem"]) / time_s(size, BASE) / rate.high
        for size in results["sizes"]
        if 1 in (size["problem"][0], size["problem"][2])
        and rate is not None
        and least_bytes(size["problem"]) > 2 * cache
        and not math.isnan(time_s(size, BASE))
    }
    if not shares:
        return _nothing(measure)
    worst = min(shares, key=shares.__getitem__)
    text = f"worst {shares[worst]:.2f}, {worst}; best {max(shares.values()):.2f}"
    return _at_least(measure, text, shares[worst], 0.75, 0.90)


def _narrow_bar(base: str, note: str) -> Callable[[Results], Bar]:
    measure = f"n <= 8, k >= 1e5 against the better of oneMKL and OpenBLAS{note}"

    def row(results: Results) -> Bar:
        found = []
        for size in results["sizes"]:
            if size["problem"][2] <= 8 and size["problem"][1] >= 1e5:
                peer, _ = best_peer_time_s(size, ("onemkl", "openblas"))
                paired = ratio(size, peer, base) if peer else None
                if paired is not None:
                    found.append((paired.median, spelled(size), peer))
        if not found:
            return _nothing(measure)
        worst = min(found)
        mean = math.exp(sum(math.log(value) for value, _, _ in found) / len(found))
        text = f"worst {worst[0]:.2f}, {worst[1]} against {worst[2]}; geometric mean {mean:.2f}"
        return _at_least(measure, text, worst[0], 0.8, 1.2)

    return row


def _cliff_bar(results: Results) -> Bar:
    measure = "no cliff: neighbouring sizes 1000..1030 within"
    found = cliff(results)
    if found is None:
        return _nothing(measure)
    return Bar(measure, f"{found[0]:.2f}x, {found[1]}", found[0] <= 1.5, "1.5x", "1.2x")


def cliff(results: Results, name: str = BASE) -> tuple[float, str] | None:
    """Largest ratio of the speeds of two neighbouring cubes, and which they are."""
    rates = sorted(
        (size["problem"][0], flops(size["problem"]) / time_s(size, name))
        for size in of_sets(results, ["cliff"])
        if not math.isnan(time_s(size, name))
    )
    steps = [
        (max(x[1] / y[1], y[1] / x[1]), f"{x[0]} to {y[0]}") for x, y in itertools.pairwise(rates)
    ]
    return max(steps, default=None)


def _kernels_bar(results: Results) -> Bar:
    measure = "deployed kernels for float, the reference not counted"
    names = [k for k in results["peers"].get(BASE, {}).get("kernels", []) if k != "reference"]
    if not names:
        return _nothing(measure)
    return Bar(measure, str(len(names)), len(names) <= 12, "<= 12", "<= 8")


def spelled(size: Size) -> str:
    """A size in words: m x k x n, batch and transposes where there are any."""
    m, k, n, batch, transpose_a, transpose_b = size["problem"]
    text = f"{m} x {k} x {n}"
    text += f" batch {batch}" if batch > 1 else ""
    text += " A^T" if transpose_a else ""
    return text + (" B^T" if transpose_b else "")


def faults(results: Results) -> list[tuple[Size, str, str]]:
    """Sizes, names and reasons where a library failed or computed something wrong."""
    return [
        (size, name, entry.get("message") or f"wrong result, error {entry.get('error')}")
        for size in results["sizes"]
        for name, entry in size["peers"].items()
        if entry["status"] != "ok"
    ]
