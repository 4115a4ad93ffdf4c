# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Generated deployment source built into a small library, with nothing but a C++ compiler."""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from hornbeam.paths import root
from hornbeam.types import Problem

_WRAPPER = """
#include <hornbeam/detail/deployment.hpp>
namespace hornbeam::detail::functions {
%s
}
using namespace hornbeam::detail;
static const selection_table& table(int t, int d) { return targets[t].tables[d]; }
extern "C" {
const char* version() { return generator_version; }
int count() { return static_cast<int>(target_count); }
const char* key(int t) { return targets[t].key; }
const char* note(int t, int d) { return table(t, d).note; }
const char* digest(int t, int d) { return table(t, d).dataset_digest; }
const char* kernel_id(int t, int d, int i) { return table(t, d).kernels[i].id; }
int kernel_count(int t, int d) { return static_cast<int>(table(t, d).kernel_count); }
const char* path(int t, int d, int i) { return table(t, d).leaves[i].path; }
void select_all(int t, int d, const std::int64_t* p, std::int64_t count, std::int32_t* kernels) {
  for (std::int64_t i = 0; i < count; ++i, p += 6) {
    const problem_size size{p[0], p[1], p[2], p[3], p[4] != 0, p[5] != 0};
    const auto leaf = table(t, d).select(size);
    if (leaf < 0 || leaf >= static_cast<std::int32_t>(table(t, d).leaf_count)) kernels[i] = -1;
    else kernels[i] = table(t, d).leaves[leaf].kernel;
  }
}
}
"""


def compiler() -> str:
    """The C++ compiler; the test is skipped where there is none."""
    for name in (os.environ.get("CXX"), "g++", "clang++", "c++"):
        if name and (found := shutil.which(name)):
            return found
    pytest.skip("no C++ compiler")


def build(source: str, folder: Path, *flags: str) -> ctypes.CDLL:
    """Compile a deployment source together with stand-ins for its device functions."""
    functions = re.findall(r"^extern const kernel_entry (\w+);$", source, re.MULTILINE)
    stubs = "\n".join(
        f'extern const kernel_entry {name};\nconst kernel_entry {name}{{"", nullptr, 0}};'
        for name in functions
    )
    (folder / "deployment.cpp").write_text(source)
    (folder / "wrapper.cpp").write_text(_WRAPPER % stubs)
    library = folder / "libdeployment.so"
    command = [
        compiler(), "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", *flags,
        f"-I{root() / 'include'}",
        str(folder / "deployment.cpp"), str(folder / "wrapper.cpp"), "-o", str(library),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = ctypes.CDLL(str(library))
    for name in ("version", "key", "note", "digest", "kernel_id", "path"):
        getattr(loaded, name).restype = ctypes.c_char_p
    return loaded


def select(
    library: ctypes.CDLL, problems: Sequence[Problem], target: int = 0, table: int = 0
) -> np.ndarray:
    """The kernel that the compiled tree picks for each problem; -1 for a leaf out of range."""
    sizes = np.ascontiguousarray(problems, dtype=np.int64)
    kernels = np.empty(len(sizes), dtype=np.int32)
    library.select_all(
        target,
        table,
        sizes.ctypes.data_as(ctypes.c_void_p),
        ctypes.c_int64(len(sizes)),
        kernels.ctypes.data_as(ctypes.c_void_p),
    )
    return kernels
