# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a build should tell the user although it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hornbeam import paths
from hornbeam.bench import kernel_digest
from hornbeam.operations import Operation
from hornbeam.pipeline.campaign import source_of
from hornbeam.pipeline.campaigns import missing
from hornbeam.pipeline.machine import Machine
from hornbeam.pipeline.options import AUTO_TARGET, BuildOptions, Tune
from hornbeam.pipeline.sources import TargetSources, native_device
from hornbeam.store import Found
from hornbeam.types import Match, Problem


def remarks(
    options: BuildOptions,
    operation: Operation,
    targets: Sequence[TargetSources],
    own: Sequence[Problem],
    machine: Machine,
) -> list[str]:
    """Return warnings about the datasets and the device that a build uses, each once."""
    found = list(_about_native(options, targets, machine))
    if options.tune is Tune.OFF:
        return found
    if AUTO_TARGET in options.targets and machine.device is None:
        keys = ", ".join(target.key for target in targets)
        found.append(
            f"no device was found here ({machine.problem}), so the build is for {keys}; name the "
            "right one with HORNBEAM_TARGET_DEVICE"
        )
    elsewhere = ", ".join(target.key for target in targets if target.device is None)
    if options.tune is Tune.FORCE and elsewhere:
        found.append(
            f"HORNBEAM_TUNE=FORCE measures the device that is here; for {elsewhere} stored "
            "measurements are used"
        )
    for target in targets:
        found += _about_device(target)
        found += _about_target(options, operation, target, own)
    return list(dict.fromkeys(found))


def _about_native(
    options: BuildOptions, targets: Sequence[TargetSources], machine: Machine
) -> Iterator[str]:
    if options.native_binaries and native_device(options, targets, machine) is None:
        keys = ", ".join(target.key for target in targets)
        here = machine.problem if machine.device is None else f"here is {machine.device.key}"
        yield f"no native binaries are embedded: they need {keys} in the build machine ({here})"


def _about_device(target: TargetSources) -> Iterator[str]:
    device = target.device
    if device is not None and not device.supports_spirv:
        yield (
            f"the OpenCL driver of {device.name} ({device.platform}) takes no SPIR-V: nothing can "
            "be measured here, and the library will refuse this device; 'hornbeam doctor' says "
            "what to install"
        )


def _about_target(
    options: BuildOptions, operation: Operation, target: TargetSources, own: Sequence[Problem]
) -> Iterator[str]:
    if target.match is None:
        yield (
            f"there is no {operation.name} dataset for {target.key} nor any other device: the "
            "default kernel is used for every size; measure with HORNBEAM_TUNE=FORCE"
        )
    elif target.match is Match.DEFAULT and not target.assumed:
        yield (
            f"{target.key} has no dataset of its own or of its family; kernels are chosen from "
            f"{target.dataset_key} and may be far from the best: measure with HORNBEAM_TUNE=FORCE"
        )
    yield from _about_age(operation, target)
    for served in target.served:
        if served.found is None:
            continue
        yield from served.found.warnings
        lacking = missing(own, served.found)
        if lacking:
            first = "x".join(map(str, lacking[0]))
            yield (
                f"{len(lacking)} of your {len(own)} problems (first: {first}) are not in the "
                f"{served.found.dataset.data_type} dataset of {served.found.key}: the tree is not "
                f"trained on them; measure on that device with HORNBEAM_TUNE={_remedy(options)}"
            )


def _remedy(options: BuildOptions) -> str:
    """AUTO adds problems where times compare; where it did not, everything has to be measured."""
    return "AUTO" if options.tune is Tune.REUSE else "FORCE"


def _about_age(operation: Operation, target: TargetSources) -> Iterator[str]:
    """Say once what has changed since the measurements that serve a target."""
    found = [served.found for served in target.served if served.found is not None]
    if not found:
        return
    changed = dict.fromkeys(what for one in found for what in _changed(operation, target, one))
    if changed:
        dates = sorted({one.dataset.provenance.date for one in found})
        yield (
            f"since {found[0].key} was measured ({dates[0]}), "
            f"{' and '.join(changed)} changed: its times may be out of date; HORNBEAM_TUNE=FORCE "
            "on that device measures anew"
        )


def _changed(operation: Operation, target: TargetSources, found: Found) -> Iterator[str]:
    stored = found.dataset.provenance
    if stored.kernel_digest != kernel_digest(operation, paths.include_dir()):
        yield "the kernels"
    if target.device is None or found.match is Match.DEFAULT:
        return
    source = source_of(operation, target.device)
    if stored.compiler != source.compiler:
        yield f"the compiler (from {stored.compiler} to {source.compiler})"
    if stored.driver != source.driver:
        yield f"the driver (from {stored.driver} to {source.driver})"
