# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A world for builds: datasets, a device or none, and a benchmark that only pretends."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import synthetic
from hornbeam import paths
from hornbeam.bench import Deadline
from hornbeam.dataset import load, save
from hornbeam.device import Probe
from hornbeam.measure import Verification
from hornbeam.operations import get_operation
from hornbeam.pipeline import BuildOptions, campaign, configure, machine, measuring, trust

OPERATION = get_operation("matmul")
KEY = synthetic.DEVICE.key
SIBLING = replace(synthetic.DEVICE, key="acme-cpu-avx2-16cu")
STRANGER = replace(synthetic.DEVICE, key="acme-cpu-sse42-2cu", architecture="sse42")
OWN = "m,k,n\n5,7,11\n300,20,700\n"
OWN_PROBLEMS = ((5, 7, 11, 1, 0, 0), (300, 20, 700, 1, 0, 0))


def small_dataset(
    device=synthetic.DEVICE, data_type="float", sizes=None, configurations=40, **provenance
):
    """A few problems and configurations, so that learning takes no time."""
    full = synthetic.dataset(10, device=device, data_type=data_type, sizes=sizes)
    kept = synthetic.few(full, configurations)
    source = campaign.source_of(OPERATION, device)
    now = {
        "compiler": source.compiler,
        "driver": source.driver,
        "kernel_digest": source.kernel_digest,
    }
    return replace(kept, provenance=replace(full.provenance, **{**now, **provenance}))


class World:
    """What a build depends on, made up.

    Attributes:
        own, output, folder: the user's datasets, the generated files, what holds them all.
        campaigns: that were carried out.
        error: raised where the tools would be built.
        result: gives the dataset that a campaign measures.
        verified: data types and ids of the kernels that were to be verified, call by call.
        failures: answers of these calls, none for those that follow.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch):
        self.own = folder / "own"
        self.output = folder / "output"
        self.folder = folder
        self.campaigns = []
        self.error = None
        self.result = small_dataset
        self.verified = []
        self.failures = []
        self.patch = monkeypatch
        monkeypatch.setattr(paths, "shipped_dataset_dir", lambda: folder / "shipped")
        monkeypatch.setattr(measuring, "bench_of", self._bench_of)
        monkeypatch.setattr(measuring, "measure", self._measure)
        monkeypatch.setattr(trust, "verify", self._verify)
        whole = BuildOptions.learning
        monkeypatch.setattr(
            BuildOptions,
            "learning",
            lambda options, own=(): replace(whole(options, own), splits=1, max_tried=4),
        )
        self.device()

    def device(self, *devices):
        found = Probe(devices, "" if devices else "no OpenCL driver is registered")
        self.patch.setattr(machine, "probe", lambda: found)
        self.patch.setattr("hornbeam.device.probe", lambda: found)

    def store(self, *datasets, folder="shipped"):
        for dataset in datasets:
            save(self.folder / folder / dataset.device.key, dataset)

    def stored(self, data_type="float", folder="own"):
        return load(self.folder / folder / KEY, OPERATION, data_type)[0]

    def options(self, **changes):
        return BuildOptions(output_dir=self.output, dataset_dir=self.own, **changes)

    def configure(self, **changes):
        return configure(self.options(**changes))

    def problems(self, text=OWN):
        path = self.folder / "own.csv"
        path.write_text(text)
        return path

    def files(self):
        return {
            path.relative_to(self.output): path.stat().st_mtime_ns
            for path in self.output.rglob("*")
            if path.is_file()
        }

    def _bench_of(self, operation, device, deadline):
        assert isinstance(deadline, Deadline)
        if self.error is not None:
            raise self.error
        return "bench"

    def _measure(self, task, plan, bench, deadline, *_):
        assert bench == "bench"
        assert isinstance(deadline, Deadline)
        self.campaigns.append(task)
        sizes = [*task.required, *task.problems][:6]
        return campaign.Measured(self.result(task.device, task.data_type, sizes))

    def _verify(self, operation, data_types, kernels, bench, deadline, known):
        self.verified.append((tuple(data_types), [kernel.id for kernel in kernels]))
        answer = self.failures.pop(0) if self.failures else {}
        if isinstance(answer, Exception):
            raise answer
        passed = {
            (kernel.id, data_type, part.suffix)
            for kernel in kernels
            for data_type in data_types
            for part in operation.specialisations
            if kernel.id not in answer
        }
        return Verification({**known.failures, **answer}, known.passed | passed)


def table(result, target=0, number=0):
    return result.manifest.targets[target]["tables"][number]
