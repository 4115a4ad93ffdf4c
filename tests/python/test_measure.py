# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Tuning runs against stand-ins for the tools: what is measured, dropped, resumed."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hornbeam.bench import Deadline, compile_functions
from hornbeam.compaction import compact
from hornbeam.errors import BenchmarkError, DeviceError
from hornbeam.journal import open_journal, read_journal
from hornbeam.measure import Bench, Outcome, Plan, Verification, run, verify
from hornbeam.measure.compiled import functions_of
from hornbeam.measure.ledger import Ledger
from hornbeam.plan_cost import Shipping
from hornbeam.space import configuration_from_id
from hornbeam.types import Status
from tuning_helpers import (
    IDS,
    MATMUL,
    PROBLEMS,
    SOURCE,
    device,
    fake_bench,
    lines,
    plan,
    row,
)

VARIANT = "register_tile_2x4x8_float"


def _run(tmp_path: Path, bench: Bench, what: Plan, budget_s: float = 120.0) -> Outcome:
    with open_journal(tmp_path / "journal.jsonl") as journal:
        return run(what, journal, bench, Deadline.after(budget_s))


def _rows(tmp_path: Path) -> Any:
    """Rows but for the controls."""
    rows = read_journal(tmp_path / "journal.jsonl").rows
    return tuple(r for r in rows if not r.control)


def _requests(tmp_path: Path) -> list[str]:
    """Requests but for the controls."""
    found = lines(tmp_path / "driver.log")
    return [line for line in found if not line.startswith("measure hornbeam_reference_")]


def test_those_who_may_be_the_best_are_measured_in_every_round(tmp_path: Path) -> None:
    outcome = _run(tmp_path, fake_bench(tmp_path), plan())
    rows = _rows(tmp_path)
    assert outcome.complete
    assert outcome.failures == {}
    assert outcome.measured == len(rows)
    for problem in PROBLEMS:
        for id in IDS:
            mine = [r for r in rows if (r.problem, r.configuration) == (problem, id)]
            best_s = min(r.median_s for r in rows if r.problem == problem)
            if mine[0].median_s < 1.02 * best_s:
                assert len(mine) == 3
            if mine[0].single_launch or mine[0].median_s > 2 * best_s:
                assert len(mine) == 1
            assert all(r.rotated and r.load == 0.25 for r in mine)
    dataset = compact(rows, MATMUL, "float", device())
    assert dataset.time_s.shape == (2, 4)


def test_everything_is_measured_once_before_anything_is_again(tmp_path: Path) -> None:
    _run(tmp_path, fake_bench(tmp_path), plan())
    order = [(r.problem, r.round) for r in _rows(tmp_path)]
    assert order == sorted(order, key=lambda o: (o[1], PROBLEMS.index(o[0])))
    assert {round_ for _, round_ in order} == {0, 1, 2}


def test_each_configuration_is_verified_before_it_is_timed(tmp_path: Path) -> None:
    _run(tmp_path, fake_bench(tmp_path), plan())
    seen = set()
    for line in _requests(tmp_path):
        command, function, launch = [*line.split(), ""][:3]
        if command == "start":
            continue
        if command == "verify":
            assert (function, launch) not in seen
            seen.add((function, launch))
        else:
            assert (function, launch) in seen
    assert len(seen) == len(IDS)


def test_slow_configurations_are_bounded_by_the_best_so_far(tmp_path: Path) -> None:
    _run(tmp_path, fake_bench(tmp_path), plan(problems=((512, 512, 512, 1, 0, 0),), rounds=1))
    bounds = [float(line.split()[-1]) for line in _requests(tmp_path) if line.startswith("measure")]
    rows = _rows(tmp_path)
    assert bounds[0] == 1e6
    best_s = rows[0].median_s
    for bound, before in zip(bounds[1:], rows, strict=False):
        best_s = min(best_s, before.median_s)
        assert bound == pytest.approx(max(3 * best_s, 0.001), rel=1e-4)


def test_the_best_on_earlier_problems_come_first() -> None:
    configurations = plan().configurations
    ledger = Ledger(
        row(problem, id, time_s=time_s)
        for problem in PROBLEMS
        for id, time_s in zip(IDS, (4e-3, 1e-3, 2e-3, 3e-3), strict=True)
    )
    ranked = [c.id for c in ledger.ranked(configurations, (9, 9, 9, 1, 0, 0))]
    assert ranked == [IDS[1], IDS[2], IDS[3], IDS[0]]
    untried = Ledger([row(PROBLEMS[0], IDS[2])]).ranked(configurations, PROBLEMS[1])
    assert [c.id for c in untried] == [IDS[2], IDS[0], IDS[1], IDS[3]]


def test_a_rerun_measures_nothing_again(tmp_path: Path) -> None:
    _run(tmp_path, fake_bench(tmp_path), plan())
    before = _rows(tmp_path)
    (tmp_path / "driver.log").unlink()
    (tmp_path / "compiler.log").unlink()
    outcome = _run(tmp_path, fake_bench(tmp_path), plan())
    assert outcome.measured == 0
    assert outcome.reused == 2 * 4
    assert outcome.complete
    assert len(_rows(tmp_path)) == len(before)
    assert lines(tmp_path / "driver.log") == []
    assert lines(tmp_path / "compiler.log") == []


def test_another_driver_version_is_measured_anew(tmp_path: Path) -> None:
    bench = fake_bench(tmp_path)
    first = _run(tmp_path, bench, plan(rounds=1))
    newer = replace(bench, source=replace(SOURCE, driver="driver 2"))
    assert _run(tmp_path, newer, plan(rounds=1)).measured == first.measured


def test_a_larger_plan_only_adds(tmp_path: Path) -> None:
    _run(tmp_path, fake_bench(tmp_path), plan(ids=IDS[:2], rounds=1))
    outcome = _run(tmp_path, fake_bench(tmp_path), plan(rounds=1))
    assert outcome.measured == 4
    assert outcome.reused == 4


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        ("wrong", Status.WRONG_RESULT),
        ("error", Status.LAUNCH_ERROR),
        ("crash", Status.LAUNCH_ERROR),
        ("garbage", Status.LAUNCH_ERROR),
        ("unknown", Status.LAUNCH_ERROR),
    ],
)
def test_an_untrusted_configuration_is_never_timed(
    tmp_path: Path, kind: str, status: Status
) -> None:
    bench = fake_bench(tmp_path, {"verify": {f"{VARIANT}_nn@2,8,8,8": kind}})
    outcome = _run(tmp_path, bench, plan())
    assert outcome.complete
    assert outcome.failures == {status: (IDS[1],)}
    mine = [r for r in _rows(tmp_path) if r.configuration == IDS[1]]
    assert {r.status for r in mine} == {status}
    assert {r.problem for r in mine} == set(PROBLEMS)
    timed = [line for line in lines(tmp_path / "driver.log") if line.startswith("measure")]
    assert not any(f"{VARIANT}_nn 2,8,8,8" in line for line in timed)
    dataset = compact(_rows(tmp_path), MATMUL, "float", device())
    column = [c.id for c in dataset.configurations].index(IDS[1])
    assert set(dataset.status[:, column]) == {status}


@pytest.mark.parametrize("kind", ["crash", "nan", "negative", "empty", "missing", "garbage"])
def test_a_failing_measurement_costs_its_cell_only(tmp_path: Path, kind: str) -> None:
    bench = fake_bench(tmp_path, {"measure": {f"{VARIANT}_nn@2,8,16,16": kind}})
    outcome = _run(tmp_path, bench, plan())
    assert outcome.complete
    mine = [r for r in _rows(tmp_path) if r.configuration == IDS[2]]
    assert [(r.status, r.round) for r in mine] == [(Status.LAUNCH_ERROR, 0)] * 2
    others = [r for r in _rows(tmp_path) if r.configuration != IDS[2]]
    assert {r.status for r in others} == {Status.OK}
    again = _run(tmp_path, fake_bench(tmp_path), plan())
    assert again.measured == 0


def test_a_hang_is_a_timeout_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hornbeam.measure.requests._VERIFY_TIMEOUT_S", 1.0)
    bench = fake_bench(tmp_path, {"verify": {"8x1x4": "hang"}})
    outcome = _run(tmp_path, bench, plan())
    assert outcome.failures == {Status.TIMEOUT: (IDS[3],)}
    assert outcome.complete


def test_a_variant_that_does_not_compile_is_dropped(tmp_path: Path) -> None:
    faults = json.dumps({VARIANT: "error"})
    bench = fake_bench(tmp_path, variables={"FAKE_COMPILER_FAULTS": faults})
    outcome = _run(tmp_path, bench, plan())
    assert outcome.complete
    assert outcome.failures == {Status.COMPILE_ERROR: (IDS[1], IDS[2])}
    failed = [r for r in _rows(tmp_path) if r.status is Status.COMPILE_ERROR]
    assert {r.configuration for r in failed} == {IDS[1], IDS[2]}
    assert "no matching function" in failed[0].message


def test_only_the_transposes_needed_are_compiled(tmp_path: Path) -> None:
    problems = ((8, 8, 8, 1, 1, 0), (9, 9, 9, 1, 0, 0))
    _run(tmp_path, fake_bench(tmp_path), plan(problems=problems, rounds=1))
    names = " ".join(lines(tmp_path / "compiler.log")).split()
    assert {name[-2:] for name in names} == {"nn", "tn"}
    assert len(names) == 2 * 4


def test_a_wrong_transpose_condemns_the_whole_configuration(tmp_path: Path) -> None:
    problems = ((9, 9, 9, 1, 0, 0), (8, 8, 8, 1, 1, 0))
    bench = fake_bench(tmp_path, {"verify": {"4x4x4_float_tn": "wrong"}})
    _run(tmp_path, bench, plan(problems=problems, rounds=1))
    mine = [r for r in _rows(tmp_path) if r.configuration == IDS[0]]
    assert [r.status for r in mine] == [Status.WRONG_RESULT] * 2


def test_the_deadline_is_kept(tmp_path: Path) -> None:
    bench = fake_bench(tmp_path, variables={"FAKE_DELAY_S": "0.2"})
    begin_s = time.monotonic()
    outcome = _run(tmp_path, bench, plan(rounds=50), budget_s=4.0)
    assert time.monotonic() - begin_s < 15.0
    assert not outcome.complete
    assert 0 < outcome.measured < 50 * 8
    assert {r.status for r in _rows(tmp_path)} == {Status.OK}


def test_a_request_that_overruns_the_deadline_leaves_no_row(tmp_path: Path) -> None:
    bench = fake_bench(tmp_path, {"measure": {"2x4x8": "hang"}})
    outcome = _run(tmp_path, bench, plan(), budget_s=4.0)
    assert not outcome.complete
    assert {r.status for r in _rows(tmp_path)} <= {Status.OK}


def test_without_a_reference_nothing_is_trusted(tmp_path: Path) -> None:
    faults = json.dumps({"reference": "error"})
    bench = fake_bench(tmp_path, variables={"FAKE_COMPILER_FAULTS": faults})
    with pytest.raises(BenchmarkError, match="reference kernel cannot be compiled"):
        _run(tmp_path, bench, plan())


def test_without_a_device_nothing_is_recorded(tmp_path: Path) -> None:
    bench = fake_bench(tmp_path, {"ready": {"ready": False, "message": "no device"}})
    with pytest.raises(DeviceError, match="no device"):
        _run(tmp_path, bench, plan())
    assert _rows(tmp_path) == ()


def test_a_request_that_is_not_understood_ends_the_run(tmp_path: Path) -> None:
    bench = fake_bench(tmp_path, {"verify": {"": "refuse"}})
    with pytest.raises(BenchmarkError, match="no benchmark for type quad"):
        _run(tmp_path, bench, plan())
    assert _rows(tmp_path) == ()


def test_verify_covers_every_transpose(tmp_path: Path) -> None:
    rules = {"2x4x8_float_tt": "wrong", "8x1x4_double_nt": "wrong"}
    bench = fake_bench(tmp_path, {"verify": rules})
    configurations = [configuration_from_id(MATMUL, id) for id in IDS]
    found = verify(MATMUL, ["float", "double"], configurations, bench, Deadline.after(60.0))
    failures = found.failures
    assert set(failures) == {IDS[1], IDS[2], IDS[3]}
    assert failures[IDS[1]].status is Status.WRONG_RESULT
    assert failures[IDS[3]].message.startswith("double: ")
    for data_type in ("float", "double"):
        name = f"4x4x4_{data_type}"
        checked = [line for line in lines(tmp_path / "driver.log") if name in line]
        assert len(checked) == 4
    right = [c.id for c in configurations if found.trusts(MATMUL, c, ["float", "double"])]
    assert right == [IDS[0]]


def test_what_passed_is_not_verified_again(tmp_path: Path) -> None:
    configurations = [configuration_from_id(MATMUL, id) for id in IDS]
    known = Verification(
        passed=frozenset((IDS[0], "float", part.suffix) for part in MATMUL.specialisations)
        | {(IDS[1], "float", "nn")}
    )
    bench = fake_bench(tmp_path)
    found = verify(MATMUL, ["float"], configurations[:2], bench, Deadline.after(60.0), known)
    assert found.trusts(MATMUL, configurations[0], ["float"])
    assert found.trusts(MATMUL, configurations[1], ["float"])
    asked = [line.split()[1] for line in lines(tmp_path / "driver.log") if "verify" in line]
    assert sorted(asked) == [f"hornbeam_{VARIANT}_{suffix}" for suffix in ("nt", "tn", "tt")]
    again = verify(MATMUL, ["float"], configurations[:2], bench, Deadline.after(60.0), found)
    assert again == found


def test_too_little_time_leaves_the_rest_untrusted(tmp_path: Path) -> None:
    configurations = [configuration_from_id(MATMUL, id) for id in IDS]
    bench = fake_bench(tmp_path, {"verify": {"8x1x4": "hang"}})
    found = verify(MATMUL, ["float"], configurations, bench, Deadline.after(3.0))
    assert found.failures == {}
    assert found.trusts(MATMUL, configurations[0], ["float"])
    assert not found.trusts(MATMUL, configurations[3], ["float"])


def _shipped(**changes: Any) -> Plan:
    """A plan of few variants, which are verified in all that they may be shipped in."""
    return replace(plan(rounds=1, **changes), shipping=Shipping(4, ("float", "double")))


def test_few_variants_are_verified_in_everything_before_they_are_timed(tmp_path: Path) -> None:
    bench = fake_bench(tmp_path, {"verify": {"8x1x4_double_tn": "wrong"}})
    outcome = _run(tmp_path, bench, _shipped())
    assert outcome.complete
    assert outcome.failures == {Status.WRONG_RESULT: (IDS[3],)}
    for id in IDS[:3]:
        configuration = configuration_from_id(MATMUL, id)
        assert outcome.verification.trusts(MATMUL, configuration, ["float", "double"])
    commands = [line.split()[0] for line in lines(tmp_path / "driver.log")]
    timed = commands.index("measure")
    assert "verify" not in commands[timed:]
    dropped = [row for row in _rows(tmp_path) if row.configuration == IDS[3]]
    assert {row.status for row in dropped} == {Status.WRONG_RESULT}
    assert dropped[0].message.startswith("double: ")


def test_what_there_is_no_time_to_verify_is_not_timed(tmp_path: Path) -> None:
    bench = fake_bench(tmp_path, {"verify": {"8x1x4_double_nn": "hang"}})
    outcome = _run(tmp_path, bench, _shipped(), budget_s=6.0)
    assert not outcome.complete
    assert outcome.failures == {}
    assert {row.configuration for row in _rows(tmp_path)} == set(IDS[:3])


def test_verify_needs_the_reference_in_every_type(tmp_path: Path) -> None:
    faults = json.dumps({"reference_double": "error"})
    bench = fake_bench(tmp_path, variables={"FAKE_COMPILER_FAULTS": faults})
    configurations = [configuration_from_id(MATMUL, IDS[0])]
    with pytest.raises(BenchmarkError, match="reference kernel cannot be compiled"):
        verify(MATMUL, ["float", "double"], configurations, bench, Deadline.after(60.0))


def test_what_was_not_compiled_in_time_is_not_settled_by_what_was_dropped(tmp_path: Path) -> None:
    """Dropped configurations were compiled: they must not make up for those that were not."""
    compiled = [configuration_from_id(MATMUL, id) for id in ("reference", *IDS[:3])]
    functions = functions_of(MATMUL, "float", compiled, plan().specialisations)
    compile_functions(functions, fake_bench(tmp_path).compile_job(), Deadline())
    bench = fake_bench(
        tmp_path,
        {"verify": {"4x4x4": "wrong"}},
        variables={"FAKE_COMPILER_FAULTS": json.dumps({"8x1x4": "hang"})},
    )
    outcome = _run(tmp_path, bench, plan(rounds=1), budget_s=4.0)
    assert outcome.failures == {Status.WRONG_RESULT: (IDS[0],)}
    assert not outcome.complete
    assert not any(row.configuration == IDS[3] for row in _rows(tmp_path))
