# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a build measures, and what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hornbeam import store
from hornbeam.cells import settled
from hornbeam.errors import ConfigurationError
from hornbeam.operations import Operation
from hornbeam.pipeline.campaign import (
    Campaign,
    able_types,
    affordable_types,
    comparable,
    extending,
    new_campaign,
    standing_in,
    stored_problems,
)
from hornbeam.pipeline.machine import Machine
from hornbeam.pipeline.options import BuildOptions, Tune
from hornbeam.pipeline.sources import TargetSources
from hornbeam.store import Found
from hornbeam.types import DeviceInfo, Match, Problem

JOURNAL_FOLDER = "journal"


def missing(own: Sequence[Problem], found: Found | None) -> tuple[Problem, ...]:
    """Return the user's problems that a dataset lacks."""
    known = set() if found is None else set(found.dataset.problems)
    return tuple(problem for problem in own if problem not in known)


def campaigns(
    options: BuildOptions,
    operation: Operation,
    targets: Sequence[TargetSources],
    own: Sequence[Problem],
    machine: Machine,
) -> list[Campaign]:
    """Decide what a build measures.

    Raises:
        ConfigurationError: with ``REUSE``, where a target has no dataset of its own or of its
            family; with ``FORCE``, where the device computes with none of the data types.
        DeviceError: with ``FORCE``, where no target is the device at hand.
    """
    if options.tune is Tune.OFF:
        return []
    if options.tune is Tune.REUSE:
        for target in targets:
            _require_dataset(target, options)
        return []
    here = next((t for t in targets if t.device is not None and t.device == machine.tunable), None)
    if here is None or machine.tunable is None:
        if options.tune is Tune.FORCE:
            machine.require([target.key for target in targets])
        return []
    build = _Build(options, operation, here, tuple(own), machine.tunable)
    if options.tune is Tune.FORCE:
        return build.whole()
    return build.lacking()


def _require_dataset(target: TargetSources, options: BuildOptions) -> None:
    if target.match in (Match.EXACT, Match.FAMILY):
        return
    path = store.search_path(options.dataset_dir)
    what = f"no {options.operation} dataset of {target.key} or its family"
    if target.assumed:
        what = "no device here whose dataset could be looked for"
    raise ConfigurationError(
        f"HORNBEAM_TUNE=REUSE, but there is {what}; stored: "
        f"{', '.join(store.keys(path)) or 'none'}; name one of them as HORNBEAM_TARGET_DEVICE, or "
        "let HORNBEAM_TUNE=AUTO measure"
    )


@dataclass(frozen=True)
class _Build:
    """A build for the device at hand."""

    options: BuildOptions
    operation: Operation
    target: TargetSources
    own: tuple[Problem, ...]
    device: DeviceInfo

    def whole(self) -> list[Campaign]:
        """Measure everything anew.

        Raises:
            ConfigurationError: the device computes with none of the data types.
        """
        able = able_types(self.device, self.options.data_types)
        problems = stored_problems(self.operation)
        found = [
            extending(self._campaign(name, problems, self.own), self._folder())
            for name in affordable_types(able, self.options.budget_s)
        ]
        return standing_in(found, able, store.search_path(self.options.dataset_dir))

    def lacking(self) -> list[Campaign]:
        """Measure where there is no dataset of the device's family, or own problems lack in it."""
        able = [name for name in self.options.data_types if name in self.device.data_types]
        if not able:
            return []
        if self.target.match in (None, Match.DEFAULT):
            return self.whole()
        found: list[Campaign] = []
        for served in self.target.served:
            lacking = missing(self.own, served.found)
            if not lacking or served.found is None or served.stands_in:
                continue
            if not comparable(self.operation, self.device, served.found.dataset):
                return self._whole_if_better(served.found)
            campaign = self._campaign(served.data_type, (), lacking)
            found.append(replace(campaign, extends=served.found.dataset))
        return standing_in(found, able, store.search_path(self.options.dataset_dir))

    def _whole_if_better(self, found: Found) -> list[Campaign]:
        """Measure everything anew, but not to know less of the device than before."""
        whole = self.whole()
        if found.match is not Match.EXACT:
            return whole
        share_s = self.options.budget_s / len(whole)
        cells = whole[0].plan(share_s, self.options.learning().most_kernels).cells
        return whole if cells >= settled(found.dataset) else []

    def _campaign(
        self, data_type: str, problems: Sequence[Problem], required: Sequence[Problem]
    ) -> Campaign:
        journals = self.options.output_dir / JOURNAL_FOLDER
        return new_campaign(self.operation, self.device, data_type, problems, required, journals)

    def _folder(self) -> Path:
        return store.own_dataset_dir(self.options.dataset_dir)
