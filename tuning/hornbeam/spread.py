# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Orders of points of which every beginning stands for all of them.

Points hold counts or sizes, zeros allowed; distances are measured between the base-two
logarithms of their coordinates. Ties go to the earlier point. Sums are rounded before they
are compared, so that ties are ties on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Point = tuple[int, ...]


def farthest_first(points: Sequence[Point], chosen: Sequence[Point] = ()) -> list[int]:
    """Order points by variety: each next one is the farthest from all before it.

    Args:
        points: to be ordered.
        chosen: points that stand before the first; without any, the order starts with the
            first point.

    Returns:
        Indices of all points.
    """
    if not points:
        return []
    between = _distances(points, points)
    nearest = _nearest(points, chosen)
    order: list[int] = []
    left = np.ones(len(points), dtype=np.bool_)
    for _ in points:
        best = int(np.argmax(np.where(left, nearest, -1.0)))
        order.append(best)
        left[best] = False
        nearest = np.minimum(nearest, between[best])
    return order


def most_central_first(points: Sequence[Point], chosen: Sequence[Point] = ()) -> list[int]:
    """Order points by how well they stand for the rest.

    Each next one is the one that brings the points, on average, closest to one that was
    picked: typical ones come early and extreme ones late.

    Args:
        points: to be ordered.
        chosen: points that stand before the first.

    Returns:
        Indices of all points.
    """
    if not points:
        return []
    between = _distances(points, points)
    nearest = _nearest(points, chosen)
    if not chosen:
        nearest = np.full(len(points), between.max())
    order: list[int] = []
    left = np.ones(len(points), dtype=np.bool_)
    for _ in points:
        gain = np.maximum(nearest - between, 0.0).sum(axis=1).round(6)
        best = int(np.argmax(np.where(left, gain, -1.0)))
        order.append(best)
        left[best] = False
        nearest = np.minimum(nearest, between[best])
    return order


def _distances(points: Sequence[Point], others: Sequence[Point]) -> NDArray[np.float64]:
    """Distances, float64[points, others]."""
    a, b = (np.log2(1.0 + np.asarray(p, dtype=np.float64)) for p in (points, others))
    squared: NDArray[np.float64] = ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)
    return np.asarray(np.round(np.sqrt(squared), 6), dtype=np.float64)


def _nearest(points: Sequence[Point], chosen: Sequence[Point]) -> NDArray[np.float64]:
    """Distance of each point to the nearest chosen one, infinite without any."""
    if not chosen:
        return np.full(len(points), np.inf)
    return np.asarray(_distances(points, chosen).min(axis=1), dtype=np.float64)
