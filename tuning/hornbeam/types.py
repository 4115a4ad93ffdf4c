# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Values handed from stage to stage: frozen, free of I/O, blind to the operation being tuned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Problem = tuple[int, ...]
"""One input size: the values of ``Operation.problem_fields``, in that order."""


class Status(str, Enum):
    """Outcome of one measurement."""

    OK = "ok"
    COMPILE_ERROR = "compile_error"
    LAUNCH_ERROR = "launch_error"
    WRONG_RESULT = "wrong_result"
    TIMEOUT = "timeout"
    SKIPPED = "skipped"


class Match(str, Enum):
    """How closely a stored dataset belongs to a device."""

    EXACT = "exact"
    FAMILY = "family"
    DEFAULT = "default"


@dataclass(frozen=True)
class Configuration:
    """One point of a kernel's parameter space.

    Attributes:
        kernel: name of the kernel family, e.g. ``register_tile``.
        parameters: parameter name -> value, in the order of the kernel's definition.
        id: unique C identifier, e.g. ``register_tile_4x4x4_8x8``.
        variant_id: the part fixed when the kernel is compiled; configurations that
            differ only in launch parameters share it.
    """

    kernel: str
    parameters: Mapping[str, int]
    id: str
    variant_id: str

    def __hash__(self) -> int:
        """Hash of the id: parameters are a mapping."""
        return hash(self.id)


@dataclass(frozen=True)
class DeviceLimits:
    """What constraints of kernels may refer to.

    Attributes:
        max_work_group_size: work-items.
        local_memory_bytes: of a work-group.
        compute_units: number of them.
        vector_width: floats in a vector that the driver generates code for; None where it does
            not tell.
        local_memory_elements: of a work-group, of the type at hand; None where it is left open.
    """

    max_work_group_size: int
    local_memory_bytes: int
    compute_units: int
    vector_width: int | None = None
    local_memory_elements: int | None = None

    def of_elements(self, element_bytes: int) -> DeviceLimits:
        """The limits for a type whose elements are this large."""
        return replace(self, local_memory_elements=self.local_memory_bytes // element_bytes)


@dataclass(frozen=True)
class DeviceInfo:
    """A device as the tuner sees it.

    Attributes:
        key: normalised name, ``<vendor>-<type>-<architecture>-<units>cu``.
        vendor: maker of the hardware (not of the driver), lower case.
        type: ``cpu``, ``gpu`` or ``accelerator``.
        architecture: instruction set or family that kernels are compiled for.
        name, driver, platform: as the OpenCL driver reports them.
        limits: see `DeviceLimits`.
        supports_spirv: whether the driver takes SPIR-V modules.
        data_types: element types the device computes with (``float``, ``double``, ``half``).
    """

    key: str
    vendor: str
    type: str
    architecture: str
    name: str
    driver: str
    platform: str
    limits: DeviceLimits
    supports_spirv: bool
    data_types: tuple[str, ...]


@dataclass(frozen=True)
class Provenance:
    """Where and when measurements were made.

    Attributes:
        compiler: device compiler and version, e.g. ``dpcpp-cpp-rt 2026.2.0``.
        driver: driver version string.
        kernel_digest: SHA-256 over the kernel sources that were measured.
        date: ISO date (UTC) of the last measurement.
        load: median one-minute load average before samples, in runnable processes.
    """

    compiler: str
    driver: str
    kernel_digest: str
    date: str
    load: float


@dataclass(frozen=True)
class CellDetails:
    """What a dataset stores beside the figures that selection needs.

    Attributes:
        samples: int64[P, C], number of samples behind the median; 0 where there is none.
        min_s: float64[P, C], the least of them in seconds; NaN where there is none.
        rotated: bool[P, C], operands rotated through more memory than the last-level cache.
    """

    samples: NDArray[np.int64]
    min_s: NDArray[np.float64]
    rotated: NDArray[np.bool_]


@dataclass(frozen=True)
class Dataset:
    """Measurements of one operation and data type on one device.

    Attributes:
        operation: e.g. ``matmul``.
        data_type: e.g. ``float``.
        device: the measured device.
        provenance: see `Provenance`.
        problems: P problems.
        configurations: C configurations.
        time_s: float64[P, C], median seconds of one launch; NaN where not measured
            or not usable.
        spread: float64[P, C], (max - min) / median over the samples; NaN where
            there is a single sample.
        single_launch: bool[P, C], timed by a single launch because far from the best.
        status: per cell, `Status` values as an object array [P, C]; ``None`` where never tried.
        digest: SHA-256 over the stored measurements, lower-case hex.
        details: see `CellDetails`; None where only the figures above are known.
    """

    operation: str
    data_type: str
    device: DeviceInfo
    provenance: Provenance
    problems: tuple[Problem, ...]
    configurations: tuple[Configuration, ...]
    time_s: NDArray[np.float64]
    spread: NDArray[np.float64]
    single_launch: NDArray[np.bool_]
    status: NDArray[np.object_]
    digest: str
    details: CellDetails | None = None


@dataclass(frozen=True)
class TreeNode:
    """A node of the decision tree; a leaf where ``feature`` is None.

    A problem goes left when ``float32(feature value) <= threshold``, compared in float64 as
    scikit-learn does.

    Attributes:
        feature: name of the feature compared, or None in a leaf.
        threshold: float64 as scikit-learn stores it.
        left, right: indices into `Selector.nodes`.
        kernel: index into `Selector.kernels` (leaves only).
        expected_share: geometric mean, over the training problems of the leaf, of the
            share of the best measured speed that ``kernel`` reaches (leaves only).
        problems: number of training problems in the leaf.
    """

    feature: str | None = None
    threshold: float = 0.0
    left: int = -1
    right: int = -1
    kernel: int = -1
    expected_share: float = float("nan")
    problems: int = 0


@dataclass(frozen=True)
class Score:
    """Held-out score of one number of kernels; shares of the best measured speed, 0..1.

    Attributes:
        kernels: number of deployed kernels N.
        ceiling: geometric mean over test problems of the best of the N kernels.
        achieved: the same for the kernel the tree picks.
        single_best: the same for the single best kernel of the training problems.
        default: the same for the operation's default configuration, what a library without
            any data would use; None where it was not measured.
        error: standard error, over splits, of how far ``achieved`` is behind that of the best
            number of kernels; 0 for the best itself.
    """

    kernels: int
    ceiling: float
    achieved: float
    single_best: float
    default: float | None = None
    error: float = 0.0


@dataclass(frozen=True)
class Selector:
    """The deployed kernels of one operation and data type, and the tree that picks among them.

    Attributes:
        operation, data_type: what it is for.
        device_key: key of the dataset's device.
        kernels: deployed configurations; the tree's leaves index them.
        features: names of the features the tree may use, in the operation's order.
        nodes: the tree, root first.
        scores: held-out scores per number of kernels tried.
        held_out: the score of the number chosen.
        options: selection method, normalisation, random_state ... as given.
        dataset_digest: digest of the dataset it was learned from.
        notes: remarks for the user, e.g. that float data stood in for double.
    """

    operation: str
    data_type: str
    device_key: str
    kernels: tuple[Configuration, ...]
    features: tuple[str, ...]
    nodes: tuple[TreeNode, ...]
    scores: tuple[Score, ...]
    held_out: Score | None
    options: Mapping[str, str | int | float]
    dataset_digest: str
    notes: tuple[str, ...] = field(default=())
