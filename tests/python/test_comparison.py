# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Two measurements of one device: how times differ, and what each selection is worth elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import synthetic
from command_world import KEY, QUICK, small
from hornbeam.comparison import compare
from hornbeam.dataset import save
from hornbeam.errors import DatasetError, ExitCode
from hornbeam.evaluate import LearnOptions
from hornbeam.operations import get_operation
from hornbeam.types import Dataset

MATMUL = get_operation("matmul")
OPTIONS = LearnOptions(n_kernels=3, splits=1)
FIRST = synthetic.few(synthetic.dataset(24))


def scaled(dataset: Dataset, factor: float) -> Dataset:
    return replace(dataset, time_s=dataset.time_s * factor)


def test_a_slower_machine_changes_times_and_no_choice() -> None:
    found = compare(FIRST, scaled(FIRST, 1.25), MATMUL, OPTIONS)
    assert found.ratio == pytest.approx(1.25)
    assert found.scatter == pytest.approx(0.0, abs=1e-12)
    assert len(found.problems) == 24
    assert all(one.cells == len(FIRST.configurations) for one in found.problems)
    for one in found.problems:
        assert one.ratio == pytest.approx(1.25)
        assert (one.best[0], one.reached) == (one.best[1], 1.0)
    for score in found.scores:
        assert score is not None
        assert (score.problems, score.loss) == (24, 0.0)


def test_noise_shows_as_scatter() -> None:
    generator = np.random.default_rng(0)
    noise = np.exp(0.1 * generator.standard_normal(FIRST.time_s.shape))
    found = compare(FIRST, replace(FIRST, time_s=FIRST.time_s * noise), MATMUL, OPTIONS)
    assert found.ratio == pytest.approx(1.0, abs=0.03)
    assert 0.05 < found.scatter < 0.1, "the median of |N(0, 0.1)| is 0.067"


def test_a_selection_that_the_other_times_speak_against_loses() -> None:
    """The kernels of the first are three times as slow in the second."""
    first = compare(FIRST, FIRST, MATMUL, OPTIONS)
    best = {one.best[0] for one in first.problems}
    columns = [i for i, c in enumerate(FIRST.configurations) if c.id in best]
    time_s = FIRST.time_s.copy()
    time_s[:, columns] *= 3.0
    found = compare(FIRST, replace(FIRST, time_s=time_s), MATMUL, OPTIONS)
    score = found.scores[0]
    assert score is not None
    assert score.loss > 0.3
    assert min(one.reached for one in found.problems) < 0.6


def test_unknown_cells_are_left_out_and_not_zero() -> None:
    time_s, status = FIRST.time_s.copy(), FIRST.status.copy()
    time_s[0], status[0] = np.nan, None
    time_s[1, ::2], status[1, ::2] = np.nan, None
    second = replace(FIRST, time_s=2.0 * time_s, status=status)
    found = compare(FIRST, second, MATMUL, OPTIONS)
    assert [one.problem for one in found.problems] == list(FIRST.problems[1:])
    assert found.problems[0].cells == len(FIRST.configurations) // 2
    assert found.ratio == pytest.approx(2.0)
    with pytest.raises(DatasetError, match="no configuration was timed on the same problem"):
        compare(
            synthetic.part(FIRST, range(10), range(40)),
            synthetic.part(FIRST, range(10, 20), range(40)),
            MATMUL,
            OPTIONS,
        )


def test_dataset_compare(commands):
    place = commands.folder / "shipped" / KEY
    twin = save(commands.folder / "twin" / KEY, scaled(small(), 2.0))
    status, out, err = commands("dataset", "compare", place, commands.folder / "twin" / KEY, *QUICK)
    assert (status, err) == (ExitCode.OK, "")
    assert out.splitlines()[0].startswith("m k n batch transpose_a transpose_b  cells")
    assert "second / first is 2.000 by geometric mean over 8 problems" in out
    assert "selection of the second on the first's times: " in out
    arguments = [place, commands.folder / "twin" / KEY, *QUICK, "--format", "json"]
    document = json.loads(commands("dataset", "compare", *arguments)[1])
    assert document["ratio"] == pytest.approx(2.0, rel=1e-4)
    assert len(document["problems"]) == 8
    assert document["scores"]["first_on_second"]["loss"] == pytest.approx(0.0, abs=1e-3)
    other = replace(twin, provenance=replace(twin.provenance, driver="9.9"))
    save(commands.folder / "other" / KEY, other)
    status, _, err = commands("dataset", "compare", place, commands.folder / "other" / KEY)
    assert status == ExitCode.FAILED
    assert "datasets differ in driver: 1.2.3 and 9.9" in err
    status, _, err = commands("dataset", "compare", place, place, "--type", "double")
    assert status == ExitCode.FAILED
    assert "has no matmul measurements of double" in err
