# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A package's id changes with whatever changes its kernels, and with nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from consumers import ROOT, Run

KEY = "some-cpu-avx2-4cu"
OTHER_KEY = "other-cpu-avx2-8cu"
BOTH = f"{KEY},{OTHER_KEY}"
RECIPE = ("conanfile.py", "VERSION", "requirements-sycl.txt")


def write_dataset(datasets: Path, key: str, content: str) -> None:
    folder = datasets / key
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "device.json").write_text(content, encoding="utf-8")


@pytest.fixture(scope="module")
def exported(conan: Run) -> None:
    conan("export", ROOT / "conan" / "sycl-wheel")


class Recipe:
    """A copy of the recipe with datasets of its own."""

    def __init__(self, folder: Path, conan: Run) -> None:
        self.folder = folder
        self.datasets = folder / "tuning" / "datasets"
        self._conan = conan
        for name in RECIPE:
            shutil.copy(ROOT / name, folder)
        write_dataset(self.datasets, KEY, "measured")
        write_dataset(self.datasets, OTHER_KEY, "measured too")

    def id(self, *arguments: str, target_device: str = KEY, **options: object) -> str:
        options["target_device"] = target_device
        chosen = [f"-o=&:{name}={value}" for name, value in options.items()]
        graph = self.folder / "graph.json"
        self._conan(
            *("graph", "info", self.folder, "--no-remote", "--format=json"),
            *(f"--out-file={graph}", *arguments, *chosen),
        )
        nodes = json.loads(graph.read_text(encoding="utf-8"))["graph"]["nodes"].values()
        return str(next(node["package_id"] for node in nodes if node["name"] == "hornbeam"))


@pytest.fixture
def recipe(tmp_path: Path, conan: Run, exported: None) -> Recipe:
    return Recipe(tmp_path, conan)


def test_options_change_it(recipe: Recipe) -> None:
    options = {
        "shared": True,
        "python": True,
        "target_device": OTHER_KEY,
        "tune": "OFF",
        "num_kernels": 4,
        "configurations": "register_tile_*",
        "selection": "top_n",
        "normalisation": "raw_cutoff",
        "data_types": "float",
        "bit_stable": False,
        "native_binaries": True,
    }
    ids = [recipe.id(), *(recipe.id(**{name: value}) for name, value in options.items())]  # type: ignore[arg-type]
    assert len(set(ids)) == len(ids)


def test_dataset_changes_it(recipe: Recipe) -> None:
    before, automatic = recipe.id(), recipe.id(target_device="auto")
    write_dataset(recipe.datasets, KEY, "measured again")
    assert recipe.id() != before
    assert recipe.id(target_device="auto") != automatic


def test_dataset_of_another_device_does_not(recipe: Recipe) -> None:
    before = recipe.id()
    write_dataset(recipe.datasets, OTHER_KEY, "measured again")
    assert recipe.id() == before


def test_each_of_several_targets_counts(recipe: Recipe) -> None:
    before = recipe.id(target_device=BOTH)
    assert before not in (recipe.id(), recipe.id(target_device=OTHER_KEY))
    assert recipe.id(target_device=f"{KEY}; {OTHER_KEY};{KEY}") == before
    for key in (KEY, OTHER_KEY):
        write_dataset(recipe.datasets, key, f"measured again on {key}")
        after = recipe.id(target_device=BOTH)
        assert after != before
        before = after
    write_dataset(recipe.datasets, "third-cpu-avx2-2cu", "measured")
    assert recipe.id(target_device=BOTH) == before


def test_own_datasets_count_by_content(recipe: Recipe, tmp_path: Path) -> None:
    for name, content in (("first", "x"), ("same", "x"), ("edited", "y")):
        write_dataset(tmp_path / name, KEY, content)
    first, same, edited = (
        recipe.id(dataset_dir=tmp_path / name) for name in ("first", "same", "edited")
    )
    assert first == same != edited
    assert first != recipe.id()


def test_problems_count_by_content(recipe: Recipe, tmp_path: Path) -> None:
    for name, content in (("a.csv", "1,2,3"), ("b.csv", "1,2,3"), ("c.csv", "3,2,1")):
        (tmp_path / name).write_text(content, encoding="utf-8")
    first, same, edited = (
        recipe.id(problems=tmp_path / name) for name in ("a.csv", "b.csv", "c.csv")
    )
    assert first == same != edited


def test_irrelevant_settings_do_not_change_it(recipe: Recipe) -> None:
    before = recipe.id()
    assert recipe.id("-s=compiler.cppstd=20") == before
    assert recipe.id("-c=user.hornbeam:python=/usr/bin/python3") == before
    assert recipe.id(tune_budget=5) == before, "nothing is measured for a stored key"


def test_measured_package_does_not_depend_on_what_it_measures(
    recipe: Recipe, tmp_path: Path
) -> None:
    before = recipe.id(tune="FORCE", dataset_dir=tmp_path / "own")
    write_dataset(tmp_path / "own", KEY, "measured by the build")
    assert recipe.id(tune="FORCE", dataset_dir=tmp_path / "own") == before
    assert recipe.id(tune="FORCE", dataset_dir=tmp_path / "own", tune_budget=5) != before


def test_missing_files_are_named(recipe: Recipe) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"problems names 'sizes\.csv'"):
        recipe.id(problems="sizes.csv")
