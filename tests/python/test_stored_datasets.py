# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Every dataset that comes with hornbeam: intact, up to date, rich enough, learned from rightly."""

from __future__ import annotations

import re

import pytest

from hornbeam import paths
from hornbeam.bench import kernel_digest
from hornbeam.cells import settled
from hornbeam.cli.validation import validate_folder
from hornbeam.dataset import contents, load, read_description
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.operations.matmul.networks import NETWORKS, network_problems
from tree_parity import OPERATION, around_thresholds, assert_agreement, compiled, reference_of

FOLDERS = sorted(path.parent for path in paths.shipped_dataset_dir().glob("*/device.json"))
STUDIES = sorted((paths.shipped_dataset_dir().parent / "studies").glob("*/device.json"))


def _datasets(folders):
    return [
        (folder, data_type)
        for folder in folders
        for operation, data_type in contents(folder)
        if operation == OPERATION.name
    ]


STORED = _datasets(FOLDERS)
DENSE = _datasets(path.parent for path in STUDIES)


def _id(value):
    return value if isinstance(value, str) else value.name


each = pytest.mark.parametrize(("folder", "data_type"), STORED, ids=_id)
each_or_dense = pytest.mark.parametrize(("folder", "data_type"), STORED + DENSE)
each_in_float = pytest.mark.parametrize("folder", FOLDERS, ids=_id)


def test_there_is_one():
    assert STORED


@each_or_dense
def test_it_is_intact(folder, data_type):
    dataset, warnings = load(folder, OPERATION, data_type)
    assert warnings == []
    assert dataset.device.key == folder.name
    assert data_type in dataset.device.data_types
    names = {path.name for path in folder.iterdir()}
    files = {entry["file"] for entry in read_description(folder)["measurements"]}
    assert names == files | {"device.json"}


@each_in_float
def test_its_times_come_from_one_source(folder):
    verdict = validate_folder(folder)
    assert verdict.faults == ()
    assert not [remark for remark in verdict.remarks if "more than one" in remark]


@each_or_dense
def test_it_says_where_its_times_come_from(folder, data_type):
    dataset, _ = load(folder, OPERATION, data_type)
    provenance = dataset.provenance
    assert re.fullmatch(r"dpcpp-cpp-rt \d+(\.\d+)+", provenance.compiler)
    assert provenance.driver == dataset.device.driver != ""
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", provenance.date)
    assert provenance.load > 0


@each_or_dense
def test_its_kernels_are_those_of_the_tree(folder, data_type):
    """Times of other kernels would be shipped for these; see 'Editing kernels' in CONTRIBUTING."""
    dataset, _ = load(folder, OPERATION, data_type)
    assert dataset.provenance.kernel_digest == kernel_digest(OPERATION, paths.include_dir()), (
        "kernel headers differ from those that were measured: rebase the dataset or measure again"
    )


@each_in_float
def test_it_covers_networks_and_what_they_lack(folder):
    dataset, _ = load(folder, OPERATION, "float")
    of_networks = {problem for name in NETWORKS for problem in network_problems(name)}
    drawn = [problem for problem in dataset.problems if problem in of_networks]
    assert len(drawn) >= 60
    assert len(dataset.problems) - len(drawn) >= 20
    for name in NETWORKS:
        assert set(network_problems(name)) & set(drawn), name


@each
def test_it_covers_all_kernels(folder, data_type):
    dataset, _ = load(folder, OPERATION, data_type)
    gpu = dataset.device.type == "gpu"
    wanted = {k.name for k in OPERATION.kernels if gpu or not k.local_elements}
    found = {one.kernel for one in dataset.configurations}
    assert found >= wanted - {OPERATION.fallback_kernel}
    assert settled(dataset) >= 0.95 * len(dataset.problems) * len(dataset.configurations)


@pytest.mark.parametrize("path", STUDIES)
def test_studies_hold_all_of_the_papers_kernel(path):
    dataset, _ = load(path.parent, OPERATION, "float")
    assert len(dataset.problems) >= 100
    assert len(dataset.configurations) >= 640
    assert settled(dataset) >= 0.95 * len(dataset.problems) * len(dataset.configurations)


@each
@pytest.mark.parametrize("n_kernels", [4, 12])
def test_its_tree_agrees_with_scikit_learn(folder, data_type, n_kernels, tmp_path):
    dataset, _ = load(folder, OPERATION, data_type)
    options = LearnOptions(n_kernels=n_kernels, max_tried=1, splits=1)
    selector = learn(dataset, OPERATION, options)
    tree = reference_of(selector, dataset, options)
    library = compiled(selector, tmp_path)
    assert_agreement(selector, tree, library, dataset.problems)
    problems = around_thresholds(selector, 400, 12)
    assert len(problems) >= 2000
    assert_agreement(selector, tree, library, problems)
