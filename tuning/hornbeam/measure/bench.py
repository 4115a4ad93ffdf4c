# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What measuring works with: the tools, the device they run on, where their output is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hornbeam.bench.driver import Driver
from hornbeam.bench.modules import CompileJob
from hornbeam.bench.tools import Tools
from hornbeam.journal_rows import Source
from hornbeam.types import DeviceInfo


@dataclass(frozen=True)
class Bench:
    """What a run works with.

    Attributes:
        tools: device compiler and benchmark driver.
        device: that the driver has to run on.
        source: identity of device, compiler, driver and kernels, written into each row.
        include_dir: of our headers.
        module_cache: folder of compiled functions.
        variables: added to the tools' environment.
        position: of the device among all that OpenCL lists, where the machine has several like
            it; None for the first of its kind.
    """

    tools: Tools
    device: DeviceInfo
    source: Source
    include_dir: Path
    module_cache: Path
    variables: Mapping[str, str] = field(default_factory=dict)
    position: int | None = None

    def compile_job(self) -> CompileJob:
        """How functions are compiled."""
        return CompileJob(
            compiler=self.tools.compiler,
            compiler_version=self.source.compiler,
            include_dir=self.include_dir,
            cache_dir=self.module_cache,
            variables=tuple(self.variables.items()),
        )

    def driver(self) -> Driver:
        """The benchmark driver, not yet started."""
        return Driver(self.tools.driver, self.device, self.variables, position=self.position)
