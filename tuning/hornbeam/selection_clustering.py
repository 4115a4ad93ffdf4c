# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Problems grouped by how their rows look: the clusterings that selection methods use.

Every function takes float64[P, C] normalised rows without NaN and returns intp[P] labels.
"""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

MAX_COMPONENTS = 25
"""Principal components kept at most; beyond them the published data holds only noise."""

_K_MEANS_STARTS = 4
_LEAST_CLUSTERS = 2  # the smallest cluster that HDBSCAN forms
_LARGEST_CLUSTER = 6  # the largest least size of a cluster that the sweep tries
_LEAST_SAMPLES = (1, 3)
_NOISE = -1

Rows = NDArray[np.float64]
Labels = NDArray[np.intp]


def kmeans_labels(rows: Rows, n_clusters: int, random_state: int) -> Labels:
    """Cluster by k-means; fewer clusters come of rows that are nearly the same."""
    from sklearn.cluster import KMeans

    clusters = min(n_clusters, len(np.unique(rows, axis=0)))
    model = KMeans(n_clusters=clusters, n_init=_K_MEANS_STARTS, random_state=random_state)
    with warnings.catch_warnings():
        # Rows that are nearly the same give fewer clusters; the refill makes up for them.
        warnings.filterwarnings("ignore", message="Number of distinct clusters")
        labels: Labels = model.fit_predict(rows)
    return labels


def pca_kmeans_labels(rows: Rows, n_clusters: int, random_state: int) -> Labels:
    """Cluster by k-means in the space of the principal components."""
    from sklearn.decomposition import PCA

    components = min(MAX_COMPONENTS, rows.shape[0] - 1, rows.shape[1])
    if components < 1 or not np.ptp(rows, axis=0).any():
        return np.zeros(len(rows), dtype=np.intp)
    reduced = PCA(n_components=components, svd_solver="full").fit_transform(rows)
    return kmeans_labels(reduced, n_clusters, random_state)


def spectral_labels(rows: Rows, n_clusters: int, random_state: int) -> Labels:
    """Cluster the leading eigenvectors of a Gaussian affinity between rows.

    The affinity's width is the median distance of two rows, so that no scale has to be known.
    """
    from sklearn.cluster import SpectralClustering
    from sklearn.metrics.pairwise import euclidean_distances

    distances = euclidean_distances(rows)
    apart = distances[distances > 0.0]
    clusters = min(n_clusters, len(np.unique(rows, axis=0)))
    if clusters < 2 or len(rows) <= clusters:
        return kmeans_labels(rows, n_clusters, random_state)
    affinity = np.exp(-((distances / np.median(apart)) ** 2))
    model = SpectralClustering(
        n_clusters=clusters,
        affinity="precomputed",
        n_init=_K_MEANS_STARTS,
        random_state=random_state,
    )
    labels: Labels = model.fit_predict(affinity)
    return labels


def hdbscan_labels(rows: Rows, n_clusters: int) -> Labels:
    """Cluster by density, with the parameters that come closest to ``n_clusters`` from below.

    HDBSCAN finds how many clusters there are by itself. The least size of a cluster and the
    number of neighbours that make a core are swept; of the settings that leave the fewest
    clusters wanting, that with the fewest rows taken for noise counts. Noise is no cluster: its
    rows get the label -1. One cluster is all rows.
    """
    from sklearn.cluster import HDBSCAN
    from sklearn.metrics.pairwise import euclidean_distances

    chosen = np.zeros(len(rows), dtype=np.intp)
    if n_clusters == 1:
        return chosen
    distances = euclidean_distances(rows)
    best: tuple[int, int] | None = None
    for size in range(_LEAST_CLUSTERS, min(_LARGEST_CLUSTER, len(rows) - 1) + 1):
        for samples in _LEAST_SAMPLES:
            if samples > size:
                continue
            model = HDBSCAN(
                min_cluster_size=size, min_samples=samples, metric="precomputed", copy=True
            )
            labels = model.fit_predict(distances)
            wanting = n_clusters - len(set(labels) - {_NOISE})
            merit = (abs(wanting) + len(rows) * (wanting < 0), int((labels == _NOISE).sum()))
            if best is None or merit < best:
                best, chosen = merit, labels
    if (chosen == _NOISE).all():
        return np.zeros(len(rows), dtype=np.intp)
    return np.asarray(chosen, dtype=np.intp)
