# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Compiling device functions: grouped, cached, and split where a source fails."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from hornbeam import paths
from hornbeam.bench import (
    CompiledModules,
    Deadline,
    DeviceFunction,
    compile_functions,
    device_source,
    kernel_digest,
)
from hornbeam.bench.modules import PROCESSES, CompileJob, source_sizes
from hornbeam.bench.sources import function_of
from hornbeam.errors import BenchmarkError
from hornbeam.space import all_configurations, configuration_from_id
from tuning_helpers import MATMUL, fake_bench, lines


def _functions(count: int) -> list[DeviceFunction]:
    everything = all_configurations(MATMUL, None)
    configurations = [c for c in everything if c.kernel == "register_tile"][::10][:count]
    specialisation = MATMUL.specialisations[0]
    return [function_of(MATMUL, c, "float", specialisation) for c in configurations]


def _job(tmp_path: Path, faults: dict[str, str] | None = None) -> CompileJob:
    variables = {"FAKE_COMPILER_FAULTS": json.dumps(faults or {})}
    return fake_bench(tmp_path, variables=variables).compile_job()


def _compile(tmp_path: Path, job: CompileJob, count: int = 9) -> CompiledModules:
    return compile_functions(_functions(count), job, Deadline.after(60.0))


def test_sources_hold_several_functions(tmp_path: Path) -> None:
    result = _compile(tmp_path, _job(tmp_path))
    assert len(result.modules) == 9
    sizes = [len(line.split()) for line in lines(tmp_path / "compiler.log")]
    assert sorted(sizes) == [4, 5]
    for name, module in result.modules.items():
        assert module.read_bytes() == b"spirv of " + name.encode()
    assert not list(tmp_path.glob("modules/.compile-*"))


@pytest.mark.parametrize("count", [*range(70), 320, 1000])
def test_functions_are_spread_evenly_over_sources(count: int) -> None:
    sizes = source_sizes(count)
    assert sum(sizes) == count
    assert not sizes or max(sizes) <= 16
    assert not sizes or (min(sizes) > 0 and max(sizes) - min(sizes) <= 1)
    assert len(sizes) <= 1 or len(sizes) % PROCESSES == 0


def test_what_is_urgent_is_compiled_first(tmp_path: Path) -> None:
    functions = _functions(30)
    job = _job(tmp_path, {name: "hang" for name in (f.name for f in functions[16:])})
    result = compile_functions(functions, job, Deadline.after(3.0), urgent=16)
    assert set(result.modules) == {function.name for function in functions[:16]}
    again = _job(tmp_path)
    assert len(compile_functions(functions, again, Deadline(), urgent=16).modules) == 30
    sizes = [len(line.split()) for line in lines(tmp_path / "compiler.log")]
    assert sizes[:2] == [8, 8]
    assert sizes[-2:] == [7, 7], "what is there already does not count"


def test_nothing_is_compiled_twice(tmp_path: Path) -> None:
    first = _compile(tmp_path, _job(tmp_path))
    (tmp_path / "compiler.log").unlink()
    assert _compile(tmp_path, _job(tmp_path)) == first
    assert _compile(tmp_path, _job(tmp_path), 11).modules.keys() > first.modules.keys()
    assert len(lines(tmp_path / "compiler.log")) == 1


def test_compiler_and_headers_are_part_of_a_modules_identity(tmp_path: Path) -> None:
    job = _job(tmp_path)
    first = _compile(tmp_path, job)
    newer = _compile(tmp_path, replace(job, compiler_version="compiler 2"))
    include = tmp_path / "include"
    shutil.copytree(paths.include_dir(), include)
    header = include / "hornbeam/kernels/register_tile.hpp"
    header.write_text(header.read_text() + "// changed\n")
    changed = _compile(tmp_path, replace(job, include_dir=include))
    modules = [set(result.modules.values()) for result in (first, newer, changed)]
    assert not modules[0] & modules[1]
    assert not modules[0] & modules[2]
    assert kernel_digest(MATMUL, include) != kernel_digest(MATMUL, paths.include_dir())


@pytest.mark.parametrize("fault", ["error", "crash", "nothing"])
def test_only_the_culprit_is_lost(tmp_path: Path, fault: str) -> None:
    culprit = _functions(9)[2].name
    result = _compile(tmp_path, _job(tmp_path, {culprit: fault}))
    assert set(result.failures) == {culprit}
    assert len(result.modules) == 8
    if fault == "error":
        assert "no matching function" in result.failures[culprit]


def test_a_compiler_that_hangs_is_stopped(tmp_path: Path) -> None:
    culprit = _functions(5)[4].name
    job = replace(_job(tmp_path, {culprit: "hang"}), timeout_s=1.0)
    result = _compile(tmp_path, job, 5)
    assert "stopped after 1 s" in result.failures[culprit]
    assert len(result.modules) == 4


def test_compiling_ends_at_the_deadline(tmp_path: Path) -> None:
    job = _job(tmp_path, {"register_tile": "hang"})
    result = compile_functions(_functions(9), job, Deadline.after(1.0))
    assert result == CompiledModules({}, {})


def test_headers_that_change_meanwhile_are_noticed(tmp_path: Path) -> None:
    include = tmp_path / "include"
    shutil.copytree(paths.include_dir(), include)
    header = include / "hornbeam/kernels/register_tile.hpp"
    job = replace(_job(tmp_path), include_dir=include)

    def edit(done: int, total: int) -> None:
        header.write_text(header.read_text() + "// changed\n")

    with pytest.raises(BenchmarkError, match="changed while"):
        compile_functions(_functions(3), job, Deadline.after(60.0), edit)
    assert not list(tmp_path.glob("modules/*.spv"))


def test_a_missing_compiler_is_an_error(tmp_path: Path) -> None:
    job = replace(_job(tmp_path), compiler=(str(tmp_path / "none"),))
    with pytest.raises(BenchmarkError, match="none cannot be started"):
        _compile(tmp_path, job)


def test_a_missing_header_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="cannot be read"):
        _compile(tmp_path, replace(_job(tmp_path), include_dir=tmp_path))


def test_source_text() -> None:
    configuration = configuration_from_id(MATMUL, "register_tile_2x4x8_16x16")
    function = function_of(MATMUL, configuration, "double", MATMUL.specialisations[2])
    reference = configuration_from_id(MATMUL, "reference")
    other = function_of(MATMUL, reference, "double", MATMUL.specialisations[2])
    assert device_source([function, other]) == (
        "#include <hornbeam/detail/wheel_kernel.hpp>\n"
        "#include <hornbeam/kernels/reference.hpp>\n"
        "#include <hornbeam/kernels/register_tile.hpp>\n"
        "\n"
        "HORNBEAM_KERNEL(hornbeam_register_tile_2x4x8_double_tn, double, "
        "(hornbeam::kernel::register_tile<double, 2, 4, 8, true, false>))\n"
        "HORNBEAM_KERNEL(hornbeam_reference_double_tn, double, "
        "(hornbeam::kernel::reference<double, true, false>))\n"
    )
