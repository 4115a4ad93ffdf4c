# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Selectors of all targets and data types of a build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from hornbeam.codegen import Target
from hornbeam.device_keys import closest, parse_key
from hornbeam.errors import ConfigurationError
from hornbeam.evaluate import LearnOptions, learn
from hornbeam.operations import Operation
from hornbeam.pipeline.sources import UNKNOWN_KEY, Served, TargetSources
from hornbeam.space import configuration_from_id
from hornbeam.store import Found
from hornbeam.types import Dataset, Selector, TreeNode


@dataclass(frozen=True)
class Learner:
    """Learns from each dataset once.

    Attributes:
        operation: what is built.
        options: how to learn.
        known: digest of a dataset -> what was learned from it, with the same options.
    """

    operation: Operation
    options: LearnOptions
    known: dict[str, Selector] = field(default_factory=dict)

    def __call__(self, dataset: Dataset) -> Selector:
        """Return what is deployed by a dataset."""
        if dataset.digest not in self.known:
            self.known[dataset.digest] = learn(dataset, self.operation, self.options)
        return self.known[dataset.digest]


def learn_all(targets: Iterable[TargetSources], learner: Learner, reason: str) -> list[Target]:
    """Learn what every target deploys.

    Args:
        targets: and the datasets that serve them.
        learner: see `Learner`.
        reason: why there is nothing to learn from, where a target has no dataset.
    """

    def selector(served: Served) -> Selector:
        if served.found is None:
            return default_selector(learner.operation, served.data_type, reason)
        return selector_for(served.data_type, served.found, learner)

    return [
        Target(
            key=target.key,
            dataset_key=target.dataset_key,
            match="" if target.match is None else target.match.value,
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


def selector_for(data_type: str, found: Found, learner: Callable[[Dataset], Selector]) -> Selector:
    """Return the selector of a data type from a dataset that may be one of another type."""
    selector = learner(found.dataset)
    if selector.data_type == data_type:
        return selector
    note = (
        f"selected from {selector.data_type} measurements: {data_type} was not measured on "
        f"{selector.device_key}"
    )
    return replace(selector, data_type=data_type, notes=(*selector.notes, note))


def file_names(targets: Sequence[Target]) -> dict[str, Selector]:
    """Return the name of each selector's file."""
    prefix = "selector-{key}-{type}.json" if len(targets) > 1 else "selector-{type}.json"
    return {
        prefix.format(key=target.key, type=selector.data_type): selector
        for target in targets
        for selector in target.selectors
    }


def targets_of(selectors: Sequence[Selector], key: str | None) -> list[Target]:
    """Return the targets that selectors are deployed on, one for each dataset.

    Args:
        selectors: of one operation; of each dataset one for each data type.
        key: of the device where there is one dataset; that of the dataset by default.

    Raises:
        ConfigurationError: they do not belong together, or the key is malformed.
    """
    devices: dict[str, list[Selector]] = {}
    for selector in selectors:
        devices.setdefault(selector.device_key, []).append(selector)
    types = [sorted(one.data_type for one in of_device) for of_device in devices.values()]
    several = len({selector.operation for selector in selectors}) > 1
    if several or any(names != types[0] or len(set(names)) != len(names) for names in types):
        raise ConfigurationError(
            "the selectors must be of one operation, and for each device one of each data type; "
            "given: "
            + ", ".join(f"{s.operation} {s.data_type} of {s.device_key}" for s in selectors)
        )
    if key is not None and len(devices) > 1:
        raise ConfigurationError(
            f"{key!r} can be the target of one device's selectors; given: {', '.join(devices)}"
        )
    return [_target_of(of_device, key) for of_device in devices.values()]


def _target_of(selectors: Sequence[Selector], key: str | None) -> Target:
    dataset_key = selectors[0].device_key
    chosen = key or dataset_key or UNKNOWN_KEY
    if parse_key(chosen) is None and chosen != UNKNOWN_KEY:
        raise ConfigurationError(f"{chosen!r} is not a device key like intel-cpu-avx512-8cu")
    found = closest(chosen, [dataset_key]) if dataset_key else None
    return Target(
        key=chosen,
        dataset_key=dataset_key,
        match="" if found is None else found[1].value,
        selectors=tuple(selectors),
    )
