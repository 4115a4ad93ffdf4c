# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The data that device keys are made by, here and, generated into it, in the library.

Words are runs of lower-case letters and digits. In patterns of them ``#`` stands for digits, at
least one, and ``*`` at the end for anything.
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
        noise: patterns of words that are no part of an architecture.
        makers: of hardware, and patterns of words that name them or what they make; the first
            maker that is found wins.
        x86: what machines call themselves whose CPUs are told apart by `vectors`.
        vectors: instruction sets and their vectors.
        probe: asks a driver for them.
        other_x86: instruction set of an x86 CPU with other vectors.
        no_maker, no_architecture: stand where a driver says nothing.
    """

    longest_text: int
    longest_part: int
    most_words: int
    noise: tuple[str, ...]
    makers: tuple[tuple[str, tuple[str, ...]], ...]
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
    noise=("graphics", "gpu", "series", "corporation", "processor", "with", "r#p#"),
    makers=(
        (
            "amd",
            ("amd", "epyc", "ryzen", "radeon", "opteron", "athlon", "threadripper", "gfx#*"),
        ),
        ("intel", ("intel", "xeon", "pentium", "celeron", "iris", "arc")),
        ("nvidia", ("nvidia", "geforce", "quadro", "tesla")),
        ("arm", ("arm", "mali", "cortex", "neoverse")),
        ("qualcomm", ("qualcomm", "adreno", "snapdragon", "oryon")),
        ("imagination", ("imagination", "powervr")),
        ("apple", ("apple",)),
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
