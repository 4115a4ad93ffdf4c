# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The SPIR-V modules inside the library: none needs more of a device than its element type does."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from hornbeam.operations import get_operation

HEADER_WORDS, OP_CAPABILITY = 5, 17
CAPABILITIES = {8: "Float16Buffer", 9: "Float16", 10: "Float64"}
NEEDED = {"float": set(), "double": {"Float64"}, "half": {"Float16Buffer"}}
OPTIONAL = {"float": set(), "double": set(), "half": {"Float16"}}

EMBEDDED = re.compile(r"bytes_of_(\w+)\[\] = \{([^}]*)\}")


def floating_point_capabilities(module: bytes) -> set[str]:
    """What a module declares that it needs of the device, of what there is in CAPABILITIES."""
    words = np.frombuffer(module, "<u4")
    found, position = set(), HEADER_WORDS
    while position < len(words):
        length, operation = divmod(int(words[position]), 1 << 16)
        if operation == OP_CAPABILITY:
            found.add(CAPABILITIES.get(int(words[position + 1]), ""))
        position += length
    return found - {""}


@pytest.mark.parametrize("data_type", get_operation("matmul").data_types)
def test_modules_declare_their_own_type_alone(build_folder: Path, data_type: str) -> None:
    """A device without double or half runs the float kernels of the same library."""
    modules = {
        name: bytes(map(int, text.split(",")[:-1]))
        for file in (build_folder / "modules").glob("*.cpp")
        for name, text in EMBEDDED.findall(file.read_text())
        if f"_{data_type}_" in name
    }
    assert len(modules) >= 4
    for name, module in modules.items():
        declared = floating_point_capabilities(module)
        assert NEEDED[data_type] <= declared <= NEEDED[data_type] | OPTIONAL[data_type], name
