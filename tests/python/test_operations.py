# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Operations: their registry and the rules of a problem."""

from __future__ import annotations

import pytest

from hornbeam.errors import ConfigurationError, DatasetError
from hornbeam.operations import get_operation, operation_names
from hornbeam.space import configuration_from_id

MATMUL = get_operation("matmul")


def test_unknown_operation_lists_the_known_ones() -> None:
    assert operation_names() == ["matmul"]
    with pytest.raises(ConfigurationError, match="matmul"):
        get_operation("fft")


@pytest.mark.parametrize("problem", [(0, 1, 1, 1, 0, 0), (1, 1, 1, 1, 2, 0), (1, 1, 1, -1, 0, 0)])
def test_nonsense_problems_are_refused(problem: tuple[int, ...]) -> None:
    with pytest.raises(DatasetError, match="outside"):
        MATMUL.check_problem(problem)


def test_wrong_number_of_values_is_refused() -> None:
    with pytest.raises(DatasetError, match="6 values"):
        MATMUL.check_problem((1, 2, 3))


def test_work_and_footprint() -> None:
    assert MATMUL.work((2, 3, 5, 7, 1, 0)) == 2 * 2 * 3 * 5 * 7
    assert MATMUL.elements((2, 3, 5, 7, 1, 0)) == 7 * (6 + 15 + 10)
    assert MATMUL.footprint_bytes((2, 3, 5, 7, 1, 0), "float") == 4 * 7 * 31
    assert MATMUL.footprint_bytes((2, 3, 5, 7, 1, 0), "double") == 8 * 7 * 31
    assert MATMUL.footprint_bytes((2, 3, 5, 7, 1, 0), "half") == 2 * 7 * 31
    assert MATMUL.data_types == ("float", "double", "half")
    assert MATMUL.required_fields == ("m", "k", "n")


def test_specialisations_are_indexed_by_their_flags() -> None:
    assert [s.suffix for s in MATMUL.specialisations] == ["nn", "nt", "tn", "tt"]
    for a in (0, 1):
        for b in (0, 1):
            found = MATMUL.specialisation((1, 1, 1, 1, a, b))
            assert found is MATMUL.specialisations[2 * a + b]
    assert MATMUL.specialisations[2].template_arguments == ("true", "false")


def test_fallback_and_default_configurations_exist() -> None:
    for id in (MATMUL.fallback_kernel, MATMUL.default_configuration):
        assert configuration_from_id(MATMUL, id).id == id
    assert MATMUL.kernels[-1].name == MATMUL.fallback_kernel
