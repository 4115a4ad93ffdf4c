# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Elements of A, B and C more than 2^31 bytes behind the first, by leading dimension and stride.

The memory between them is reserved and never touched, so it costs address space alone.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from library_binding import Call, Library
from matmul_cases import storages

FAR = (1 << 29) + 64
"""Elements of four bytes: 2 GiB and a bit."""
CALL = Call(2, 3, 4, batch=2)


@pytest.mark.parametrize("kernel", [0, -1])
@pytest.mark.parametrize("transposed", [0, 1])
@pytest.mark.parametrize("way", ["ld", "stride"])
@pytest.mark.parametrize("operand", "abc")
def test_far_elements(
    library: Library, operand: str, way: str, transposed: int, kernel: int
) -> None:
    call = replace(
        CALL, transa=transposed, transb=transposed, kernel=library.kernels()[kernel], beta=1.0
    )
    ordinary = storages(call)
    if way == "ld":
        lines = ordinary["abc".index(operand)].rows
        call = replace(call, batch=1, **{f"ld{operand}": -(-FAR // (lines - 1))})
    else:
        call = replace(call, **{f"stride_{operand}": FAR})
    random = np.random.default_rng(0)
    shapes = [(call.batch, storage.rows, storage.cols) for storage in ordinary]
    values = [random.integers(-4, 5, shape).astype(np.float32) for shape in shapes]
    a, b = (x.swapaxes(1, 2) if transposed else x for x in values[:2])
    wanted = a @ b + values[2]
    far = "abc".index(operand)
    places = storages(call)
    assert 4 * places[far].index().max() > 1 << 31
    operands = [library.array(x.ravel()) for x in values]
    operands[far] = library.empty((places[far].size,), np.float32)
    operands[far][places[far].index()] = values[far]
    library.run(call, *operands)
    assert np.array_equal(operands[2][places[2].index()], wanted)
