# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Python and the library make the same keys and judge alike how close they are."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import compiled_keys
from compiled_keys import Keys
from hornbeam.codegen import Target, render
from hornbeam.dataset_schema import DEVICE_SCHEMA
from hornbeam.device_keys import (
    KEY_PATTERN,
    KeyParts,
    closest,
    cpu_architecture,
    device_architecture,
    hardware_vendor,
    match_of,
)
from hornbeam.device_naming import NAMING, VectorWidths
from hornbeam.operations import get_operation

NAMES = (
    "AMD EPYC 7763 64-Core Processor",
    "AMD Radeon RX 6800 XT (navi21, LLVM 15.0.7, DRM 3.49)",
    "gfx906:sramecc+:xnack-",
    "gfx",
    "gfx90a1b",
    "Intel(R) Xeon(R) Platinum 8481C CPU @ 2.70GHz",
    "Intel(R) UHD Graphics [0x9a60]",
    "Intel(R) Data Center GPU Max 1550",
    "pthread-Intel(R) Core(TM) i7-6700K CPU",
    "cpu-znver3-AMD EPYC",
    "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition",
    "Tesla V100-SXM2",
    "Mali-G71 r0p1",
    "QUALCOMM Adreno(TM) 740",
    "Apple M2 Pro",
    "llvmpipe (LLVM 15.0.6, 256 bits)",
    "QEMU Virtual CPU version 2.5+",
    "Mystery_9000_GPU",
    "v1.2.3 1.2.3 .5. 1..2 a.1.2 r1p2.3",
    "one two three four five six seven",
    "--- (R)",
    "((([[[))]] () [] (",
    "",
)
VENDORS = (
    "Intel(R) Corporation",
    "Advanced Micro Devices, Inc.",
    "NVIDIA Corporation",
    "(R) Acme Computing",
    "GenuineIntel",
    "®™",
    "",
)
MACHINES = ("x86_64", "AMD64", "i686", "aarch64", "riscv64", "ppc64le_x", "x86 64", "")
WIDTHS = tuple(
    VectorWidths(floats, integers)
    for floats, integers in itertools.product((0, 1, 4, 8, 16), repeat=2)
)
TEXTS = st.one_of(
    st.text(max_size=80),
    st.text("()[]_-.:#*019afgpr xX®İ\t\n", max_size=40),
    st.lists(st.sampled_from([*NAMES, *VENDORS]), max_size=3).map(" ".join),
).map(lambda text: text.replace("\0", ""))
PARTS = st.tuples(
    st.sampled_from(["amd", "intel", "acme"]),
    st.sampled_from(["cpu", "gpu", "accelerator"]),
    st.sampled_from(["avx2", "avx512", "sse42", "uhd-770", "-"]),
    st.sampled_from([0, 1, 2, 8, 60, 9_999_999_999]),
)
KEYS = st.one_of(
    PARTS.map(lambda parts: str(KeyParts(*parts))),
    st.sampled_from(
        [
            *("", "-", "--", "my-own-box", "unknown", "amd-cpu-avx2-2cu ", "amd-cpu-avx2-cu"),
            *("amd-cpu--2cu", "amd-cpu-2cu", "-cpu-avx2-2cu", "amd-fpga-x-2cu", "amd-cpu-avx2-2"),
            *("amd-cpu-AVX2-2cu", "amd-cpu-avx2-99999999999cu", "amd-cpu-avx2-٣cu", "2cu", "cu"),
            *("amd-cpu-avx2-c", "amd-cpu-avx2-", "amd-cpu-avx2-02cu", "amd-cpu-avx2-u"),
        ]
    ),
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Keys:
    target = Target("acme-cpu-avx2-4cu", "", "", ())
    naming = render(get_operation("matmul"), [target], "1")["device_naming.cpp"]
    return compiled_keys.build(naming, tmp_path_factory.mktemp("keys"))


def gpu_key(name: str, vendor: str) -> str:
    maker = hardware_vendor(name, vendor)
    return str(KeyParts(maker, "gpu", device_architecture(name, maker), 7))


@pytest.mark.parametrize("name", NAMES)
def test_names_that_drivers_report(library: Keys, name: str) -> None:
    for vendor in VENDORS:
        assert library.key(name, vendor, "gpu", 7) == gpu_key(name, vendor)


@given(name=TEXTS, vendor=TEXTS)
@example(name="®" * 200 + " Radeon", vendor="x" * 1000)
@example(name="a" * 300, vendor="gfx" + "9" * 300)
@example(name="(" * 256, vendor="1." * 200)
def test_hostile_names(library: Keys, name: str, vendor: str) -> None:
    key = library.key(name, vendor, "gpu", 7)
    assert key == gpu_key(name, vendor)
    assert re.fullmatch(KEY_PATTERN, key)
    assert len(key) <= DEVICE_SCHEMA["properties"]["device"]["properties"]["key"]["maxLength"]


@pytest.mark.parametrize("machine", MACHINES)
def test_cpus(library: Keys, machine: str) -> None:
    for widths in [(), *itertools.product(WIDTHS, repeat=2)]:
        key = library.key("AMD EPYC", "", "cpu", 2, machine, widths)
        assert key == f"amd-cpu-{cpu_architecture(machine, *widths)}-2cu"


@given(key=KEYS, other=KEYS)
def test_levels(library: Keys, key: str, other: str) -> None:
    assert library.match(key, other) == match_of(key, other).value


@given(key=KEYS, keys=st.lists(KEYS.filter(bool), min_size=1, max_size=6))
def test_the_closest(library: Keys, key: str, keys: list[str]) -> None:
    found = closest(key, keys)
    assert found is not None
    assert library.closest(key, keys) == found[0]
    assert library.match(key, found[0]) == found[1].value


def test_the_data_is_what_the_rules_expect() -> None:
    words = [*NAMING.noise, *(word for _, patterns in NAMING.makers for word in patterns)]
    assert all(re.fullmatch(r"[a-z0-9#]+\*?", word) for word in words)
    widths = [widths for _, widths in NAMING.vectors]
    assert len(set(widths)) == len(widths)
