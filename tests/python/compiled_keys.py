# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The library's device keys (src/device_key.cpp), with nothing but a C++ compiler."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from compiled_tree import compiler
from hornbeam.device_naming import VectorWidths
from hornbeam.paths import root

_WRAPPER = """
#include "device_key.hpp"
using namespace hornbeam::detail;
static std::string answer;
extern "C" {
const char* key(const char* name, const char* vendor, const char* type, const char* machine,
                const int* widths, int count, std::int64_t units) {
  device_properties device{name, vendor, type, machine, {}, units};
  for (int i = 0; i < count; ++i) device.widths.push_back({widths[2 * i], widths[2 * i + 1]});
  answer = device_key(device);
  return answer.c_str();
}
const char* match(const char* key, const char* other) { return match_of(key, other); }
int closest_of(const char* key, const char* const* keys, int count) {
  return static_cast<int>(closest(key, {keys, keys + count}));
}
}
"""


@dataclass(frozen=True)
class Keys:
    """The compiled functions."""

    library: ctypes.CDLL

    def key(
        self,
        name: str,
        vendor: str,
        type_: str,
        units: int,
        machine: str = "",
        widths: Sequence[VectorWidths] = (),
    ) -> str:
        """Key of a device."""
        numbers = [number for one in widths for number in (one.floats, one.integers)]
        texts = (text.encode("utf-8", "replace") for text in (name, vendor, type_, machine))
        return self.library.key(
            *texts, (ctypes.c_int * len(numbers))(*numbers), len(widths), ctypes.c_int64(units)
        ).decode("ascii")

    def match(self, key: str, other: str) -> str:
        """How closely a key belongs to another."""
        return self.library.match(key.encode(), other.encode()).decode("ascii")

    def closest(self, key: str, keys: Sequence[str]) -> str:
        """The key that is closest to another."""
        encoded = (ctypes.c_char_p * len(keys))(*(one.encode() for one in keys))
        return keys[self.library.closest_of(key.encode(), encoded, len(keys))]


def build(naming: str, folder: Path) -> Keys:
    """Compile the functions together with the generated naming data."""
    (folder / "device_naming.cpp").write_text(naming)
    (folder / "wrapper.cpp").write_text(_WRAPPER)
    sources = [root() / "src" / "device_key.cpp", *folder.glob("*.cpp")]
    library = folder / "libkeys.so"
    flags = ["-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared"]
    command = [compiler(), *flags, f"-I{root() / 'src'}", *map(str, sources), "-o", str(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    loaded = ctypes.CDLL(str(library))
    loaded.key.restype = loaded.match.restype = ctypes.c_char_p
    return Keys(loaded)
