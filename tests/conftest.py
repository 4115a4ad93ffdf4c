# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_datasets_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hides what the user measured: results must not depend on it, nor it on the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORNBEAM_DATASET_DIR", str(tmp_path_factory.mktemp("datasets")))
        yield


@pytest.fixture(scope="session", autouse=True)
def interruptible() -> Iterator[None]:
    """SIGINT interrupts tests and their children, also where a shell runs tests in the background.

    Such a shell has it ignored, and what is ignored stays so in children.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
