# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The command and the package's functions, answered by a compiled library."""

from __future__ import annotations

import json
from collections.abc import Iterator

import numpy as np
import pytest

import hornbeam
from hornbeam.cli import main
from hornbeam.errors import ExitCode
from hornbeam.library import default_library
from library_binding import Library


@pytest.fixture
def found(library: Library, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The library is found without being named."""
    monkeypatch.setenv("HORNBEAM_LIBRARY", str(library.path.parent))
    default_library.cache_clear()
    yield
    default_library.cache_clear()


def test_explain(library: Library, capsys: pytest.CaptureFixture[str]) -> None:
    """Sizes are m, k, n there and m, n, k here."""
    arguments = ["explain", "64", "576", "3136", "--batch", "3", "--transpose-b"]
    arguments += ["--library", str(library.path), "--type", "double"]
    told = library.explain(64, 3136, 576, batch=3, transpose_b=True, dtype=np.float64)
    assert main([*arguments, "--format", "json"]) == ExitCode.OK
    document = json.loads(capsys.readouterr().out)
    assert document.pop("problem") == {
        **{"m": 64, "k": 576, "n": 3136, "batch": 3, "transpose_a": 0, "transpose_b": 1}
    }
    assert document.pop("library") == str(library.path)
    assert document.pop("dataset") == told.pop("dataset_key")
    assert document == told
    assert main(arguments) == ExitCode.OK
    out = capsys.readouterr().out
    for words in (told["kernel"], told["path"], f"{told['expected_share']:.1%}", told["target"]):
        assert words in out


def test_explain_uses_the_library_found(
    found: None, library: Library, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "512", "784", "512"]) == ExitCode.OK
    assert str(library.path) in capsys.readouterr().out
    target, *_ = library.build_info()["targets"]
    sizes = ["512", "784", "512", "--num-kernels", "1"]
    assert main(["explain", *sizes, "--target", target["dataset_key"]]) == ExitCode.OK
    assert str(library.path) not in capsys.readouterr().out


def test_functions_of_the_package(found: None, library: Library) -> None:
    a = np.random.default_rng(0).uniform(-1, 1, (7, 7))
    assert np.array_equal(hornbeam.matmul(a, a), library.matmul(a, a))
    assert hornbeam.explain(512, 512, 784) == library.explain(512, 512, 784)
    assert hornbeam.kernels(np.float64) == library.kernels(np.float64)
    assert hornbeam.build_info() == library.build_info()
    hornbeam.prepare(np.float64)
    assert hornbeam.Library(library.path).path == library.path
