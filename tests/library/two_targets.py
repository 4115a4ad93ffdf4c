# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A second target for the library that is tested, and its made-up dataset."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import synthetic
from hornbeam.dataset import save
from hornbeam.device_keys import parse_key
from hornbeam.operations import get_operation
from hornbeam.pipeline import campaign

KERNELS = (
    "register_tile_4x4x8_8x8",
    "packed_panel_4x12x4_k256_384x48",
    "packed_panel_4x12x4_k256_48x192",
    "gemv_8_32",
    "local_tile_8x8_4x4_k8_p4_b2",
    "local_tile_16x16_8x8_k16_p0_b1",
)
"""Kernels of the second target: each family, in blocks smaller than what tests compute."""


SLICED_KEY = "acme-cpu-avx2-3cu"
SLICED = tuple(
    kernel.configuration(values).id
    for kernel in get_operation("matmul").kernels
    if kernel.cuts_k
    for values in kernel.points()
)
"""A target with nothing but kernels that cut k."""


def sibling(key: str) -> str:
    """Key of the same CPU without AVX: what the driver makes of it if it is told to."""
    parts = parse_key(key)
    assert parts is not None
    return str(replace(parts, architecture="sse42" if parts.architecture != "sse42" else "avx2"))


def store(key: str, folder: Path, kernels: Collection[str] = KERNELS) -> None:
    """Store a dataset of kernels for a key, the same whenever this is called."""
    operation = get_operation("matmul")
    parts = parse_key(key)
    assert parts is not None
    device = replace(
        synthetic.DEVICE,
        key=key,
        vendor=parts.vendor,
        type=parts.type,
        architecture=parts.architecture,
        limits=replace(synthetic.DEVICE.limits, local_memory_bytes=256 << 10),
    )
    full = synthetic.dataset(12, device=device)
    columns = [i for i, one in enumerate(full.configurations) if one.id in kernels]
    kept = synthetic.part(full, range(len(full.problems)), columns)
    digest = campaign.source_of(operation, device).kernel_digest
    save(folder / key, replace(kept, provenance=replace(kept.provenance, kernel_digest=digest)))
