# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The problem sets that come with hornbeam, as files in ``problems/``.

Run ``python -m hornbeam.operations.matmul.problem_sets`` to write them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hornbeam.operations.matmul import OPERATION
from hornbeam.operations.matmul.networks import (
    DENSE_LAYERS,
    NETWORKS,
    dense,
    im2col,
    network_problems,
    vgg16,
)
from hornbeam.problems import format_problems
from hornbeam.types import Problem

_MOST_WORK = 4e9
"""Floating-point operations: larger products behave like those just below, and take longer."""

_MOST_ELEMENTS = 2**24
"""Of all operands: larger ones mostly time the memory, which smaller ones do as well."""

_MATRIX_VECTOR = (
    (1, 512, 12544),
    (1, 9, 65536),
    (1000, 2048, 1),
    (4096, 1024, 1),
    (12544, 64, 1),
    (1, 65536, 1),
    (4096, 4096, 1),
    (1, 25088, 4096),
    (1, 300, 2000),
    (2000, 500, 1),
    (300, 3000, 1),
    (24, 400000, 1),
)
_FEW_ROWS = (
    (2, 1024, 10000),
    (3, 576, 20000),
    (3, 3136, 4000),
    (4, 512, 30000),
    (6, 2000, 5000),
)
_FEW_COLUMNS = (
    (2000, 3000, 8),
    (1000, 10000, 5),
    (100, 10000, 3),
    (300, 40000, 2),
)
_SMALL_K = (
    (512, 1, 512),
    (1024, 2, 1024),
    (784, 4, 256),
    (64, 8, 3136),
    (3136, 3, 32),
)
_LONG_K = (
    (2, 262144, 1),
    (4, 65536, 4),
    (8, 8192, 16),
    (8, 50000, 8),
    (12, 200000, 6),
    (64, 100000, 8),
    (256, 60000, 4),
    (8, 1000000, 1),
    (1, 1000000, 1),
)
_NEAR_POWERS_OF_TWO = (
    (31, 33, 1025),
    (63, 65, 63),
    (127, 127, 127),
    (129, 129, 129),
    (255, 257, 256),
    (511, 33, 513),
    (1023, 64, 1025),
    (256, 256, 256),
    (512, 512, 512),
    (1000, 1000, 1000),
    (1010, 1010, 1010),
    (1024, 1024, 1024),
    (1030, 1030, 1030),
)
_PRIMES = ((97, 101, 103), (7, 1009, 11), (499, 13, 997), (313, 317, 331))
_SMALL = ((1, 1, 1), (4, 4, 4), (16, 16, 16), (40, 24, 56))
_SMALL_BATCHED = (
    (4, 4, 4, 4096),
    (8, 8, 8, 1024),
    (16, 16, 16, 256),
    (32, 32, 32, 64),
    (5, 7, 3, 1000),
    (1, 64, 64, 96),
)
# (m, k, n, transpose_a, transpose_b)
_TRANSPOSED = (
    (256, 256, 256, 1, 0),
    (256, 256, 256, 0, 1),
    (256, 256, 256, 1, 1),
    (64, 3136, 64, 1, 0),
    (128, 1152, 196, 0, 1),
    (512, 49, 512, 1, 1),
    (1, 1024, 1000, 0, 1),
    (1000, 1024, 1, 1, 0),
    (61, 127, 509, 1, 0),
    (509, 67, 129, 0, 1),
    (784, 64, 33, 1, 1),
    (1024, 784, 512, 0, 1),
    (512, 784, 1024, 1, 0),
    (1000, 1000, 1000, 1, 1),
    (1, 4096, 4096, 0, 1),
    (4096, 4096, 1, 1, 0),
)


def supplement() -> list[Problem]:
    """Problems that the convolutions lack, where a tree would have to extrapolate.

    One row or column, or a few, short and very long k, sizes next to powers of two, primes, small
    batched ones, transposed operands, the fully connected layers of one image, and images with
    channels last.
    """
    sizes = (
        *_MATRIX_VECTOR,
        *_FEW_ROWS,
        *_FEW_COLUMNS,
        *_SMALL_K,
        *_LONG_K,
        *_NEAR_POWERS_OF_TWO,
        *_PRIMES,
        *_SMALL,
    )
    problems: set[Problem] = {(m, k, n, 1, 0, 0) for m, k, n in sizes}
    problems |= {(*size, 0, 0) for size in _SMALL_BATCHED}
    problems |= {(m, k, n, 1, a, b) for m, k, n, a, b in _TRANSPOSED}
    problems |= {dense(layer, 1) for layer in DENSE_LAYERS}
    problems |= set(_channels_last())
    return sorted(problems)


def _channels_last() -> Iterator[Problem]:
    """VGG16's convolutions of one image whose channels lie side by side: m and n change places."""
    for layer in vgg16():
        m, k, n, *rest = next(im2col(layer, 1))
        yield (n, k, m, *rest)


def stored() -> list[Problem]:
    """Problems of the datasets that come with hornbeam: all but the networks' largest, and more."""
    networks = {
        problem
        for network in NETWORKS
        for problem in network_problems(network)
        if OPERATION.work(problem) <= _MOST_WORK and OPERATION.elements(problem) <= _MOST_ELEMENTS
    }
    return sorted(networks | {*supplement()})


def files() -> Iterator[tuple[Path, str]]:
    """Path and text of every problem file."""
    sets = {name: network_problems(name) for name in NETWORKS}
    sets |= {"supplement": supplement(), "stored": stored()}
    for name, problems in sets.items():
        yield OPERATION.problem_dir() / f"{name}.csv", format_problems(OPERATION, problems)


def write_files() -> None:
    """Write every problem file."""
    for path, text in files():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_files()
