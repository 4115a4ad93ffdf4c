# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The usable part of a dataset, as learning wants it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.features import feature_matrix
from hornbeam.normalise import Shares, shares_of_best
from hornbeam.operations import Operation
from hornbeam.types import Configuration, Dataset, Problem, Status

LEAST_COVERAGE = 0.25
"""A configuration is a candidate when it was measured on this part of the problems at least."""

ANY_CONFIGURATION = ("*",)
"""Patterns that leave nothing out."""

_FAILED = (Status.COMPILE_ERROR, Status.LAUNCH_ERROR, Status.WRONG_RESULT, Status.TIMEOUT)


@dataclass(frozen=True)
class Evidence:
    """The usable part of a dataset, ready for learning.

    Attributes:
        problems: the P problems on which a candidate was measured.
        configurations: C candidates; the operation's fallback and those that failed are left out.
        feature_names: F names.
        features: float32[P, F].
        shares: float64[P, C], uncut shares of the best of *all* usable measurements.
        repeats: int[P], how often a problem counts.
        default: column of the operation's default configuration; None where it is no candidate.
        notes: what was left out and why.
    """

    problems: tuple[Problem, ...]
    configurations: tuple[Configuration, ...]
    feature_names: tuple[str, ...]
    features: NDArray[np.float32]
    shares: Shares
    repeats: NDArray[np.intp]
    default: int | None = None
    notes: tuple[str, ...] = ()

    def rows(self, index: NDArray[np.intp]) -> Evidence:
        """Return the evidence restricted to some problems."""
        return replace(
            self,
            problems=tuple(self.problems[row] for row in index),
            features=self.features[index],
            shares=self.shares[index],
            repeats=self.repeats[index],
        )


def prepare(
    dataset: Dataset,
    operation: Operation,
    repeats: Mapping[Problem, int] = MappingProxyType({}),
    patterns: Sequence[str] = ANY_CONFIGURATION,
    bit_stable: bool = True,
) -> Evidence:
    """Turn a dataset into `Evidence`.

    A configuration that failed on any problem (did not compile or launch, hung, or computed
    something else than the reference) is never a candidate, nor is the operation's fallback,
    which is shipped anyway. What remains unmeasured stays NaN.

    Args:
        dataset: measurements.
        operation: what was measured.
        repeats: how often a problem counts, where not once.
        patterns: a candidate's id matches one of these shell-style patterns.
        bit_stable: whether a candidate gives the same bits as every other one.

    Raises:
        ConfigurationError: patterns, or the wish for the same bits, leave out every configuration.
        DatasetError: nothing usable is left.
    """
    failed = failed_columns(dataset)
    shares = _shares(np.where(failed, np.nan, dataset.time_s))
    fallback = _is_fallback(dataset, operation)
    matching = _matching(dataset, patterns)
    permitted = _stable(dataset, operation, matching) if bit_stable else matching
    measured = np.isfinite(shares)
    counted = np.asarray(measured.sum(axis=0) >= LEAST_COVERAGE * measured.any(axis=1).sum())
    candidates = np.flatnonzero(measured.any(axis=0) & counted & ~fallback & permitted)
    rows = np.flatnonzero(measured[:, candidates].any(axis=1))
    if not rows.size:
        raise DatasetError(
            f"the {dataset.operation} {dataset.data_type} measurements of {dataset.device.key} "
            "hold nothing to choose from: measure more configurations"
        )
    problems = tuple(dataset.problems[row] for row in rows)
    sparse = int((permitted & ~failed & ~fallback).sum()) - len(candidates)
    configurations = tuple(dataset.configurations[column] for column in candidates)
    ids = [configuration.id for configuration in configurations]
    default = operation.default_configuration
    return Evidence(
        problems=problems,
        configurations=configurations,
        feature_names=tuple(feature.name for feature in operation.features),
        features=feature_matrix(operation.features, operation.problem_fields, problems),
        shares=shares[np.ix_(rows, candidates)],
        repeats=np.array([repeats.get(problem, 1) for problem in problems], dtype=np.intp),
        default=ids.index(default) if default in ids else None,
        notes=_notes(
            int((~matching & ~fallback).sum()),
            int((matching & ~permitted).sum()),
            int((permitted & failed).sum()),
            sparse,
            len(dataset.problems) - len(problems),
        ),
    )


def failed_columns(dataset: Dataset) -> NDArray[np.bool_]:
    """Return which configurations failed on at least one problem: bool[C]."""
    failed = np.zeros(dataset.status.shape, dtype=np.bool_)
    for status in _FAILED:
        failed |= dataset.status == status.value
    return np.asarray(failed.any(axis=0), dtype=np.bool_)


def _shares(time_s: NDArray[np.float64]) -> Shares:
    """Return shares of the best; a problem without any measurement stays a row of NaN."""
    shares = np.full(time_s.shape, np.nan)
    measured = np.isfinite(time_s).any(axis=1)
    shares[measured] = shares_of_best(time_s[measured])
    return shares


def _is_fallback(dataset: Dataset, operation: Operation) -> NDArray[np.bool_]:
    names = [configuration.id for configuration in dataset.configurations]
    return np.array([name == operation.fallback_kernel for name in names], dtype=np.bool_)


def _matching(dataset: Dataset, patterns: Sequence[str]) -> NDArray[np.bool_]:
    """Return which configurations match a pattern: bool[C]."""
    matching = [
        any(fnmatchcase(configuration.id, pattern) for pattern in patterns)
        for configuration in dataset.configurations
    ]
    if dataset.configurations and not any(matching):
        raise ConfigurationError(
            f"none of the {len(matching)} configurations measured on {dataset.device.key} matches "
            f"{', '.join(patterns) or 'no pattern at all'}; the first is "
            f"{dataset.configurations[0].id}"
        )
    return np.array(matching, dtype=np.bool_)


def _stable(
    dataset: Dataset, operation: Operation, matching: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which of the matching configurations give the same bits as each other: bool[C]."""
    of_kernel = {kernel.name: kernel.bit_stable for kernel in operation.kernels}
    stable = np.array([of_kernel[c.kernel] for c in dataset.configurations], dtype=np.bool_)
    if matching.any() and not (matching & stable).any():
        raise ConfigurationError(
            f"none of the {matching.sum()} configurations measured on {dataset.device.key} that "
            "may be chosen is bit-stable; permit others with HORNBEAM_BIT_STABLE=OFF "
            "(--no-bit-stable)"
        )
    return matching & stable


def _notes(
    excluded: int, unstable: int, failed: int, sparse: int, problems: int
) -> tuple[str, ...]:
    found = [
        (excluded, "configurations match none of the patterns given and are left out"),
        (
            unstable,
            "configurations are not bit-stable and are left out (HORNBEAM_BIT_STABLE=OFF permits "
            "them)",
        ),
        (failed, "configurations failed on this device and are left out"),
        (sparse, "configurations were measured on too few problems and are left out"),
        (problems, "problems without a usable measurement are left out"),
    ]
    return tuple(f"{text}: {count}" for count, text in found if count)
