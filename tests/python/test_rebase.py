# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Datasets carried over to edited kernel headers, and refused where the kernels changed."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hornbeam import paths
from hornbeam.bench import Deadline, compile_functions, kernel_digest
from hornbeam.bench.modules import CompileJob
from hornbeam.cli import rebasing
from hornbeam.dataset import load, read_description, save
from hornbeam.errors import DatasetError, ExitCode
from hornbeam.measure import Failure
from hornbeam.measure.compiled import functions_of
from hornbeam.operations import Operation
from hornbeam.pipeline.trust import without
from hornbeam.rebase import rebase
from hornbeam.types import Dataset, Status
from sample_kernels import WIDE, sample_kernel
from tuning_helpers import IDS, MATMUL, SOURCE, fake_bench, lines, small_dataset


def _edit(include: Path, line: str) -> None:
    header = include / "hornbeam/kernels/elements.hpp"
    header.write_text(header.read_text(encoding="utf-8") + f"// {line}\n", encoding="utf-8")


class _Place:
    """A stored dataset, the headers that it was measured with, and new ones, equal so far."""

    def __init__(self, folder: Path) -> None:
        self.old, self.new = folder / "old", folder / "new"
        for place in (self.old, self.new):
            shutil.copytree(paths.include_dir(), place)
        self.device = folder / "datasets" / SOURCE.device_key
        digest = kernel_digest(MATMUL, self.old)
        whole = small_dataset()
        provenance = replace(whole.provenance, kernel_digest=digest)
        self.dataset = replace(whole, provenance=provenance)
        save(self.device, self.dataset)
        self.log = folder / "compiler.log"
        self.folder = folder

    def job(self, faults: dict[str, str] | None = None) -> CompileJob:
        variables = {"FAKE_COMPILER_FAULTS": json.dumps(faults or {})}
        bench = fake_bench(self.folder, variables=variables)
        return replace(bench.compile_job(), include_dir=self.new)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.device.iterdir()}

    def loaded(self, data_type: str = "float") -> Dataset:
        dataset, warnings = load(self.device, MATMUL, data_type)
        assert warnings == []
        return dataset


@pytest.fixture
def place(tmp_path: Path) -> _Place:
    return _Place(tmp_path)


def test_an_edit_that_changes_no_module_is_recorded(place: _Place) -> None:
    _edit(place.new, "only a comment")
    before = place.loaded()
    functions = (len({c.variant_id for c in before.configurations}) + 1) * 4
    assert rebase(place.device, place.old, place.job()) == functions
    after = place.loaded()
    assert after.provenance == replace(
        before.provenance, kernel_digest=kernel_digest(MATMUL, place.new)
    )
    assert after.digest == before.digest, "measurements are as they were"
    assert rebase(place.device, place.old, place.job()) == 0, "nothing is left to do"


@pytest.mark.parametrize("part", ["reference_float_nn", "register_tile_2x4x8_float_tt"])
def test_one_module_that_differs_is_enough_to_refuse(place: _Place, part: str) -> None:
    _edit(place.new, f"fake code {part}")
    before = place.files()
    with pytest.raises(DatasetError, match=f"1 of 16 modules differ: hornbeam_{part}; .*again"):
        rebase(place.device, place.old, place.job())
    assert place.files() == before


def test_both_versions_are_compiled_in_the_same_sources(place: _Place) -> None:
    """A module depends on its neighbours: one compiled before beside others is no proof."""
    variant = place.dataset.configurations[:1]
    functions = functions_of(MATMUL, "float", variant, MATMUL.specialisations)
    compile_functions(functions, replace(place.job(), include_dir=place.old), Deadline())
    place.log.unlink()
    _edit(place.new, "only a comment")
    rebase(place.device, place.old, place.job())
    sources = sorted(lines(place.log))
    assert len(sources) == 4
    assert sources[0::2] == sources[1::2]


def test_a_busy_machine_makes_no_difference(place: _Place) -> None:
    """A source that takes too long would be compiled in halves, and modules know neighbours."""
    _edit(place.new, "only a comment")
    assert rebase(place.device, place.old, replace(place.job(), timeout_s=0.001)) == 16
    assert len(lines(place.log)) == 4


def test_what_does_not_compile_is_no_proof(place: _Place) -> None:
    _edit(place.new, "only a comment")
    before = place.files()
    with pytest.raises(DatasetError, match="8x1x4_float_nn does not compile"):
        rebase(place.device, place.old, place.job({"8x1x4_float_nn": "error"}))
    assert place.files() == before


def test_configurations_without_a_time_do_not_count(place: _Place) -> None:
    failed = {IDS[3]: Failure(Status.COMPILE_ERROR, "")}
    save(place.device, without(place.dataset, failed))
    _edit(place.new, "fake code 8x1x4")
    assert rebase(place.device, place.old, place.job({"8x1x4": "error"})) == 12


def test_old_headers_must_be_those_that_were_measured(place: _Place) -> None:
    _edit(place.old, "another comment")
    _edit(place.new, "only a comment")
    with pytest.raises(DatasetError, match="check out the version that was measured"):
        rebase(place.device, place.old, place.job())
    assert not place.log.exists(), "nothing was compiled for it"


def _with_a_new_kernel(place: _Place, monkeypatch: pytest.MonkeyPatch) -> Operation:
    wide = sample_kernel(place.folder, WIDE)
    operation = replace(MATMUL, kernels=(wide, *MATMUL.kernels))
    monkeypatch.setattr("hornbeam.rebase.get_operation", lambda _: operation)
    helper = "hornbeam/kernels/blocks.hpp"
    (place.new / wide.header).write_text(f'#include "{helper}"\n', encoding="utf-8")
    (place.new / helper).touch()
    return operation


def test_kernels_that_are_new_were_not_measured(
    place: _Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    operation = _with_a_new_kernel(place, monkeypatch)
    assert rebase(place.device, place.old, place.job()) == 0
    digest = place.loaded().provenance.kernel_digest
    assert digest == kernel_digest(operation, place.new) != kernel_digest(MATMUL, place.new)
    assert not place.log.exists(), "equal headers need not be compiled"


def test_beside_a_new_kernel_the_old_ones_must_be_as_they_were(
    place: _Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    _with_a_new_kernel(place, monkeypatch)
    _edit(place.new, "fake code 8x1x4_float_nn")
    with pytest.raises(DatasetError, match="1 of 16 modules differ"):
        rebase(place.device, place.old, place.job())
    _edit(place.old, "another comment")
    with pytest.raises(DatasetError, match="check out the version that was measured"):
        rebase(place.device, place.old, place.job())


def test_all_data_types_or_none(place: _Place) -> None:
    save(place.device, replace(place.dataset, data_type="double"))
    _edit(place.new, "fake code double")
    with pytest.raises(DatasetError, match="16 of 32 modules differ"):
        rebase(place.device, place.old, place.job())
    old = kernel_digest(MATMUL, place.old)
    entries = read_description(place.device)["measurements"]
    assert [entry["provenance"]["kernel_digest"] for entry in entries] == [old, old]


def test_command(place: _Place, commands, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    _edit(place.new, "only a comment")
    bench = fake_bench(place.folder)
    monkeypatch.setattr(paths, "include_dir", lambda: place.new)
    monkeypatch.setattr(rebasing, "build_tools", lambda _: bench.tools)
    monkeypatch.setattr(rebasing, "environment", lambda _: dict(bench.variables))
    arguments = ("dataset", "rebase", place.device, "--kernels", place.old)
    status, out, err = commands(*arguments)
    assert (status, err) == (ExitCode.OK, "")
    assert "16 modules are the same" in out
    assert place.loaded().provenance.kernel_digest == kernel_digest(MATMUL, place.new)
    assert "no kernel that was measured was edited" in commands(*arguments)[1]
    count = len(lines(place.log))
    _edit(place.new, "fake code float")
    status, _, err = commands(*arguments)
    assert (status, len(lines(place.log))) == (ExitCode.FAILED, count)
    assert "check out the version that was measured" in err
