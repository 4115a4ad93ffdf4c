# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A second target for the library that is tested, and its made-up dataset."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import synthetic
from hornbeam.dataset import save
from hornbeam.device_keys import parse_key
from hornbeam.operations import get_operation
from hornbeam.pipeline import campaign

VARIANTS = ("register_tile_2x4x4", "register_tile_4x4x8")
"""Kernels of the second target: few, since each is compiled for every transpose and type."""


def sibling(key: str) -> str:
    """Key of the same CPU without AVX: what the driver makes of it if it is told to."""
    parts = parse_key(key)
    assert parts is not None
    return str(replace(parts, architecture="sse42" if parts.architecture != "sse42" else "avx2"))


def store(key: str, folder: Path) -> None:
    """Store a dataset for a key, the same whenever this is called."""
    operation = get_operation("matmul")
    parts = parse_key(key)
    assert parts is not None
    device = replace(
        synthetic.DEVICE,
        key=key,
        vendor=parts.vendor,
        type=parts.type,
        architecture=parts.architecture,
    )
    full = synthetic.dataset(12, device=device)
    kept = np.flatnonzero([one.variant_id in VARIANTS for one in full.configurations])
    digest = campaign.source_of(operation, device).kernel_digest
    dataset = replace(
        full,
        configurations=tuple(full.configurations[i] for i in kept),
        time_s=full.time_s[:, kept],
        spread=full.spread[:, kept],
        single_launch=full.single_launch[:, kept],
        status=full.status[:, kept],
        details=None,
        provenance=replace(full.provenance, kernel_digest=digest),
    )
    save(folder / key, dataset)
