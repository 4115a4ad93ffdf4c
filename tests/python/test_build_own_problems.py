# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The user's own problems: measured, added, learned from."""

from __future__ import annotations

import synthetic
from build_world import KEY, OWN_PROBLEMS, small_dataset
from hornbeam.pipeline import Tune


def test_own_problems_are_measured_and_added(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    result = world.configure(problems=world.problems(), data_types=("float",))
    assert [task.required for task in world.campaigns] == [OWN_PROBLEMS]
    assert world.campaigns[0].problems == ()
    assert "12 problems" in "\n".join(result.manifest.summary)
    assert result.warnings == ()
    assert world.configure(problems=world.problems(), data_types=("float",)).up_to_date
    assert len(world.campaigns) == 1


def test_own_problems_that_cannot_be_measured_again_are_not_tried_at_each_configure(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    world.result = lambda *_: small_dataset()
    for _ in range(3):
        result = world.configure(problems=world.problems(), data_types=("float",))
        assert any("2 of your 2 problems" in warning for warning in result.warnings)
    assert len(world.campaigns) == 1


def test_own_problems_beside_times_of_another_driver_mean_a_whole_campaign(world):
    world.store(small_dataset(driver="0.9"))
    world.device(synthetic.DEVICE)
    world.configure(problems=world.problems(), data_types=("float",))
    assert len(world.campaigns[0].problems) > 50
    assert len(world.campaigns[0].required) == 2


def test_own_problems_are_not_bought_with_knowing_less(world):
    """A minute tells less than what is stored of another driver: it is not replaced unasked."""
    world.store(small_dataset(driver="0.9", sizes=synthetic.problems(60)))
    world.device(synthetic.DEVICE)
    result = world.configure(problems=world.problems(), data_types=("float",), budget_s=60.0)
    assert world.campaigns == []
    assert any("measure on that device with HORNBEAM_TUNE=FORCE" in w for w in result.warnings)
    assert not world.own.exists()


def test_reuse_reports_own_problems_that_are_missing(world):
    world.store(small_dataset())
    result = world.configure(targets=(KEY,), tune=Tune.REUSE, problems=world.problems())
    assert any("2 of your 2 problems (first: 5x7x11x1x0x0)" in w for w in result.warnings)


def test_own_problems_change_the_tree(world):
    sizes = [*synthetic.problems(10), *OWN_PROBLEMS]
    world.store(small_dataset(sizes=sizes))
    plain = world.configure(targets=(KEY,), n_kernels=6)
    own = world.configure(targets=(KEY,), n_kernels=6, problems=world.problems())
    assert own.warnings == ()
    assert own.manifest.tuned_digest != plain.manifest.tuned_digest
