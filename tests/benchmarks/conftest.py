# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Results of a benchmark that never ran."""

from __future__ import annotations

from typing import Any

import pytest

CUBES = (1000, 1001, 1002)


def entry(times_s: list[float], **more: Any) -> dict[str, Any]:
    """What one library did on one size: a sample a round."""
    return {
        "status": "ok",
        "error": 0.1,
        "explanation": "",
        "rounds": [[t] for t in times_s],
    } | more


def size(problem: tuple[int, ...], sets: list[str], **peers: dict[str, Any]) -> dict[str, Any]:
    return {"problem": [*problem, 1, 0, 0], "sets": sets, "load": [0.1] * 3, "peers": peers}


@pytest.fixture
def results() -> dict[str, Any]:
    """Two sizes of a network, one that oneMKL got wrong, a vector, a long sum and neighbours."""
    sizes = [
        size(
            (64, 64, 64),
            ["vgg16"],
            hornbeam=entry([1.0, 2.0, 4.0]),
            onemkl=entry([2.0, 4.0, 8.0]),
            openblas=entry([1.0, 1.0, 8.0]),
        ),
        size(
            (128, 32, 8),
            ["vgg16", "resnet50"],
            hornbeam=entry([2.0, 2.0, 2.0]),
            onemkl=entry([1.0, 1.0, 1.0]),
            openblas=entry([4.0, 4.0]),
        ),
        size(
            (32, 32, 32),
            ["mobilenet"],
            hornbeam=entry([1.0]),
            onemkl=entry([], status="wrong", error=1e6),
        ),
        size((1, 4096, 4096), ["vectors"], hornbeam=entry([4.0e-3])),
        size(
            (64, 100000, 8),
            ["narrow"],
            hornbeam=entry([1.0]),
            onemkl=entry([0.5]),
            openblas=entry([0.9]),
        ),
        size((2048, 2048, 2048), ["squares"], hornbeam=entry([0.17])),
        *(
            size((cube,) * 3, ["cliff"], hornbeam=entry([0.02 * (1 + (cube == 1001))]))
            for cube in CUBES
        ),
    ]
    return {
        "format": 1,
        "conditions": {
            "device": "Acme 9000",
            "driver": "1.2.3",
            "cores": 2,
            "date": "2026-01-01T00:00:00+00:00",
            "last_level_cache_bytes": 1 << 20,
            "quick": True,
        },
        "peers": {
            "hornbeam": {"label": "hornbeam, tuned", "kernels": ["one", "two", "reference"]},
            "onemkl": {"label": "oneMKL"},
            "openblas": {"label": "OpenBLAS", "core_type": "Haswell"},
        },
        "absent": [{"name": "clblast", "label": "CLBlast", "reason": "libclblast is missing"}],
        "left_out": 0,
        "controls": [
            {
                "load": [0.5],
                "fma_flop_s": [90e9, 100e9],
                "triad_bytes_s": [20e9],
                "read_bytes_s": [25e9],
            },
            {"load": [1.5], "fma_flop_s": [100e9], "triad_bytes_s": [20e9], "read_bytes_s": [25e9]},
        ],
        "sizes": sizes,
    }
