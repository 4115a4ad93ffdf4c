# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A selector to damage."""

from __future__ import annotations

from hornbeam.space import configuration_from_id
from hornbeam.types import Score, Selector, TreeNode
from tuning_helpers import IDS, MATMUL


def selector() -> Selector:
    """Three kernels, three leaves."""
    return Selector(
        operation="matmul",
        data_type="float",
        device_key="acme-cpu-avx2-4cu",
        kernels=tuple(configuration_from_id(MATMUL, id) for id in IDS[:3]),
        features=("m", "k/n"),
        nodes=(
            TreeNode(feature="m", threshold=8.5, left=1, right=2, problems=20),
            TreeNode(kernel=0, expected_share=0.93125, problems=5),
            TreeNode(feature="k/n", threshold=0.1, left=3, right=4, problems=15),
            TreeNode(kernel=2, expected_share=1.0, problems=3),
            TreeNode(kernel=1, problems=12),
        ),
        scores=(Score(1, 0.7, 0.7, 0.7), Score(3, 0.95, 0.9, 0.7, 0.5)),
        held_out=Score(3, 0.95, 0.9, 0.7),
        options={"selection": "pca_kmeans", "n_kernels": 3},
        dataset_digest="0123456789abcdef" * 4,
        notes=("a note",),
    )
