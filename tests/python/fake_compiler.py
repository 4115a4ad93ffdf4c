# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for the device compiler: writes a "module" for each function of a source.

FAKE_COMPILER_FAULTS maps a part of a function's name to ``error``, ``hang``, ``crash`` or
``nothing``; FAKE_COMPILER_LOG names a file that gets a line for each source. A line
``// fake code PART`` in a kernel header changes the modules of functions with that part in their
names, as an edit that matters would; no other line does.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path


def main() -> int:
    """Compile the source named last on the command line."""
    arguments = sys.argv[1:]
    folder = Path(arguments[arguments.index("--spirv-dir") + 1])
    source = Path(arguments[-1]).read_text(encoding="utf-8")
    names = re.findall(r"HORNBEAM_(?:SLICED_)?KERNEL\((\w+),", source)
    include = Path(arguments[arguments.index("--include") + 1])
    headers = "".join(path.read_text() for path in sorted(include.rglob("kernels/*.hpp")))
    code = re.findall(r"^// fake code (\w+)$", headers, re.MULTILINE)
    log = os.environ.get("FAKE_COMPILER_LOG")
    if log:
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(" ".join(names) + "\n")
    faults = json.loads(os.environ.get("FAKE_COMPILER_FAULTS", "{}"))
    for name in names:
        kind = next((kind for part, kind in faults.items() if part in name), "")
        if kind == "error":
            print(f"source.cpp:5:1: error: no matching function for {name}", file=sys.stderr)
            return 1
        if kind == "hang":
            time.sleep(3600)
        if kind == "crash":
            os.abort()
        if kind != "nothing":
            edits = "".join(f" edited {part}" for part in code if part in name)
            (folder / f"{name}.spv").write_bytes(f"spirv of {name}{edits}".encode())
    return 0


if __name__ == "__main__":
    sys.exit(main())
