# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The command line in a world of its own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import synthetic
from hornbeam import paths
from hornbeam.bench import Deadline
from hornbeam.cli import main
from hornbeam.cli import tuning as tuning_commands
from hornbeam.dataset import save
from hornbeam.device import Probe
from hornbeam.evaluate import LearnOptions
from hornbeam.measure import Verification
from hornbeam.operations import get_operation
from hornbeam.pipeline import machine, measuring, trust
from hornbeam.pipeline.campaign import Measured, source_of

KEY = synthetic.DEVICE.key
QUICK = ["--num-kernels", "2"]


def small(sizes=None, **provenance):
    """A dataset of forty configurations."""
    kept = synthetic.few(synthetic.dataset(8, sizes=sizes))
    return replace(kept, provenance=replace(kept.provenance, **provenance))


def measured_now():
    """What times measured now depend on."""
    source = vars(source_of(get_operation("matmul"), synthetic.DEVICE))
    return {name: source[name] for name in ("compiler", "driver", "kernel_digest")}


class Commands:
    """Runs commands; a shipped dataset, no device and nothing of the user's is in reach."""

    def __init__(
        self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ):
        self.folder = folder
        self.patch = monkeypatch
        self._capsys = capsys
        whole = LearnOptions.__init__
        monkeypatch.setattr(
            LearnOptions,
            "__init__",
            lambda options, *arguments, **settings: whole(
                options, *arguments, **{"splits": 1, "max_tried": 3, **settings}
            ),
        )
        monkeypatch.setattr(paths, "shipped_dataset_dir", lambda: folder / "shipped")
        monkeypatch.setenv("HORNBEAM_DATASET_DIR", str(folder / "own"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        save(folder / "shipped" / KEY, small())
        self.devices()

    def devices(self, *devices):
        found = Probe(devices, "" if devices else "no OpenCL driver is registered")
        self.patch.setattr(machine, "probe", lambda: found)
        self.patch.setattr("hornbeam.device.probe", lambda: found)

    def __call__(self, *arguments):
        """Exit status, standard output and standard error of a command."""
        status = main([str(argument) for argument in arguments])
        streams = self._capsys.readouterr()
        return status, streams.out, streams.err

    def pretend_to_measure(self):
        """Replace the benchmark; returns the list of campaigns that will have been carried out."""
        asked = []

        def measure(campaign, plan, bench, deadline, *_):
            assert isinstance(deadline, Deadline)
            asked.append(campaign)
            sizes = [*campaign.required, *campaign.problems][:5]
            return Measured(small(sizes=sizes, **measured_now()))

        def verify(operation, data_types, kernels, *_):
            return Verification(
                passed=frozenset(
                    (kernel.id, data_type, part.suffix)
                    for kernel in kernels
                    for data_type in data_types
                    for part in operation.specialisations
                )
            )

        self.patch.setattr(tuning_commands, "tunable_device", lambda: synthetic.DEVICE)
        self.patch.setattr(measuring, "bench_of", lambda *_: None)
        self.patch.setattr(measuring, "measure", measure)
        self.patch.setattr(trust, "verify", verify)
        return asked
