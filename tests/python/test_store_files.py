# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Every stored file is read for what it holds, and nothing is remembered of what it held."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import synthetic
from hornbeam import store
from hornbeam.dataset import save
from hornbeam.operations import get_operation

OPERATION = get_operation("matmul")
TYPES = ("double", "float", "half")


@pytest.fixture
def stored(tmp_path):
    """Three files of one device; the times of each differ by a factor."""
    dataset = synthetic.few(synthetic.dataset(6), 4)
    return {
        name: save(
            tmp_path / dataset.device.key,
            replace(dataset, data_type=name, time_s=(factor + 1) * dataset.time_s),
        )
        for factor, name in enumerate(TYPES)
    }


def found(data_type, folder):
    one = store.find(OPERATION, data_type, synthetic.DEVICE.key, [folder])
    assert one is not None
    return one.dataset


def test_the_first_and_the_last_file_are_read_like_the_others(stored, tmp_path):
    assert len({dataset.digest for dataset in stored.values()}) == len(TYPES)
    for name, dataset in stored.items():
        assert found(name, tmp_path).digest == dataset.digest
        np.testing.assert_array_equal(found(name, tmp_path).time_s, dataset.time_s)


def test_a_file_that_changed_is_read_again(stored, tmp_path):
    old = found("float", tmp_path)
    new = save(tmp_path / old.device.key, replace(old, time_s=3 * old.time_s))
    assert new.digest != old.digest
    assert found("float", tmp_path).digest == new.digest
