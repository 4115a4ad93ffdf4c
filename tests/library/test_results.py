# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Right results: every deployed kernel against numpy, at sizes where kernels go wrong."""

from __future__ import annotations

import itertools
import os
import threading
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from library_binding import Call, Library, Order
from matmul_cases import CANARY, Case, storages

TYPES = [np.float32, np.float64, np.float16]
TRANSPOSES = list(itertools.product((0, 1), repeat=2))
EDGE_SIZES = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 127, 129]


@pytest.mark.parametrize(("transa", "transb"), TRANSPOSES)
@pytest.mark.parametrize("dtype", TYPES)
def test_every_kernel_at_edge_sizes(library: Library, dtype: Any, transa: int, transb: int) -> None:
    """Same bits from every kernel, and the right ones."""
    random = np.random.default_rng(transa * 2 + transb)
    sizes = [tuple(int(x) for x in random.choice(EDGE_SIZES, 3)) for _ in range(25)]
    blocks = [(2, 3, 300), (3, 401, 270), (131, 203, 531)]  # more than one block each way
    narrow = [(9, 5, 6501), (11, 1, 4099), (1, 13, 4099)]  # long sums of few columns or rows
    for m, n, k in [*sizes, (1, 1, 1), (1, 129, 5), (129, 1, 5), *blocks, *narrow]:
        call = Call(m, n, k, batch=2, transa=transa, transb=transb, alpha=0.75, beta=-0.5)
        call = replace(call, ldc=n + 3, lda=(m if transa else k) + 1)
        case = Case.random(library, call, dtype, seed=m * n * k)
        results = [case.run(kernel=id) for id in library.kernels(dtype)]
        case.check(results[-1])
        for id, result in zip(library.kernels(dtype), results, strict=True):
            assert result.tobytes() == results[-1].tobytes(), f"{id} differs on {call}"
        assert case.run().tobytes() == results[-1].tobytes(), "the tree's kernel differs"


@pytest.mark.parametrize("dtype", TYPES)
def test_threads_with_a_small_stack(library: Library, dtype: Any) -> None:
    """What kernels keep in private memory lies on the stack of the thread that waits."""
    failures: list[BaseException] = []

    def run(case: Case, kernel: str) -> None:
        try:
            case.check(case.run(kernel=kernel))
        except BaseException as failure:
            failures.append(failure)

    for transa, transb in TRANSPOSES:
        call = Call(250, 300, 600, transa=transa, transb=transb)
        case = Case.random(library, call, dtype, seed=1)
        for kernel in library.kernels(dtype):
            case.run(kernel=kernel)  # compiled here, with all the stack that a compiler takes
            before = threading.stack_size(2 << 20)
            try:
                thread = threading.Thread(target=run, args=(case, kernel))
                thread.start()
            finally:
                threading.stack_size(before)
            thread.join()
    assert not failures


@st.composite
def calls(draw: st.DrawFn) -> Call:
    size = st.one_of(st.sampled_from(EDGE_SIZES), st.integers(0, 70))
    scalar = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-30, 3.0])
    gap = st.integers(0, 4)
    flag = st.integers(0, 1)
    call = Call(
        m=draw(size),
        n=draw(size),
        k=draw(size),
        batch=draw(st.integers(0, 3)),
        order=draw(st.sampled_from(Order)),
        transa=draw(st.integers(0, 2)),
        transb=draw(st.integers(0, 2)),
        alpha=draw(scalar),
        beta=draw(scalar),
    )
    if draw(flag):
        a, b, c = storages(call)
        call = replace(call, lda=a.ld + draw(gap), ldb=b.ld + draw(gap), ldc=c.ld + draw(gap))
    if draw(flag):
        a, b, c = storages(call)
        call = replace(
            call,
            stride_a=draw(st.sampled_from([0, a.stride, a.stride + 3])),
            stride_b=draw(st.sampled_from([0, b.stride, b.stride + 1])),
            stride_c=c.stride + draw(gap),
        )
    return call


@pytest.mark.parametrize("dtype", TYPES)
@settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(call=calls(), data=st.data())
def test_any_call(library: Library, dtype: Any, call: Call, data: st.DataObject) -> None:
    """Memory of exactly the least size, with canaries around it."""
    kernel = data.draw(st.sampled_from([None, *library.kernels(dtype)]))
    case = Case.random(library, replace(call, kernel=kernel), dtype)
    case.check(case.run())


@pytest.mark.parametrize("order", Order)
def test_least_stride_of_c(library: Library, order: Order) -> None:
    """Entries may follow each other as closely as their last elements allow."""
    call = Call(5, 7, 3, batch=3, ldc=9, order=order)
    c = storages(call)[2]
    lines, length = (7, 5) if order == Order.COLUMN_MAJOR else (5, 7)
    call = replace(call, stride_c=c.ld * (lines - 1) + length)
    case = Case.random(library, call, np.float32)
    case.check(case.run())


def test_zero_beta_ignores_c(library: Library) -> None:
    for kernel in library.kernels():
        case = Case.random(library, Call(19, 23, 9, beta=0.0, kernel=kernel), np.float32)
        case.poison(2)
        case.check(case.run())


@pytest.mark.parametrize(
    "change", [{"alpha": 0.0}, {"k": 0}, {"k": 0, "alpha": np.inf}, {"k": 0, "alpha": np.nan}]
)
@pytest.mark.parametrize("beta", [0.0, 1.0, -2.0])
def test_no_product_ignores_a_and_b(library: Library, change: dict[str, Any], beta: float) -> None:
    call = replace(Call(19, 23, 9, beta=beta), **change)
    case = Case.random(library, call, np.float32)
    case.poison(0)
    case.poison(1, np.inf)
    for kernel in [None, *library.kernels()]:
        case.check(case.run(kernel=kernel))
    c = library.array(case.before[2])
    library.run(call, None, None, c[CANARY:])
    case.check(c)


@pytest.mark.parametrize("alpha", [1.0, 0.0])
def test_adding_nothing_returns_c_bit_for_bit(library: Library, alpha: float) -> None:
    """Negative zeros included."""
    for kernel in [None, *library.kernels()]:
        call = Call(17, 18, 19, beta=1.0, alpha=alpha, kernel=kernel)
        case = Case.random(library, call, np.float32)
        case.poison(0, 0.0)
        for copy in (case.memory[2], case.before[2]):
            copy[CANARY : CANARY + 40 : 3] = -0.0
        assert case.run().tobytes() == case.before[2].tobytes()


def test_tiny_alpha_does_not_overflow(library: Library) -> None:
    call = Call(4, 4, 4, alpha=1e-38, beta=1e38)
    case = Case.random(library, call, np.float32)
    result = case.run()
    assert np.isfinite(result).all()
    case.check(result)


def test_result_does_not_depend_on_the_batch(library: Library) -> None:
    one = Case.random(library, Call(37, 41, 29), np.float32)
    many = Case.random(library, Call(37, 41, 29, batch=5, stride_a=0, stride_b=0), np.float32)
    for operand in (0, 1):
        many.memory[operand][:] = one.memory[operand]
    alone = one.run()[CANARY:-CANARY]
    batch = many.run()[CANARY:-CANARY].reshape(5, -1)
    assert all(entry.tobytes() == alone.tobytes() for entry in batch)


def test_special_values_reach_the_result(library: Library) -> None:
    case = Case.random(library, Call(9, 9, 9), np.float32)
    case.memory[0][CANARY] = np.nan
    case.memory[0][CANARY + 9] = np.inf
    result = case.run()[CANARY:-CANARY].reshape(9, 9)
    assert np.isnan(result[0]).all()
    assert np.isinf(result[1]).all()
    assert np.isfinite(result[2:]).all()


def test_offsets_beyond_32_bits(library: Library) -> None:
    """A row of C, and entries of the batch, more than 2^31 bytes behind the first."""
    far = (1 << 29) + 64
    needed = 5 * far * 4  # C and the zeros it is made from, with room to spare
    if needed > os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES"):
        pytest.skip(f"needs {needed >> 30} GiB of free memory")
    call = Call(2, 3, 4, batch=2, ldc=far // 2, stride_c=far)
    case = Case.random(library, replace(call, ldc=None, stride_c=None), np.float32)
    c = library.array(np.zeros(storages(call)[2].size, np.float32))
    library.run(call, case.memory[0][CANARY:], case.memory[1][CANARY:], c)
    wanted = case.run()[CANARY:-CANARY].reshape(2, 2, 3)
    assert np.array_equal(c[storages(call)[2].index()], wanted)
