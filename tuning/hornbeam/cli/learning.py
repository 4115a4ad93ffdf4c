# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Options of learning, and selectors learned from stored measurements."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from hornbeam import store
from hornbeam.cli.common import emit_warnings, one_of
from hornbeam.errors import DatasetError, DeviceError
from hornbeam.evaluate import LearnOptions
from hornbeam.evidence import ANY_CONFIGURATION
from hornbeam.normalise import NORMALISATIONS
from hornbeam.operations import Operation
from hornbeam.pipeline.machine import Machine
from hornbeam.pipeline.options import AUTO_TARGET, parse_list
from hornbeam.pipeline.selectors import Learner, selector_for
from hornbeam.pipeline.sources import closest_dataset
from hornbeam.selection import SELECTIONS
from hornbeam.types import DeviceInfo, Selector

Command = TypeVar("Command", bound=Callable[..., Any])

target_option = click.option(
    "--target",
    default=AUTO_TARGET,
    show_default=True,
    help="Key of a stored dataset, or auto for this machine's device.",
)


def _patterns(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    return parse_list(value)


_OPTIONS = (
    click.option(
        "--num-kernels",
        "n_kernels",
        type=click.INT,
        default=0,
        show_default=True,
        help="1..64; 0 chooses the number by held-out score.",
    ),
    click.option(
        "--configurations",
        default=",".join(ANY_CONFIGURATION),
        show_default=True,
        callback=_patterns,
        help="Patterns (register_tile_*,...) of the ids of configurations that may be chosen.",
    ),
    click.option(
        "--bit-stable/--no-bit-stable",
        default=True,
        show_default=True,
        help="Choose only among kernels that give the same bits as each other.",
    ),
    click.option(
        "--selection",
        callback=one_of("selection method", lambda: list(SELECTIONS)),
        default=next(iter(SELECTIONS)),
        show_default=True,
        help=f"{', '.join(SELECTIONS)}.",
    ),
    click.option(
        "--normalisation",
        callback=one_of("normalisation", lambda: list(NORMALISATIONS)),
        default=next(iter(NORMALISATIONS)),
        show_default=True,
        help=f"{', '.join(NORMALISATIONS)}.",
    ),
    click.option(
        "--random-state",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Seed of everything random.",
    ),
)


def learning_options(command: Command) -> Command:
    """Add the options that say how to learn."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def selector_of(
    operation: Operation,
    data_type: str,
    target: str,
    dataset_dir: Path | None,
    options: LearnOptions,
) -> Selector:
    """Learn the selector of a target from its stored dataset, as a build would.

    Raises:
        ConfigurationError: an unknown key.
        DeviceError: ``auto`` where there is no device.
        DatasetError: there is no dataset.
    """
    device: DeviceInfo | str = target
    if target == AUTO_TARGET:
        machine = Machine()
        if machine.device is None:
            raise DeviceError(f"{machine.problem}; name a stored dataset with --target")
        device = machine.device
    path = store.search_path(dataset_dir)
    found = closest_dataset(operation, data_type, device, path)
    if found is None:
        raise DatasetError(
            f"there is no {operation.name} dataset for {target}; measure with 'hornbeam tune'"
        )
    emit_warnings(list(found.warnings))
    return selector_for(data_type, found, Learner(operation, options))
