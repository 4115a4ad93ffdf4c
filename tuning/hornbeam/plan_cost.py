# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How long measuring takes: a coarse model that a plan is cut to size with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hornbeam.bench.modules import PROCESSES, source_sizes
from hornbeam.operations import Operation
from hornbeam.space import kernel_of
from hornbeam.types import Configuration, Problem

MIN_BATCH_S = 0.001
"""A sample lasts at least this long, many times the clock's resolution and a launch's cost."""

SLOW_FACTOR = 3.0
"""A launch so many times slower than the best so far is timed only once."""

_FEW_VARIANTS = 8
_SOURCE_S = 3.3
# Of a function whose kernel states a compile cost of 1.
_FUNCTION_S = 0.5
_JIT_S = 0.4
_VERIFY_S = 0.005
_START_S = 0.2
_REQUEST_S = 0.001
_PROBLEM_S = 0.3
_LAUNCH_S = 3e-5
_FLOPS_PER_UNIT = 2e10
_BYTES_PER_S = 1e10
# Typical of the spaces measured so far: a quarter of all configurations is cut short after one
# launch of six times the best time, half is good enough to be measured in every round.
_CUT_SHARE = 0.25
_CUT_SLOWNESS = 6.0
_SLOWNESS = 1.7
_REPEATED_SHARE = 0.5
_REPEATED_SLOWNESS = 1.4


@dataclass(frozen=True)
class Estimate:
    """Expected durations in seconds.

    Attributes:
        compile_s: compiling what is measured.
        verify_s: verifying it, with the driver's own compilation.
        measure_s: timing.
        ship_s: compiling and verifying what is selected, where it was not before.
    """

    compile_s: float
    verify_s: float
    measure_s: float
    ship_s: float = 0.0

    @property
    def total_s(self) -> float:
        """All of them."""
        return self.compile_s + self.verify_s + self.measure_s + self.ship_s


@dataclass(frozen=True)
class Shipping:
    """What will be shipped of what is measured: it is verified in all specialisations.

    Attributes:
        kernels: that can be selected, at most.
        data_types: that they are shipped in, the measured one first.
        from_all: whether any configuration can be selected, not those measured now alone.
    """

    kernels: int
    data_types: tuple[str, ...]
    from_all: bool = False

    def verified_first(self, variants: int) -> bool:
        """Whether everything is verified in all that it may be shipped in before it is timed.

        Of few variants most are selected anyway, and little time can't leave anything untrusted.
        """
        return not self.from_all and variants <= max(self.kernels, _FEW_VARIANTS)


@dataclass(frozen=True)
class Cost:
    """Costs on one device.

    Attributes:
        operation, data_type: what is measured.
        compute_units: of the device.
        slowness: how many times as long as on an idle machine an estimate is.
        devices: number of like ones that share the timing; each compiles and verifies for itself.
    """

    operation: Operation
    data_type: str
    compute_units: int
    slowness: float = 1.0
    devices: int = 1

    def launch_s(self, problem: Problem) -> float:
        """One launch of a good configuration."""
        size_bytes = self.operation.footprint_bytes(problem, self.data_type)
        speed = _FLOPS_PER_UNIT * max(1, self.compute_units)
        return _LAUNCH_S + self.operation.work(problem) / speed + size_bytes / _BYTES_PER_S

    def problem_s(self, problem: Problem, configurations: int, rounds: int) -> float:
        """All configurations on one problem."""
        best_s = self.launch_s(problem)
        first_s = _timing_s(best_s, _SLOWNESS)
        cut_s = first_s
        if SLOW_FACTOR * best_s > MIN_BATCH_S:
            cut_s = _CUT_SLOWNESS * best_s + _REQUEST_S
        later_s = (rounds - 1) * _REPEATED_SHARE * _timing_s(best_s, _REPEATED_SLOWNESS)
        each_s = (1 - _CUT_SHARE) * first_s + _CUT_SHARE * cut_s + later_s
        return _PROBLEM_S + configurations * each_s

    def estimate(
        self,
        problems: Sequence[Problem],
        configurations: Sequence[Configuration],
        specialisations: int,
        rounds: int,
        shipping: Shipping | None = None,
    ) -> Estimate:
        """Everything, with nothing compiled or measured before."""
        variants = len({configuration.variant_id for configuration in configurations})
        cost = self._compile_cost(configurations)
        functions = (variants + 1) * specialisations
        compile_s, ship_s = _compile_s(functions, cost), 0.0
        verify_s = functions * cost * _JIT_S + len(configurations) * specialisations * _VERIFY_S
        if shipping is not None and shipping.verified_first(variants):
            everything = self._shipped(shipping, variants)
            compile_s = _compile_s(everything, cost, self._shipped(shipping, 1))
            verify_s += self._parallel_s(everything, cost)
        elif shipping is not None:
            ship_s = self._ship_s(shipping, variants, specialisations, cost)
        times_s = [self.problem_s(p, len(configurations), rounds) for p in problems]
        measure_s = sum(times_s) / min(self.devices, max(1, len(times_s)))
        parts_s = (compile_s, verify_s, measure_s, ship_s)
        return Estimate(*(self.slowness * part_s for part_s in parts_s))

    def _compile_cost(self, configurations: Sequence[Configuration]) -> float:
        """Mean compile cost of the variants that configurations need."""
        kernels = {c.variant_id: kernel_of(self.operation, c) for c in configurations}
        return sum(kernel.compile_cost for kernel in kernels.values()) / max(1, len(kernels))

    def _shipped(self, shipping: Shipping, kernels: int) -> int:
        """Functions of kernels, and of the reference, in everything that they are shipped in."""
        return (kernels + 1) * len(self.operation.specialisations) * len(shipping.data_types)

    def _ship_s(
        self, shipping: Shipping, variants: int, specialisations: int, cost: float
    ) -> float:
        """What is selected, given how many variants are measured in how many specialisations."""
        kernels = shipping.kernels
        left = self._shipped(shipping, kernels)
        if not shipping.from_all:
            kernels = min(kernels, variants)
            left = self._shipped(shipping, kernels) - (kernels + 1) * specialisations
        return _compile_s(left, cost) + self._parallel_s(left, cost)

    def _parallel_s(self, functions: int, cost: float) -> float:
        """Verifying in all processes, each of which compiles the reference for itself."""
        each = functions / PROCESSES + len(self.operation.specialisations) / 2
        return _START_S + each * (cost * _JIT_S + _VERIFY_S)


def _compile_s(functions: int, cost: float, urgent: int = 0) -> float:
    """Functions compiled together, several sources at a time."""
    waves = source_sizes(functions, urgent)[::PROCESSES]
    return sum(_SOURCE_S + size * cost * _FUNCTION_S for size in waves)


def _timing_s(best_s: float, slowness: float) -> float:
    """One request: a launch to warm up, then the samples."""
    launch_s = slowness * best_s
    return launch_s + samples_for(best_s) * max(MIN_BATCH_S, launch_s) + _REQUEST_S


def samples_for(best_s: float) -> int:
    """Samples in one round: fewer where a launch is long, since rounds repeat it anyway."""
    if best_s < 0.002:
        return 3
    return 2 if best_s < 0.01 else 1
