# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def no_datasets_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Hides what the user measured: results must not depend on it, nor it on the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HORNBEAM_DATASET_DIR", str(tmp_path_factory.mktemp("datasets")))
        yield
