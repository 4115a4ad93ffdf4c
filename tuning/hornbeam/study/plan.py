# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How much a study tries."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    """How much is tried.

    Attributes:
        kernels: numbers of kernels for the selectors.
        classified: numbers of kernels for the classifiers.
        selectors: those whose kernels the classifiers choose among.
        classifiers: names in `hornbeam.study.estimators.CLASSIFIERS`; None for all.
        repeats: splits.
        optimum_s: seconds for each proof of an optimum; 0 for none.
        random_state: seed of everything random.
    """

    kernels: tuple[int, ...] = tuple(range(4, 16))
    classified: tuple[int, ...] = (5, 6, 8, 15)
    selectors: tuple[str, ...] = ("pca_kmeans", "greedy")
    classifiers: tuple[str, ...] | None = None
    repeats: int = 12
    optimum_s: float = 5.0
    random_state: int = 0
