# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""From options to generated files: what CMake and the command line call."""

from hornbeam.pipeline.build import BuildResult, configure, generate
from hornbeam.pipeline.options import BuildOptions, Tune, parse_list, parse_tune

__all__ = [
    "BuildOptions",
    "BuildResult",
    "Tune",
    "configure",
    "generate",
    "parse_list",
    "parse_tune",
]
