# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Options of a build: unknown ones list the valid ones."""

from __future__ import annotations

import math

import pytest

from build_world import KEY, small_dataset
from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.pipeline import Tune, campaign, parse_list, parse_tune


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"data_types": ("quad",)}, "unknown data type 'quad'; valid: float, double, half"),
        ({"selection": "magic"}, "pca_kmeans, kmeans, top_n, tree_regressor, greedy"),
        ({"normalisation": "magic"}, "scaled, raw_cutoff"),
        ({"n_kernels": 65}, r"1\.\.64"),
        ({"operation": "stencil"}, "unknown operation 'stencil'; valid: matmul"),
        *(({"budget_s": budget_s}, "more than 0") for budget_s in (0.0, -1.0, math.nan, math.inf)),
        ({"targets": ()}, "at least one target device is needed; valid: auto and the keys"),
        ({"data_types": ()}, "at least one data type is needed; valid: float, double"),
    ],
)
def test_unknown_values_list_the_valid_ones(world, changes, message):
    with pytest.raises(ConfigurationError, match=message):
        world.configure(**changes)


def test_more_kernels_than_were_measured_is_an_error(world):
    world.store(small_dataset(configurations=5))
    with pytest.raises(ConfigurationError, match="5 usable"):
        world.configure(targets=(KEY,), n_kernels=6)


def test_own_problems_must_be_readable(world):
    with pytest.raises(DatasetError, match="missing column 'n'"):
        world.configure(problems=world.problems("m,k\n1,2\n"))


def test_lists_and_modes():
    assert parse_list("auto") == ("auto",)
    assert parse_list(" a; b,a;;") == ("a", "b")
    assert parse_tune("force") is Tune.FORCE
    with pytest.raises(ConfigurationError, match="AUTO, REUSE, FORCE, OFF"):
        parse_tune("maybe")


def test_small_budgets_measure_the_first_type_only():
    assert campaign.affordable_types(("float", "double"), 60) == ("float",)
    assert campaign.affordable_types(("float", "double"), 600) == ("float", "double")
