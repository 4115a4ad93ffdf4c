# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The problem sets that come with hornbeam, as files in ``problems/``.

Run ``python -m hornbeam.operations.matmul.problem_sets`` to write them again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
from hornbeam.spread import farthest_first
from hornbeam.types import Problem


@dataclass(frozen=True)
class Quota:
    """How many problems of a network the stored set takes, within bounds on their work.

    Attributes:
        network: see `NETWORKS`.
        count: problems taken, those least like one another.
        least_work: floating-point operations.
        most_work: floating-point operations.
    """

    network: str
    count: int
    least_work: float
    most_work: float


QUOTAS = (
    Quota("vgg16", 11, 0.0, 0.35e9),
    Quota("vgg16", 6, 0.35e9, 0.7e9),
    Quota("vgg16", 2, 0.7e9, 2e9),
    Quota("resnet50", 28, 0.0, 0.21e9),
    Quota("resnet50", 2, 0.4e9, 1e9),
    Quota("mobilenet", 18, 0.0, 0.21e9),
    Quota("mobilenet", 1, 0.4e9, 0.5e9),
    Quota("vgg16", 16, 0.7e9, 8e9),
    Quota("resnet50", 10, 0.21e9, 4e9),
    Quota("mobilenet", 5, 0.21e9, 1e9),
)
"""Most problems are small, so that all configurations can be timed within hours."""

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
    (64, 100000, 8),
    (256, 200000, 4),
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

    One row or column, short and very long k, sizes next to powers of two, primes, small
    batched ones, transposed operands, the fully connected layers of one image, and images with
    channels last.
    """
    sizes = (*_MATRIX_VECTOR, *_SMALL_K, *_LONG_K, *_NEAR_POWERS_OF_TWO, *_PRIMES, *_SMALL)
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
    """Problems of the datasets that come with hornbeam: some of each network and `supplement`."""
    chosen: list[Problem] = []
    for quota in QUOTAS:
        candidates = sorted(
            (
                problem
                for problem in network_problems(quota.network)
                if quota.least_work <= OPERATION.work(problem) <= quota.most_work
                and OPERATION.elements(problem) <= _MOST_ELEMENTS
                and problem not in chosen
            ),
            key=lambda problem: (OPERATION.work(problem), problem),
        )
        chosen += [candidates[i] for i in farthest_first(candidates, chosen)[: quota.count]]
    return sorted({*chosen, *supplement()})


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
