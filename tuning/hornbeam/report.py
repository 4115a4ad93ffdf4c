# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Selectors and scores in words and tables, for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hornbeam.tree import leaves, path_in_words, walk
from hornbeam.types import Score, Selector

NAME_WIDTH = 9


@dataclass(frozen=True)
class Explanation:
    """Why a problem gets its kernel.

    Attributes:
        kernel: configuration id.
        path: what led there, in words; empty where there is no choice.
        expected_share: geometric mean of the share of the best measured speed that the kernel
            reached on the training problems of the leaf; NaN where nothing was measured.
        problems: number of those.
    """

    kernel: str
    path: str
    expected_share: float
    problems: int


def explain(selector: Selector, row: Sequence[float]) -> Explanation:
    """Walk the tree for one problem.

    Args:
        selector: see `Selector`.
        row: its features, float32[F], in the order of ``selector.features``.
    """
    path = walk(selector.nodes, selector.features, np.asarray(row, dtype=np.float32))
    leaf = selector.nodes[path[-1]]
    words = path_in_words(selector.nodes, path[-1])
    kernel = selector.kernels[leaf.kernel].id
    return Explanation(kernel, words, leaf.expected_share, leaf.problems)


def bits_in_words(bit_stable: bool) -> str:
    """Return what there is to say of the bits that a kernel's results have."""
    return "as from other kernels" if bit_stable else "its own: other kernels round differently"


def selector_lines(selector: Selector) -> list[str]:
    """Return what a build's summary says of one data type, the first line led by its name."""
    kernels = selector.kernels
    how = "by default"
    if selector.held_out is not None or selector.dataset_digest:
        how = f"by {selector.options['selection']}, {selector.options['normalisation']}"
    n_leaves = len(leaves(selector.nodes))
    first = f"{_count(len(kernels), 'kernel')} {how}; tree of {_count(n_leaves, 'leaf', 'leaves')}"
    lines = [f"{selector.data_type:<{NAME_WIDTH}} {first}"]
    if selector.held_out is not None:
        lines.append(score_line(selector.held_out))
    lines += [kernel.id for kernel in kernels]
    lines += [f"note: {note}" for note in selector.notes]
    return [lines[0], *(" " * (NAME_WIDTH + 1) + line for line in lines[1:])]


def score_line(score: Score) -> str:
    """Return a held-out score in words."""
    return (
        f"held-out score {score.achieved:.1%} of the best measured speed "
        f"(best of the {_count(score.kernels, 'kernel')} {score.ceiling:.1%}, "
        f"best single kernel {score.single_best:.1%})"
    )


def score_table(selector: Selector) -> list[str]:
    """Return the held-out score of every number of kernels, the chosen one marked."""
    lines = ["kernels  achieved   +/-  ceiling  single best  default"]
    chosen = selector.held_out
    for score in selector.scores:
        mark = "  <- chosen" if score == chosen else ""
        lines.append(
            f"{score.kernels:7d}  {score.achieved:8.1%}  {score.error:4.1%}  {score.ceiling:7.1%}  "
            f"{score.single_best:11.1%}  {_share(score.default)}{mark}"
        )
    return lines


def _share(value: float | None) -> str:
    return f"{'-':>7}" if value is None else f"{value:7.1%}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
