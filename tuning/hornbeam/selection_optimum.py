# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The N configurations with the best possible ceiling, by mixed-integer programming.

It is the facility-location problem: open N configurations, serve each problem by one of them,
and make the sum of the logarithms of shares greatest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_CANDIDATES = 120
_GAP = 1e-6
_PROVEN = 1e-5  # of a ceiling: what is left of the solver's tolerance
_OPTIMAL = 0  # scipy's status of a solution that is proven


@dataclass(frozen=True)
class Optimum:
    """Outcome of `optimum`.

    Attributes:
        columns: the best N found by the solver; empty where the time did not suffice.
        ceiling: geometric mean of the best of them over the problems; NaN where there are none.
        bound: no N configurations have a ceiling above this.
        proven: whether these columns, or those with the known ceiling, are an optimum.
    """

    columns: tuple[int, ...]
    ceiling: float
    bound: float
    proven: bool


def optimum(logs: NDArray[np.float64], n_kernels: int, known: float, limit_s: float) -> Optimum:
    """Maximise the mean, over problems, of the largest chosen logarithm.

    Each problem may be served by its best `_CANDIDATES` configurations, or by none of them at the
    speed of the next one: more than it can have, so what the solver proves is a bound for all.

    Args:
        logs: float64[P, C], logarithms of shares, at most 0.
        n_kernels: N, 1..C.
        known: a ceiling that some N configurations are known to have; the bound is at least this.
        limit_s: seconds of computing after which the best found so far is returned.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array, csr_array, hstack

    rows, columns = logs.shape
    depth = min(columns, _CANDIDATES)
    order = np.argsort(-logs, axis=1, kind="stable")
    values = np.take_along_axis(logs, order[:, : depth + 1], axis=1)
    # Variables: which are open, then for each problem which candidate serves it.
    options = values.shape[1]
    served = np.arange(rows * options)
    problem = served // options
    within = served[served % options < depth]
    place = np.arange(len(within))
    only_open = coo_array(
        (
            np.concatenate([np.ones(len(within)), -np.ones(len(within))]),
            (
                np.concatenate([place, place]),
                np.concatenate([columns + within, order[:, :depth].ravel()]),
            ),
        ),
        shape=(len(within), columns + len(served)),
    )
    once = csr_array((np.ones(len(served)), (problem, columns + served)))
    opened = hstack([csr_array(np.ones((1, columns))), csr_array((1, len(served)))])
    found = milp(
        np.concatenate([np.zeros(columns), -values.ravel() / rows]),
        integrality=np.concatenate([np.ones(columns), np.zeros(len(served))]),
        bounds=Bounds(0.0, 1.0),
        constraints=[
            LinearConstraint(once, 1.0, 1.0),
            LinearConstraint(opened, n_kernels, n_kernels),
            LinearConstraint(only_open.tocsr(), -np.inf, 0.0),
        ],
        options={"time_limit": limit_s, "mip_rel_gap": _GAP},
    )
    dual = found.mip_dual_bound
    bound = 1.0 if dual is None or not np.isfinite(dual) else float(np.exp(min(-dual, 0.0)))
    if found.x is None:
        return Optimum((), float("nan"), max(bound, known), False)
    chosen = np.flatnonzero(found.x[:columns] > 0.5)
    ceiling = float(np.exp(logs[:, chosen].max(axis=1).mean()))
    names = tuple(int(column) for column in chosen)
    reached = max(ceiling, known)
    proven = found.status == _OPTIMAL and bound - reached <= _PROVEN
    return Optimum(names, ceiling, max(bound, reached), proven)
