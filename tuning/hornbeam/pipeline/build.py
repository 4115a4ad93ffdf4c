# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The pipeline as a build runs it: datasets, selectors, generated files, manifest."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from hornbeam import paths, store
from hornbeam.bench import Deadline
from hornbeam.codegen import KernelForm, Target, render
from hornbeam.digests import digest_of
from hornbeam.errors import HornbeamError
from hornbeam.evaluate import LearnOptions
from hornbeam.operations import Operation, get_operation
from hornbeam.pipeline import manifest as output
from hornbeam.pipeline.campaign import source_of
from hornbeam.pipeline.campaigns import campaigns
from hornbeam.pipeline.machine import Machine
from hornbeam.pipeline.manifest import Dependencies, Manifest
from hornbeam.pipeline.measuring import Order, carry_out
from hornbeam.pipeline.options import BuildOptions, Tune
from hornbeam.pipeline.remarks import remarks
from hornbeam.pipeline.selectors import Learner, file_names, learn_all, targets_of
from hornbeam.pipeline.sources import TargetSources, find_sources, native_device
from hornbeam.problems import read_workload
from hornbeam.report import selector_lines
from hornbeam.selector_file import to_json
from hornbeam.types import DeviceInfo, Match, Problem, Selector
from hornbeam.version import version

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class BuildResult:
    """What `configure` did.

    Attributes:
        manifest: of the output folder.
        changed: files that were written; empty where nothing changed.
        up_to_date: whether everything was found as it should be and nothing was learned.
        warnings: for the user, one a line.
        native: the device that native binaries are embedded for, None where there are none.
        time_s: seconds it took.
    """

    manifest: Manifest
    changed: tuple[str, ...]
    up_to_date: bool
    warnings: tuple[str, ...]
    native: DeviceInfo | None
    time_s: float


@dataclass(frozen=True)
class _Inputs:
    """Everything that a build is made from, read and checked."""

    options: BuildOptions
    operation: Operation
    own: Mapping[Problem, float]
    targets: tuple[TargetSources, ...]
    native: DeviceInfo | None = None

    @property
    def learning(self) -> LearnOptions:
        """How selectors are learned, whether kernels are to be verified or generated."""
        return self.options.learning(self.own)

    def digest(self) -> str:
        """Return the digest over everything that can change the generated files."""
        mapping = {**self.options.as_mapping(), "tune": self.options.tune is Tune.OFF}
        parts = [
            ("options", json.dumps(mapping, sort_keys=True).encode()),
            ("problems", json.dumps(list(self.own.items())).encode()),
        ]
        for target in self.targets:
            parts.append(("target", target.key.encode()))
            for served in target.served:
                found = served.found
                text = "" if found is None else f"{found.key} {found.match.value}"
                digest = "" if found is None else found.dataset.digest
                parts.append((f"{served.data_type} {text}", digest.encode()))
        for path in output.generator_inputs(self.operation):
            parts.append((str(path.relative_to(paths.root())), path.read_bytes()))
        return digest_of(parts)

    def dependencies(self) -> Dependencies:
        """Return what makes CMake configure again: files, and folders that may get another."""
        found = output.generator_inputs(self.operation)
        for target in self.targets:
            for served in target.served:
                found += served.found.files if served.found else ()
        found += [self.options.problems.resolve()] if self.options.problems else []
        path = store.search_path(self.options.dataset_dir)
        found += [place.resolve() for place in path if place.is_dir()]
        found += [f.resolve() for each in store.device_folders(path)[0].values() for f in each]
        return Dependencies.of(self.operation, found, self.native)


def configure(options: BuildOptions) -> BuildResult:
    """Bring the generated files of a build up to date, measuring first where that is asked for.

    Raises:
        HornbeamError: an option, a dataset, the device or the output folder is at fault; the
            message says which and what to do.
    """
    start_s = time.monotonic()
    operation = options.checked()
    deadline = Deadline.after(options.budget_s)
    own = read_workload(options.problems, operation) if options.problems else {}
    machine = Machine()
    earlier = output.read_manifest(options.output_dir)
    inputs = _Inputs(options, operation, own, find_sources(options, operation, machine))
    measured = _measure(inputs, machine, earlier, deadline)
    if measured.anything:
        inputs = replace(inputs, targets=find_sources(options, operation, machine))
    inputs = replace(inputs, native=native_device(options, inputs.targets, machine))
    warnings = [
        *measured.warnings,
        *remarks(options, operation, inputs.targets, list(own), machine),
    ]
    manifest, changed = _generate(inputs, earlier, measured)
    return BuildResult(
        manifest=manifest,
        changed=tuple(changed or ()),
        up_to_date=changed is None,
        warnings=tuple(warnings),
        native=inputs.native,
        time_s=time.monotonic() - start_s,
    )


@dataclass(frozen=True)
class _Measured:
    """What came of measuring.

    Attributes:
        digest: over what was last asked to be measured.
        anything: whether something was to be measured now.
        selectors: see `hornbeam.pipeline.measuring.Done`.
        warnings: for the user, one a line.
    """

    digest: str
    anything: bool = False
    selectors: Mapping[str, Selector] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def _measure(
    inputs: _Inputs, machine: Machine, earlier: Manifest | None, deadline: Deadline
) -> _Measured:
    """Measure where that is asked for and was not done before."""
    before = _Measured("" if earlier is None else earlier.measured_digest)
    todo = campaigns(inputs.options, inputs.operation, inputs.targets, list(inputs.own), machine)
    if not todo:
        return before
    asked = _asked(inputs, todo[0].device)
    exact = all(target.match is Match.EXACT for target in inputs.targets if target.device)
    if asked == before.digest and exact:
        logger.info(
            "measured already with these options, so not again; remove %s to measure anew",
            inputs.options.output_dir / output.JSON_NAME,
        )
        return before
    options = inputs.options
    order = Order(
        learning=inputs.learning,
        folder=store.own_dataset_dir(options.dataset_dir),
        deadline=deadline,
        replace_better=options.tune is Tune.FORCE,
    )
    try:
        done = carry_out(todo, order)
    except HornbeamError as error:
        if options.tune is Tune.FORCE:
            raise
        # Nobody insisted on it, and the build can go on with what is stored.
        return _Measured(asked, True, warnings=(f"{todo[0].device.key} was not measured: {error}",))
    if options.tune is Tune.FORCE and not done.datasets:
        asked = before.digest  # what was asked for is still to be done
    return _Measured(asked, True, done.selectors, done.warnings)


def _asked(inputs: _Inputs, device: DeviceInfo) -> str:
    """Return the digest over what is asked to be measured."""
    source = source_of(inputs.operation, device)
    question = {
        "tune": inputs.options.tune.value,
        "budget_s": inputs.options.budget_s,
        "own": list(inputs.own),
        "data_types": inputs.options.data_types,
        "targets": inputs.options.targets,
        "source": vars(source),
    }
    return digest_of([("asked", json.dumps(question, sort_keys=True).encode())])


def _generate(
    inputs: _Inputs, earlier: Manifest | None, measured: _Measured
) -> tuple[Manifest, list[str] | None]:
    """Write the generated files; None for their names where they are up to date."""
    folder = inputs.options.output_dir
    digest = inputs.digest()
    if earlier is not None and earlier.input_digest == digest and output.is_intact(folder, earlier):
        manifest = replace(earlier, measured_digest=measured.digest)
        output.update_manifests(folder, manifest, inputs.dependencies())
        return manifest, None
    options = inputs.options
    reason = "tuning is off" if options.tune is Tune.OFF else "nothing was measured"
    learner = Learner(inputs.operation, inputs.learning, dict(measured.selectors))
    targets = learn_all(inputs.targets, learner, reason)
    sources = render(inputs.operation, targets, version(), options.kernel_form)
    files = {**sources, **{name: to_json(one) for name, one in file_names(targets).items()}}
    manifest = Manifest(
        input_digest=digest,
        tuned_digest=digest_of((name, text.encode()) for name, text in sources.items()),
        measured_digest=measured.digest,
        options=options.as_mapping(),
        targets=[_described(target) for target in targets],
        summary=tuple(_summary(inputs.targets, targets)),
        files=output.digests(files),
    )
    return manifest, output.write_output(folder, files, manifest, inputs.dependencies())


def generate(
    selectors: Sequence[Selector],
    target_key: str | None,
    output_dir: Path,
    kernel_form: KernelForm = KernelForm.MODULES,
) -> list[str]:
    """Render stored selectors into an output folder, with nothing learned or looked up.

    Args:
        selectors: of one operation; of each device one for each data type.
        target_key: device to build for; that of the selectors' dataset by default.
        output_dir: see `BuildOptions`.
        kernel_form: likewise.

    Returns:
        Names of the files that were written because they changed.

    Raises:
        ConfigurationError: the selectors do not belong together.
    """
    targets = targets_of(selectors, target_key)
    operation = get_operation(selectors[0].operation)
    sources = render(operation, targets, version(), kernel_form)
    files = {**sources, **{name: to_json(one) for name, one in file_names(targets).items()}}
    digest = digest_of((name, text.encode()) for name, text in sources.items())
    manifest = Manifest(
        input_digest=digest,
        tuned_digest=digest,
        measured_digest="",
        options={},
        targets=[_described(target) for target in targets],
        summary=tuple(
            line
            for target in targets
            for line in (f"device    {target.key}", *_selector_lines(target))
        ),
        files=output.digests(files),
    )
    return output.write_output(output_dir, files, manifest, Dependencies.of(operation))


def _selector_lines(target: Target) -> list[str]:
    return [line for selector in target.selectors for line in selector_lines(selector)]


def _described(target: Target) -> dict[str, Any]:
    return {
        "key": target.key,
        "dataset_key": target.dataset_key,
        "match": target.match,
        "tables": [
            {
                "data_type": selector.data_type,
                "kernels": [kernel.id for kernel in selector.kernels],
                "held_out": None if selector.held_out is None else vars(selector.held_out),
                "dataset_digest": selector.dataset_digest,
                "notes": list(selector.notes),
            }
            for selector in target.selectors
        ],
    }


def _summary(sources: Sequence[TargetSources], targets: Sequence[Target]) -> list[str]:
    lines: list[str] = []
    for source, target in zip(sources, targets, strict=True):
        lines.append(f"device    {target.key}")
        for served in source.served:
            if served.found is not None and not served.stands_in:
                dataset = served.found.dataset
                lines.append(
                    f"dataset   {served.found.key} ({served.found.match.value} match), "
                    f"{dataset.data_type}: {len(dataset.problems)} problems x "
                    f"{len(dataset.configurations)} configurations, {dataset.provenance.date}"
                )
        lines += _selector_lines(target)
    return lines
