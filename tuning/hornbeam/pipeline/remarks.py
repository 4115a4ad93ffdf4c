# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a build should tell the user although it goes on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hornbeam import paths
from hornbeam.bench import kernel_digest
from hornbeam.operations import Operation
from hornbeam.pipeline.machine import Machine
from hornbeam.pipeline.measuring import missing
from hornbeam.pipeline.options import AUTO_TARGET, BuildOptions, Tune
from hornbeam.pipeline.sources import TargetSources
from hornbeam.store import Found
from hornbeam.types import Match, Problem


def remarks(
    options: BuildOptions,
    operation: Operation,
    targets: Sequence[TargetSources],
    own: Sequence[Problem],
    machine: Machine,
) -> list[str]:
    """Return warnings about the datasets that a build uses, each once."""
    found: list[str] = []
    if options.tune is Tune.OFF:
        return found
    if AUTO_TARGET in options.targets and machine.device is None:
        keys = ", ".join(target.key for target in targets)
        found.append(
            f"no device was found here ({machine.problem}), so the build is for {keys}; name the "
            "right one with HORNBEAM_TARGET_DEVICE"
        )
    for target in targets:
        found += _about_target(operation, target, own)
    return list(dict.fromkeys(found))


def _about_target(
    operation: Operation, target: TargetSources, own: Sequence[Problem]
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
    digest = kernel_digest(operation, paths.include_dir())
    for served in target.served:
        if served.found is None:
            continue
        yield from served.found.warnings
        yield from _about_dataset(served.found, digest)
        lacking = missing(own, served.found)
        if lacking:
            first = "x".join(map(str, lacking[0]))
            yield (
                f"{len(lacking)} of your {len(own)} problems (first: {first}) are not in the "
                f"{served.found.dataset.data_type} dataset of {served.found.key}: the tree is not "
                "trained on them; measure them on that device with HORNBEAM_TUNE=AUTO or FORCE"
            )


def _about_dataset(found: Found, digest: str) -> Iterator[str]:
    if found.dataset.provenance.kernel_digest != digest:
        yield (
            f"the kernels have changed since {found.key} was measured "
            f"({found.dataset.provenance.date}): its times are out of date"
        )
