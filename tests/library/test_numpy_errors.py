# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Arrays and machines that the library cannot work with: exceptions that say why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hornbeam.errors import ArgumentError, ElementTypeError, HornbeamError, OutOfMemoryError
from library_binding import Call, Library
from test_numpy import Usm

ROOT = Path(__file__).resolve().parents[2]


def ones(*shape: int, dtype: str = "f4") -> Any:
    return np.ones(shape, dtype)


@pytest.mark.parametrize(
    ("a", "b", "options", "wanted"),
    [
        (ones(3), ones(3, 3), {}, "a has 1 axes, must have 2 or 3"),
        (ones(3, 3), ones(1, 2, 3, 3), {}, "b has 4 axes, must have 2 or 3"),
        (ones(2, 3), ones(4, 5), {}, "op(a) is 2 x 3 and op(b) is 4 x 5"),
        (ones(2, 3), ones(3, 5), {"transpose_a": True}, "op(a) is 3 x 2 and op(b) is 3 x 5"),
        (ones(2, 3, 3), ones(4, 3, 3), {}, "a has 2 entries and b has 4, must have the same"),
        (ones(0, 3, 3), ones(4, 3, 3), {}, "a has 0 entries and b has 4, must have the same"),
        (ones(3, 3), ones(3, 3), {"beta": 1}, "c is not given"),
        (ones(3, 3), ones(3, 3), {"beta": 1, "c": ones(4)}, "c has shape (4,), must be possible"),
        (ones(3, 3), ones(3, 3), {"order": "C"}, "order is 'C', must be one of row_major, column"),
        (ones(3, 3), ones(3, 3), {"kernel": "none"}, "kernel is 'none', must be one of"),
    ],
)
def test_wrong_argument(library: Library, a: Any, b: Any, options: Any, wanted: str) -> None:
    with pytest.raises(ArgumentError) as caught:
        library.matmul(a, b, **options)
    assert wanted in str(caught.value)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    ("a", "b", "c", "wanted"),
    [
        (ones(3, 3, dtype="i4"), ones(3, 3), None, "a has elements of type int32, must have float"),
        (ones(3, 3), ones(3, 3, dtype="c8"), None, "b has elements of type complex64, must have"),
        (ones(3, 3), [[None] * 3] * 3, None, "b has elements of type object, must have float32"),
        (ones(3, 3), ones(3, 3, dtype="f8"), None, "b has elements of type float64, must have fl"),
        (ones(3, 3), ones(3, 3), ones(3, 3, dtype="f8"), "c has elements of type float64, must"),
    ],
)
def test_wrong_element_type(library: Library, a: Any, b: Any, c: Any, wanted: str) -> None:
    with pytest.raises(ElementTypeError) as caught:
        library.matmul(a, b, beta=1, c=c)
    assert wanted in str(caught.value)
    assert isinstance(caught.value, TypeError)


def test_unknown_type_lists_the_known_ones(library: Library) -> None:
    with pytest.raises(
        ElementTypeError, match=r"dtype is int64, must be one of .*float32, float64"
    ):
        library.kernels(np.int64)


@pytest.mark.parametrize("size", [2**63, -(2**63), 2**64 + 1])
def test_sizes_are_not_cut_off(library: Library, size: int) -> None:
    with pytest.raises(ArgumentError, match=f"m is {size}, must be less than"):
        library.call(Call(size, 1, 1), None, None, None)


def test_usm_arrays_are_not_copied(library: Library) -> None:
    values = library.array(np.ones(100, np.float32))
    with pytest.raises(ArgumentError, match="a has strides"):
        library.matmul(Usm(values, (4, 4), strides=(20, 2)), ones(4, 4))
    with pytest.raises(ArgumentError, match="b is not a USM pointer"):
        library.matmul(ones(4, 4), Usm(ones(4, 4), (4, 4)))


def test_too_little_memory(library: Library) -> None:
    with pytest.raises((OutOfMemoryError, HornbeamError)):
        library.empty(2**60)


def test_machine_without_a_device(library: Library) -> None:
    """What needs none still works."""
    script = (
        "import sys\n"
        "from hornbeam.errors import DeviceError\n"
        "from hornbeam.library import Library\n"
        "library = Library(sys.argv[1])\n"
        "print(library.build_info()['version'])\n"
        "try: library.kernels()\n"
        "except DeviceError as error: print(error)\n"
    )
    variables = {**os.environ, "ONEAPI_DEVICE_SELECTOR": "cuda:*"}
    variables["PYTHONPATH"] = str(ROOT / "tuning")
    done = subprocess.run(
        [sys.executable, "-c", script, library.path],
        env=variables,
        check=True,
        capture_output=True,
        text=True,
    )
    version, message = done.stdout.splitlines()
    assert version == (ROOT / "VERSION").read_text().strip()
    assert "there is no SYCL device" in message
    assert "hornbeam doctor" in message
