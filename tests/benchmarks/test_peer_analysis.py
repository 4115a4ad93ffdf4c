# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What is computed from the results of `make bench`."""

from __future__ import annotations

import json
import math
import re

import pytest
from click.testing import CliRunner

import analysis
import report


def test_ratios_are_paired_by_round(results):
    first = results["sizes"][0]
    assert analysis.round_ratios(first, "onemkl") == [2.0, 2.0, 2.0]
    assert analysis.ratio(first, "onemkl") == analysis.Quartiles(2.0, 2.0, 2.0)
    assert analysis.round_ratios(first, "openblas") == [1.0, 0.5, 2.0]
    assert analysis.ratio(first, "openblas") == analysis.Quartiles(1.0, 0.75, 1.5)


def test_wrong_results_have_no_time(results):
    wrong = results["sizes"][2]
    assert math.isnan(analysis.time_s(wrong, "onemkl"))
    assert analysis.ratio(wrong, "onemkl") is None
    assert [(name, reason) for _, name, reason in analysis.faults(results)] == [
        ("onemkl", "wrong result, error 1000000.0")
    ]


def test_means_are_geometric_and_sizes_count_once(results):
    networks = analysis.network_sizes(results)
    assert len(networks) == 3
    found = analysis.compare(networks, "onemkl")
    assert found.sizes == 2
    assert found.mean.median == pytest.approx(1.0)  # of 2 and 1/2
    assert (found.as_fast, found.worst, found.best) == (0.5, 0.5, 2.0)
    assert analysis.compare(networks, "clblast") is None


def test_a_mean_spreads_over_rounds(results):
    found = analysis.compare(analysis.network_sizes(results), "openblas")
    # Rounds: sqrt(1 * 2), sqrt(0.5 * 2), and sqrt(2 * 2) with the median of the one that rested.
    assert found.mean.median == pytest.approx(math.sqrt(2))
    assert found.mean.low == pytest.approx((1 + math.sqrt(2)) / 2)
    assert found.mean.high == pytest.approx((2 + math.sqrt(2)) / 2)


def test_the_worst_sizes_are_against_the_best_peer(results):
    found = analysis.worst_sizes(results, count=2)
    assert [(size["problem"][0], peer, ratio) for size, peer, ratio in found] == [
        (128, "onemkl", 0.5),
        (64, "onemkl", 0.5),
    ]


def test_the_profile_counts_a_missing_time_as_infinitely_slow(results):
    found = analysis.profile(analysis.network_sizes(results), ["hornbeam", "onemkl"])
    assert found == {"hornbeam": [1.0, 1.0, 2.0], "onemkl": [1.0, 2.0, math.inf]}


def test_intensity_counts_every_operand_once():
    assert analysis.flops((2, 3, 4, 5, 0, 0)) == 2 * 2 * 3 * 4 * 5
    assert analysis.least_bytes((2, 3, 4, 5, 0, 0)) == 4 * 5 * (6 + 12 + 8)


def bar(results, start):
    return next(one for one in analysis.bars(results) if one.measure.startswith(start))


def test_bars(results):
    assert bar(results, "geometric mean over the networks' sizes against oneMKL").reached is False
    assert bar(results, "share of").reached is True
    worst = bar(results, "worst of")
    assert (worst.value, worst.reached) == ("0.50 (0.50 .. 0.50), 128 x 32 x 8", False)
    square = bar(results, "square 2048")
    assert square.value.startswith("1.01")  # 17.2 GFLOP in 0.17 s at a peak of 100 GFLOP/s
    vectors = bar(results, "m = 1 or n = 1")
    assert vectors.value.startswith("worst 0.84, 1 x 4096 x 4096")
    narrow = bar(results, "n <= 8")
    assert (narrow.value, narrow.reached) == (
        "worst 0.50, 64 x 100000 x 8 against onemkl; geometric mean 0.50",
        False,
    )
    cliff = bar(results, "no cliff")
    assert cliff.reached is False
    assert re.match(r"2\.0\dx, 100[01] to 100[12]", cliff.value)
    assert bar(results, "deployed kernels").value == "2"
    assert bar(results, "geometric mean over the networks' sizes against tuned").reached is None


def test_the_report_says_what_was_absent_and_what_was_wrong(results):
    text = report.text(results)
    assert "absent   CLBlast: libclblast is missing" in text
    assert "core_type Haswell" in text
    assert "1 faults" in text
    assert "onemkl on 32 x 32 x 32: wrong result" in text


def test_the_command_redraws_stored_results(results, tmp_path):
    pytest.importorskip("matplotlib", reason="requirements-bench.txt is not installed")
    path = tmp_path / "results.json"
    path.write_text(json.dumps(results))
    done = CliRunner().invoke(report.main, [str(path)])
    assert done.exit_code == 0, done.output
    assert done.output == (tmp_path / "table.txt").read_text()
    drawn = {path.stem: path.read_bytes() for path in tmp_path.glob("*.svg")}
    assert sorted(drawn) == ["performance-profile", "ratio-by-intensity", "roofline"]
    CliRunner().invoke(report.main, [str(path)])
    assert drawn == {path.stem: path.read_bytes() for path in tmp_path.glob("*.svg")}


def test_other_files_are_refused(tmp_path):
    path = tmp_path / "results.json"
    path.write_text("{}")
    done = CliRunner().invoke(report.main, [str(path)])
    assert done.exit_code == 1
    assert "no results of format 1" in done.output
