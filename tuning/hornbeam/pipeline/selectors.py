# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Selectors of all targets and data types of a build."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hornbeam.codegen import Target
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.operations import Operation
from hornbeam.pipeline.sources import Served, TargetSources
from hornbeam.space import configuration_from_id
from hornbeam.types import Selector, TreeNode


def learn_all(
    targets: Iterable[TargetSources], operation: Operation, options: LearnOptions, reason: str
) -> list[Target]:
    """Learn what every target deploys.

    Args:
        targets: and the datasets that serve them.
        operation: what is built.
        options: how to learn.
        reason: why there is nothing to learn from, where a target has no dataset.
    """
    learned: dict[tuple[str, str, str], Selector] = {}

    def selector(served: Served) -> Selector:
        if served.found is None:
            return default_selector(operation, served.data_type, reason)
        dataset = served.found.dataset
        key = (dataset.device.key, dataset.data_type, dataset.digest)
        if key not in learned:
            learned[key] = learn(dataset, operation, options)
        return _for_type(learned[key], served)

    return [
        Target(
            key=target.key,
            dataset_key=target.dataset_key,
            match="" if target.match is None else target.match.value,
            architecture=target.architecture,
            selectors=tuple(selector(served) for served in target.served),
        )
        for target in targets
    ]


def default_selector(operation: Operation, data_type: str, reason: str) -> Selector:
    """Return the selector for when nothing was measured: one leaf, the default configuration."""
    return Selector(
        operation=operation.name,
        data_type=data_type,
        device_key="",
        kernels=(configuration_from_id(operation, operation.default_configuration),),
        features=tuple(feature.name for feature in operation.features),
        nodes=(TreeNode(kernel=0),),
        scores=(),
        held_out=None,
        options={},
        dataset_digest="",
        notes=(f"{reason}: the default configuration is used for every size",),
    )


def _for_type(selector: Selector, served: Served) -> Selector:
    """Return the selector under the data type it is deployed for."""
    if not served.stands_in:
        return selector
    note = (
        f"selected from {selector.data_type} measurements: {served.data_type} was not measured "
        f"on {selector.device_key}"
    )
    return replace(selector, data_type=served.data_type, notes=(*selector.notes, note))


def file_names(targets: Sequence[Target]) -> dict[str, Selector]:
    """Return the name of each selector's file."""
    prefix = "selector-{key}-{type}.json" if len(targets) > 1 else "selector-{type}.json"
    return {
        prefix.format(key=target.key, type=selector.data_type): selector
        for target in targets
        for selector in target.selectors
    }
