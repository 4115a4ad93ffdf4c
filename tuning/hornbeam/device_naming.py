# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The data that device keys are made by, here and, generated into it, in the library.

Patterns keep to what Python and ECMAScript read alike, and are applied to ASCII alone.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class VectorWidths:
    """32-bit elements that a CPU's vectors hold, 0 where that is not known.

    Integers tell AVX from AVX2: the vectors of both hold 8 floats, the former's 4 integers.
    """

    floats: int
    integers: int


@dataclass(frozen=True)
class VectorProbe:
    """A program whose kernels have sub-groups as wide as the vectors that the driver uses.

    What a driver reports as the native width is that of the machine, even where it is told to
    generate code for another one.

    Attributes:
        source: OpenCL C.
        floats, integers: names of the kernels.
        group: work-group size to ask for.
    """

    source: str
    floats: str
    integers: str
    group: int


@dataclass(frozen=True)
class Naming:
    """How keys are made.

    Attributes:
        longest_text: bytes of a driver's text that are looked at.
        longest_part: characters of a key's vendor or architecture.
        most_words: of a name that make an architecture.
        word: pattern of one.
        marks: pattern of what is left out of every text.
        noise: pattern of what is left out of a name.
        version: pattern of version numbers in a name.
        key: pattern of a key; groups: vendor, type, architecture, units.
        makers: of hardware, and patterns of their names; the first that is found wins.
        x86: what machines call themselves whose CPUs are told apart by `vectors`.
        vectors: instruction sets and their vectors.
        probe: asks a driver for them.
        other_x86: instruction set of an x86 CPU with other vectors.
        no_maker, no_architecture: stand where a driver says nothing.
    """

    longest_text: int
    longest_part: int
    most_words: int
    word: str
    marks: str
    noise: str
    version: str
    key: str
    makers: tuple[tuple[str, str], ...]
    x86: tuple[str, ...]
    vectors: tuple[tuple[str, VectorWidths], ...]
    probe: VectorProbe
    other_x86: str
    no_maker: str
    no_architecture: str


NAMING = Naming(
    longest_text=256,
    longest_part=40,
    most_words=6,
    word="[a-z0-9]+",
    marks=r"\((r|tm|c)\)|_",
    noise=r"\([^)]*\)|\[[^\]]*\]|\b(graphics|gpu|series|corporation|processor|with)\b",
    version=r"\b[0-9]+(\.[0-9]+)+\b|\br[0-9]+p[0-9]+\b",
    key="([a-z0-9]+)-(cpu|gpu|accelerator)-([a-z0-9-]+)-([0-9]{1,10})cu",
    makers=(
        ("amd", r"\b(amd|epyc|ryzen|radeon|opteron|athlon|threadripper|gfx[0-9]+[a-z0-9]*)\b"),
        ("intel", r"\b(intel|xeon|pentium|celeron|iris|arc)\b"),
        ("nvidia", r"\b(nvidia|geforce|quadro|tesla)\b"),
        ("arm", r"\b(arm|mali|cortex|neoverse)\b"),
        ("qualcomm", r"\b(qualcomm|adreno|snapdragon|oryon)\b"),
        ("imagination", r"\b(imagination|powervr)\b"),
        ("apple", r"\bapple\b"),
    ),
    x86=("x86_64", "amd64", "i686", "i386"),
    vectors=(
        ("avx512", VectorWidths(16, 16)),
        ("avx2", VectorWidths(8, 8)),
        ("avx", VectorWidths(8, 4)),
        ("sse42", VectorWidths(4, 4)),
    ),
    probe=VectorProbe(
        source=(
            "kernel void floats(global float* x) { x[get_global_id(0)] *= 2.0f; }\n"
            "kernel void integers(global int* x) { x[get_global_id(0)] += 2; }\n"
        ),
        floats="floats",
        integers="integers",
        group=64,
    ),
    other_x86="x86",
    no_maker="unknown",
    no_architecture="generic",
)
