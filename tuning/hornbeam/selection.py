# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Choice of the N configurations that are worth shipping.

A method proposes configurations from P x C shares of the best speed; `select` turns the
proposal into exactly N distinct ones. Methods see normalised shares, the refill sees uncut ones.

scikit-learn takes a second to load, so it is imported by the functions that use it: names of
methods can be listed without it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from hornbeam.errors import ConfigurationError, DatasetError, choose
from hornbeam.normalise import NORMALISATIONS, Normalisation, Shares
from hornbeam.selection_clustering import (
    hdbscan_labels,
    kmeans_labels,
    pca_kmeans_labels,
    spectral_labels,
)

logger = logging.getLogger(__name__)

WELL_MEASURED = 0.5
"""A configuration can be the best of some problems when it was measured on this part of as many of
them as the one measured on the most."""

_COMPLETION_STEPS = 50
_NO_GAIN = 1e-9  # what sums of logarithms differ by when their order does


@dataclass(frozen=True)
class Selection:
    """Outcome of `select`.

    Attributes:
        columns: the chosen configurations, N distinct column indices in ascending order.
        refilled: how many of them the method did not propose itself.
    """

    columns: tuple[int, ...]
    refilled: int


@dataclass(frozen=True)
class MethodInput:
    """What a selection method may look at.

    Attributes:
        shares: float64[P, C], uncut; NaN where not measured.
        completed: float64[P, C], the same with estimates in place of NaN.
        features: float32[P, F].
        normalisation: scale for methods that compare whole rows.
        random_state: seed.
    """

    shares: Shares
    completed: Shares
    features: NDArray[np.float32]
    normalisation: Normalisation
    random_state: int

    def normalised(self) -> Shares:
        """Return the completed shares on the scale of the normalisation, float64[P, C]."""
        rows: Shares = self.normalisation(self.completed)
        return rows


def single_thread() -> AbstractContextManager[object]:
    """Keep numerical libraries on one thread for a while.

    Matrices are small: threads cost more than they bring, and change the order of sums.
    """
    # Limits reach only libraries that are loaded already.
    import sklearn.cluster
    import sklearn.decomposition
    import sklearn.tree  # noqa: F401
    from threadpoolctl import threadpool_limits

    limits: AbstractContextManager[object] = threadpool_limits(limits=1)
    return limits


def complete(shares: Shares) -> Shares:
    """Fill unknown cells with what their row and their column suggest.

    The logarithm of a share is modelled as a problem's part plus a configuration's part (a
    matrix of rank one in shares), fitted to the measured cells alone by alternating means. An
    estimate never beats the best measured speed of its problem.

    Args:
        shares: float64[P, C] in (0, 1], NaN where not measured.

    Raises:
        DatasetError: a row or a column holds no measurement.
    """
    known = np.isfinite(shares)
    if known.all():
        return shares
    if not (known.any(axis=0).all() and known.any(axis=1).all()):
        raise DatasetError("a problem or a configuration without any measurement has no estimate")
    logs = np.where(known, np.log(np.where(known, shares, 1.0)), 0.0)
    row = np.zeros((shares.shape[0], 1))
    column = np.zeros((1, shares.shape[1]))
    for _ in range(_COMPLETION_STEPS):
        column = _known_mean(logs - row, known, axis=0)
        row = _known_mean(logs - column, known, axis=1)
    estimate = np.minimum(np.exp(row + column), 1.0)
    filled: Shares = np.where(known, shares, estimate)
    return filled


def measured_part(shares: Shares) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the rows and the columns that hold at least one measurement."""
    known = np.isfinite(shares)
    return np.flatnonzero(known.any(axis=1)), np.flatnonzero(known.any(axis=0))


def _known_mean(
    values: NDArray[np.float64], known: NDArray[np.bool_], axis: int
) -> NDArray[np.float64]:
    total: NDArray[np.float64] = np.where(known, values, 0.0).sum(axis=axis, keepdims=True)
    mean: NDArray[np.float64] = total / known.sum(axis=axis, keepdims=True)
    return mean


def top_n(given: MethodInput, n_kernels: int) -> list[int]:
    """Propose the configurations that are fastest for the most problems."""
    wins = np.bincount(np.nanargmax(given.shares, axis=1), minlength=given.shares.shape[1]).astype(
        np.float64
    )
    merit = np.log(given.completed).mean(axis=0)
    order = np.lexsort((-merit, -wins))
    return [int(column) for column in order[:n_kernels] if wins[column] > 0]


def kmeans(given: MethodInput, n_kernels: int) -> list[int]:
    """Cluster problems by their normalised rows and propose the best kernel of each cluster."""
    labels = kmeans_labels(given.normalised(), n_kernels, given.random_state)
    return _best_of_groups(given, labels)


def pca_kmeans(given: MethodInput, n_kernels: int) -> list[int]:
    """Cluster in the space of the principal components of the normalised rows."""
    labels = pca_kmeans_labels(given.normalised(), n_kernels, given.random_state)
    return _best_of_groups(given, labels)


def spectral(given: MethodInput, n_kernels: int) -> list[int]:
    """Cluster by affinity: rows belong together that a chain of similar ones links."""
    labels = spectral_labels(given.normalised(), n_kernels, given.random_state)
    return _best_of_groups(given, labels)


def hdbscan(given: MethodInput, n_kernels: int) -> list[int]:
    """Cluster by density; there may be fewer clusters than kernels, and noise has none."""
    return _best_of_groups(given, hdbscan_labels(given.normalised(), n_kernels))


def tree_regressor(given: MethodInput, n_kernels: int) -> list[int]:
    """Fit a regression tree of N leaves from features to rows; propose each leaf's best kernel.

    Only leaves count: an inner node stands for no group of problems that the tree tells apart.
    """
    from sklearn.tree import DecisionTreeRegressor

    if n_kernels == 1:
        return _best_of_groups(given, np.zeros(len(given.shares), dtype=np.intp))
    regressor = DecisionTreeRegressor(max_leaf_nodes=n_kernels, random_state=given.random_state)
    regressor.fit(given.features, given.normalised())
    return _best_of_groups(given, regressor.apply(given.features))


def greedy(given: MethodInput, n_kernels: int) -> list[int]:
    """Add configurations by marginal gain, then exchange them one by one while that gains.

    What gains is the geometric mean, over problems, of the best chosen share; see `refill`.
    Proposes fewer than ``n_kernels`` when more would gain nothing.
    """
    logs = log_shares(given.shares)
    order = refill([], given.shares, n_kernels)
    means = np.maximum.accumulate(logs[:, order], axis=1).mean(axis=0)
    chosen = order[: 1 + int((np.diff(means) > _NO_GAIN).sum())]
    while (better := _exchanged(chosen, logs)) is not None:
        chosen = better
    return chosen


def _exchanged(chosen: list[int], logs: NDArray[np.float64]) -> list[int] | None:
    """Return the choice after the exchange that gains the most; None where none gains.

    Args:
        chosen: distinct columns.
        logs: float64[P, C], see `log_shares`.
    """
    best, value = None, float(logs[:, chosen].max(axis=1).mean()) + _NO_GAIN
    for leaving in chosen:
        rest = [column for column in chosen if column != leaving]
        reached = logs[:, rest].max(axis=1, initial=-np.inf, keepdims=True)
        means = np.maximum(reached, logs).mean(axis=0)
        entering = int(np.argmax(means))
        if means[entering] > value:
            best, value = [*rest, entering], float(means[entering])
    return best


def _best_of_groups(given: MethodInput, groups: NDArray[np.intp]) -> list[int]:
    """Return, for each group of problems, the kernel with the best geometric mean of shares.

    The groups come from normalised rows, the kernels from uncut shares: where no kernel of a
    group passes a cut-off, there still is a best one. A negative label is no group.
    """
    members = [groups == group for group in np.unique(groups[groups >= 0])]
    return [best_of(given.shares[rows], given.completed[rows]) for rows in members]


def best_of(shares: Shares, completed: Shares) -> int:
    """Return the configuration with the best geometric mean among those that are well measured.

    An estimate says what a configuration does on problems like those it was measured on, and
    nothing of the others: one that is the best of a few would be taken for the best of all.

    Args:
        shares: float64[P, C]; NaN where not measured.
        completed: float64[P, C], the same with estimates in place of NaN.
    """
    measured = np.isfinite(shares).sum(axis=0)
    merit = np.log(completed).mean(axis=0)
    merit[measured < WELL_MEASURED * measured.max()] = -np.inf
    return int(np.argmax(merit))


Method = Callable[[MethodInput, int], list[int]]

SELECTIONS: Mapping[str, Method] = MappingProxyType(
    {
        "pca_kmeans": pca_kmeans,
        "kmeans": kmeans,
        "top_n": top_n,
        "tree_regressor": tree_regressor,
        "greedy": greedy,
        "spectral": spectral,
        "hdbscan": hdbscan,
    }
)
"""Known methods by the name that options use, the default first."""


def select(
    name: str,
    shares: Shares,
    features: NDArray[np.float32],
    n_kernels: int,
    *,
    normalisation: str = "scaled",
    random_state: int = 0,
    log_level: int = logging.INFO,
) -> Selection:
    """Choose exactly ``n_kernels`` distinct configurations.

    Args:
        name: a key of `SELECTIONS`.
        shares: float64[P, C], uncut shares of the best; NaN where not measured.
        features: float32[P, F].
        n_kernels: how many to choose, 1..C.
        normalisation: a key of `NORMALISATIONS`.
        random_state: seed of the methods that draw.
        log_level: level of the line that tells of a refill.

    Raises:
        ConfigurationError: an unknown name, or more kernels than configurations.
    """
    method = SELECTIONS[choose("selection method", name, list(SELECTIONS))]
    scale = NORMALISATIONS[choose("normalisation", normalisation, list(NORMALISATIONS))]
    rows, usable = measured_part(shares)
    if not 1 <= n_kernels <= len(usable):
        raise ConfigurationError(
            f"cannot choose {n_kernels} kernels: the dataset has {len(usable)} usable "
            "configurations"
        )
    known = shares[np.ix_(rows, usable)]
    completed = complete(known)
    given = MethodInput(known, completed, features[rows], scale, random_state)
    proposed = method(given, n_kernels)
    distinct = list(dict.fromkeys(proposed))[:n_kernels]
    columns = usable[refill(distinct, known, n_kernels)]
    missing = n_kernels - len(distinct)
    if missing:
        logger.log(
            log_level,
            "%s proposed %d distinct kernels of %d; the rest was added by marginal gain",
            name,
            len(distinct),
            n_kernels,
        )
    return Selection(tuple(int(column) for column in np.sort(columns)), missing)


def best_single(shares: Shares) -> int:
    """Return the configuration with the highest geometric mean of its shares.

    Args:
        shares: float64[P, C]; NaN where not measured.
    """
    rows, usable = measured_part(shares)
    known = shares[np.ix_(rows, usable)]
    return int(usable[best_of(known, complete(known))])


def refill(columns: list[int], shares: Shares, n_kernels: int) -> list[int]:
    """Add configurations one by one until there are ``n_kernels``.

    Each added one raises the geometric mean, over problems, of the best chosen share the most;
    among equals it is the one with the highest geometric mean of its own. Where a configuration
    was not measured it brings nothing: it counts as the slowest that was.

    Args:
        columns: distinct configurations chosen so far; may be empty.
        shares: float64[P, C]; NaN where not measured, a measurement in each row and column.
        n_kernels: at most C.
    """
    logs = log_shares(shares)
    own = np.nanmean(np.log(shares), axis=0)
    chosen = list(columns)
    reached = logs[:, chosen].max(axis=1, initial=-np.inf, keepdims=True)
    while len(chosen) < n_kernels:
        gain = np.maximum(reached, logs).mean(axis=0)
        gain[chosen] = -np.inf
        best = int(np.lexsort((own, gain))[-1])
        chosen.append(best)
        reached = np.maximum(reached, logs[:, [best]])
    return chosen


def log_shares(shares: Shares) -> NDArray[np.float64]:
    """Return logarithms of shares; what was not measured counts as the slowest that was."""
    slowest = np.nanmin(shares, axis=1, keepdims=True)
    logs: NDArray[np.float64] = np.log(np.where(np.isfinite(shares), shares, slowest))
    return logs
