# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The space as strategies see it: valid points only, with coordinates, lines and neighbours."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hornbeam.errors import ConfigurationError
from hornbeam.space import KernelSet, kernel_of
from hornbeam.types import Configuration

Coordinates = tuple[int, ...]
"""Place on each axis of a kernel, counted from 0."""


class SearchSpace:
    """Enumerated valid points of one or more kernels; a point is an index into them.

    Constraints need no care elsewhere: what breaks one is no point. Parameters that a kernel takes
    only together are one axis.

    Attributes:
        configurations: the points.
        kernel: int64[C], number of each point's kernel.
        kernels: number of kernels.
        coordinates: of each point, within its kernel.
        unit: float64[C, 1 + D], points in the unit cube: the kernel, then its axes; kernels of
            fewer axes than D lie in the middle of the others.
    """

    def __init__(self, operation: KernelSet, configurations: Sequence[Configuration]) -> None:
        """Lay points out.

        Args:
            operation: gives the kernels' axes.
            configurations: valid ones, without repeats.

        Raises:
            ConfigurationError: there is none, or one is there twice.
        """
        self.configurations = tuple(configurations)
        if not self.configurations:
            raise ConfigurationError("there is no configuration to search among")
        if len({c.id for c in self.configurations}) < len(self.configurations):
            raise ConfigurationError("a configuration is in the space twice")
        names = list(dict.fromkeys(c.kernel for c in self.configurations))
        self.kernels = len(names)
        self.kernel = np.array([names.index(c.kernel) for c in self.configurations])
        places = {}
        for c in self.configurations:
            if c.kernel not in places:
                axes = kernel_of(operation, c).axes()
                places[c.kernel] = [{pairs: i for i, pairs in enumerate(axis)} for axis in axes]
        self.coordinates: tuple[Coordinates, ...] = tuple(
            tuple(
                axis[tuple((name, c.parameters[name]) for name, _ in next(iter(axis)))]
                for axis in places[c.kernel]
            )
            for c in self.configurations
        )
        self._at = {
            (kernel, place): point
            for point, (kernel, place) in enumerate(
                zip(self.kernel.tolist(), self.coordinates, strict=True)
            )
        }
        self._lines: defaultdict[tuple[int, int, Coordinates], list[int]] = defaultdict(list)
        for point in range(len(self)):
            for axis in range(self.axes(point)):
                self._lines[self._line_key(point, axis)].append(point)
        for (_, axis, _), points in self._lines.items():
            points.sort(key=lambda point, axis=axis: self.coordinates[point][axis])  # type: ignore[misc]
        self.unit = self._unit()

    def __len__(self) -> int:
        """Number of points."""
        return len(self.configurations)

    def axes(self, point: int) -> int:
        """Number of axes of a point's kernel."""
        return len(self.coordinates[point])

    def at(self, kernel: int, coordinates: Coordinates) -> int | None:
        """The point at a place; None where constraints leave none."""
        return self._at.get((kernel, coordinates))

    def line(self, point: int, axis: int) -> list[int]:
        """Points that differ from one along an axis alone, itself among them, in order."""
        return self._lines[self._line_key(point, axis)]

    def neighbours(self, point: int) -> list[int]:
        """The next points on either side along each axis."""
        found = []
        for axis in range(self.axes(point)):
            line = self.line(point, axis)
            here = line.index(point)
            found += line[max(here - 1, 0) : here] + line[here + 1 : here + 2]
        return found

    def nearest(self, position: NDArray[np.float64]) -> int:
        """The point nearest to a place in the unit cube; the kernel is met first.

        Args:
            position: float64[1 + D].
        """
        position = np.clip(np.nan_to_num(position, nan=0.5), 0.0, 1.0)
        kernel = min(int(position[0] * self.kernels), self.kernels - 1)
        candidates = np.flatnonzero(self.kernel == kernel)
        distance = ((self.unit[candidates, 1:] - position[1:]) ** 2).sum(axis=1)
        return int(candidates[distance.argmin()])

    def encoded(self) -> NDArray[np.float64]:
        """float64[C, K + D'], for models: each kernel's own flag and own axes, 0 elsewhere."""
        flags = np.eye(self.kernels)[self.kernel]
        blocks = [flags[:, kernel, None] * self.unit[:, 1:] for kernel in range(self.kernels)]
        return np.hstack([flags, *blocks])

    def _line_key(self, point: int, axis: int) -> tuple[int, int, Coordinates]:
        place = self.coordinates[point]
        return int(self.kernel[point]), axis, place[:axis] + place[axis + 1 :]

    def _unit(self) -> NDArray[np.float64]:
        width = max(self.axes(point) for point in range(len(self)))
        unit = np.full((len(self), 1 + width), 0.5)
        unit[:, 0] = (self.kernel + 0.5) / self.kernels
        for kernel in range(self.kernels):
            mine = np.flatnonzero(self.kernel == kernel)
            places = np.array([self.coordinates[point] for point in mine], dtype=np.float64)
            if places.shape[1]:
                least, most = places.min(axis=0), places.max(axis=0)
                scaled = (places - least) / np.where(most > least, most - least, 1.0)
                unit[mine, 1 : 1 + places.shape[1]] = np.where(most > least, scaled, 0.5)
        return unit
