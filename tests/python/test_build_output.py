# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a build writes, and what makes it write again."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import synthetic
from build_world import KEY, OPERATION, SIBLING, small_dataset, table
from hornbeam import paths
from hornbeam.bench import kernel_headers
from hornbeam.codegen import KernelForm
from hornbeam.errors import ConfigurationError
from hornbeam.pipeline import Tune, generate, manifest
from hornbeam.selector_file import read_selector


def test_the_summary_says_what_was_used(world):
    world.store(small_dataset())
    text = "\n".join(world.configure(targets=(KEY,), n_kernels=2).manifest.summary)
    assert f"{KEY} (exact match)" in text
    assert "held-out score" in text
    assert "10 problems x 40 configurations" in text


def test_configuring_twice_changes_nothing(world):
    world.store(small_dataset())
    assert not world.configure(targets=(KEY,)).up_to_date
    before = world.files()
    again = world.configure(targets=(KEY,))
    assert again.up_to_date
    assert again.changed == ()
    assert world.files() == before


def test_the_second_run_does_not_load_scikit_learn(world, monkeypatch):
    world.store(small_dataset())
    world.configure(targets=(KEY,))
    monkeypatch.setattr("hornbeam.pipeline.selectors.learn", lambda *_: pytest.fail("learned"))
    assert world.configure(targets=(KEY,)).up_to_date


def test_same_inputs_same_bytes(world, tmp_path):
    world.store(small_dataset())
    first = world.configure(targets=(KEY,))
    contents = {name: (world.output / name).read_bytes() for name in first.manifest.files}
    manifest_json = (world.output / manifest.JSON_NAME).read_bytes()
    shutil.rmtree(world.output)
    second = world.configure(targets=(KEY,))
    assert contents == {name: (world.output / name).read_bytes() for name in second.manifest.files}
    assert manifest_json == (world.output / manifest.JSON_NAME).read_bytes()


def test_another_number_of_kernels_selects_again_without_measuring(world):
    world.store(small_dataset())
    world.device(synthetic.DEVICE)
    few = world.configure(n_kernels=2)
    many = world.configure(n_kernels=5)
    assert (len(table(few)["kernels"]), len(table(many)["kernels"])) == (2, 5)
    assert few.manifest.tuned_digest != many.manifest.tuned_digest
    assert world.campaigns == []


def test_other_patterns_select_again_without_measuring(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=2)
    again = world.configure(targets=(KEY,), n_kernels=2, configurations=("register_tile_1x*",))
    assert world.campaigns == []
    assert not again.up_to_date
    assert all(name.startswith("register_tile_1x") for name in table(again)["kernels"])
    assert world.configure(
        targets=(KEY,), n_kernels=2, configurations=("register_tile_1x*",)
    ).up_to_date


def test_permitting_other_bits_selects_again_without_measuring(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=2)
    again = world.configure(targets=(KEY,), n_kernels=2, bit_stable=False)
    assert world.campaigns == []
    assert not again.up_to_date
    assert world.configure(targets=(KEY,), n_kernels=2, bit_stable=False).up_to_date


def test_kernels_have_one_form_at_a_time(world):
    world.store(small_dataset())
    header, source = Path("include/hornbeam/deployment.hpp"), Path("deployment.cpp")
    for form in (KernelForm.MODULES, KernelForm.SINGLE_SOURCE, KernelForm.MODULES):
        world.configure(targets=(KEY,), kernel_form=form)
        assert (header in world.files()) == (form is KernelForm.SINGLE_SOURCE)
        assert (source in world.files()) == (form is KernelForm.MODULES)


def test_files_of_an_earlier_run_are_removed(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=9)
    many = sorted((world.output / "device").iterdir())
    world.configure(targets=(KEY,), n_kernels=1, data_types=("float",))
    assert len(list((world.output / "device").iterdir())) == 2 < len(many)
    assert not (world.output / "selector-double.json").exists()


def test_a_damaged_output_is_repaired(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,))
    source = world.output / "deployment.cpp"
    intact = source.read_text()
    for damage in (lambda: source.write_text("x"), source.unlink):
        damage()
        assert world.configure(targets=(KEY,)).changed == ("deployment.cpp",)
        assert source.read_text() == intact
    (world.output / manifest.JSON_NAME).write_text("{")
    assert not world.configure(targets=(KEY,)).up_to_date


def test_a_changed_dataset_regenerates(world):
    world.store(small_dataset())
    first = world.configure(targets=(KEY,), n_kernels=3)
    changed = small_dataset()
    world.store(replace(changed, time_s=changed.time_s[:, ::-1].copy()))
    second = world.configure(targets=(KEY,), n_kernels=3)
    assert not second.up_to_date
    assert table(first)["kernels"] != table(second)["kernels"]


def test_generate_needs_nothing_but_selectors(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=3)
    selectors = [
        read_selector(world.output / f"selector-{name}.json") for name in ("float", "double")
    ]
    again = world.folder / "again"
    generate(selectors, None, again)
    assert (again / "deployment.cpp").read_text() == (world.output / "deployment.cpp").read_text()
    generate(selectors, SIBLING.key, again)
    assert '"family"' in (again / "deployment.cpp").read_text()
    with pytest.raises(ConfigurationError, match="one of each data type"):
        generate([selectors[0], selectors[0]], None, again)
    with pytest.raises(ConfigurationError, match="not a device key"):
        generate(selectors, "x; y", again)


def test_the_cmake_manifest_is_read_by_cmake(world):
    cmake = shutil.which("cmake", path=f"{Path(shutil.sys.executable).parent}:/usr/bin")
    if cmake is None:
        pytest.skip("no cmake")
    odd = world.folder / "a ;b ${x} $(y) \"'#"
    world.output = odd
    world.store(small_dataset())
    world.configure(targets=(KEY,), n_kernels=3)
    script = world.folder / "read.cmake"
    script.write_text(
        f"include([====[{odd}/manifest.cmake]====])\n"
        "foreach(list IN ITEMS HORNBEAM_GENERATED_SOURCES HORNBEAM_GENERATED_DEVICE_SOURCES "
        "HORNBEAM_GENERATOR_INPUTS HORNBEAM_KERNEL_HEADERS)\n"
        "  foreach(file IN LISTS ${list})\n"
        '    if(NOT EXISTS "${file}")\n      message(FATAL_ERROR "${list} ${file}")\n    endif()\n'
        '    message(STATUS "${list} ${file}")\n'
        "  endforeach()\nendforeach()\n"
        'message(STATUS "digest ${HORNBEAM_TUNED_DIGEST}")\n'
    )
    done = subprocess.run([cmake, "-P", str(script)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("HORNBEAM_GENERATED_SOURCES ") == 2
    assert done.stdout.count("HORNBEAM_GENERATED_DEVICE_SOURCES ") >= 4
    assert "matmul-float.csv.gz" in done.stdout
    assert "deployment.cpp.j2" in done.stdout
    read = [line.split(maxsplit=2)[1:] for line in done.stdout.splitlines()]
    for header in kernel_headers(OPERATION, paths.include_dir()):
        assert ["HORNBEAM_KERNEL_HEADERS", str(header)] in read
        assert ["HORNBEAM_GENERATOR_INPUTS", str(header)] in read


def test_a_new_exact_dataset_makes_cmake_configure_again(world):
    """What a folder holds is not known beforehand: the folder itself is watched."""
    world.store(small_dataset(SIBLING))
    world.device(synthetic.DEVICE)

    def watched():
        text = (world.output / manifest.CMAKE_NAME).read_text()
        return [place for place in (world.own, world.folder / "shipped") if f"[{place}]" in text]

    world.configure(data_types=("float",))
    assert watched() == [world.folder / "shipped"], "only folders that exist"
    world.store(small_dataset(), folder="own")
    assert world.configure(data_types=("float",)).manifest.targets[0]["match"] == "exact"
    assert watched() == [world.own, world.folder / "shipped"]
    text = (world.output / manifest.CMAKE_NAME).read_text()
    assert f"[{world.folder / 'shipped' / SIBLING.key}]" in text


def test_manifests_that_name_files_elsewhere_do_no_harm(world):
    world.store(small_dataset())
    world.configure(targets=(KEY,))
    victim = world.folder / "victim"
    victim.write_text("precious")
    path = world.output / manifest.JSON_NAME
    document = json.loads(path.read_text())
    document["files"]["../victim"] = "0" * 64
    path.write_text(json.dumps(document))
    world.configure(targets=(KEY,))
    assert victim.read_text() == "precious"


def test_an_output_folder_that_cannot_be_written_is_an_error(world):
    world.output.write_text("a file")
    with pytest.raises(Exception, match="cannot be written") as caught:
        world.configure(tune=Tune.OFF)
    assert caught.type.__name__ == "CodegenError"
