# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What a worker of a Dask cluster measures with: the devices of its machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.util import find_spec

from hornbeam.bench import Deadline
from hornbeam.device import Probe, probe, tunable_device
from hornbeam.errors import ConfigurationError
from hornbeam.measure import Bench
from hornbeam.operations import get_operation
from hornbeam.pipeline.campaign import bench_of
from hornbeam.pipeline.measuring import Order

_found: Callable[[], Probe] = cache(probe)


def benches_here(operation: str, deadline: Deadline) -> list[Bench]:
    """Return a bench for each device of this machine that takes SPIR-V, the tools built.

    Raises:
        BenchmarkError: the tools can't be built.
        DeadlineError: not in time.
        DeviceError: there is no device.
    """
    able = [(i, d) for i, d in enumerate(_found().devices) if d.supports_spirv]
    if not able:
        able = [(0, tunable_device())]
    bench = bench_of(get_operation(operation), able[0][1], deadline)
    types = Counter(device.type for device in _found().devices)
    return [
        replace(
            bench,
            device=device,
            source=replace(bench.source, device_key=device.key, driver=device.driver),
            position=position if types[device.type] > 1 else None,
        )
        for position, device in able
    ]


@contextmanager
def spread(order: Order, scheduler: str | None, workers: int | None) -> Iterator[Order]:
    """Let an order be carried out by the workers of a Dask cluster, if one is asked for.

    Args:
        order: how campaigns are to be carried out.
        scheduler: address of a cluster's scheduler.
        workers: number of worker processes to start on this machine instead.

    Raises:
        BenchmarkError: the cluster can't be reached, or has no worker.
        ConfigurationError: both are given; Dask is not installed; there are fewer devices here.
    """
    if scheduler is None and workers is None:
        yield order
        return
    if scheduler is not None and workers is not None:
        raise ConfigurationError("--scheduler and --workers exclude each other")
    if find_spec("distributed") is None:
        raise ConfigurationError(
            "spreading over several devices needs Dask, which is not installed in this Python "
            "environment; pip install 'hornbeam[distributed]'"
        )
    from hornbeam.measure import distributed

    if workers is None:
        opened = distributed.connected(scheduler or "", benches_here)
    else:
        _check_devices(workers)
        opened = distributed.started(workers, benches_here)
    with opened as cluster:
        yield replace(order, run=cluster.run, devices=cluster.devices)


def _check_devices(workers: int) -> None:
    """Raise where workers would have to share devices.

    Raises:
        ConfigurationError: there are fewer devices like the one that is tuned.
    """
    device = tunable_device()
    alike = sum(other == device for other in _found().devices)
    if workers > alike:
        raise ConfigurationError(
            f"--workers {workers}: each needs a device of its own, and this machine has {alike} "
            f"like {device.name}; workers on other machines join with --scheduler"
        )
