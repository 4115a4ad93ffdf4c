# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""What the tuner is worth, by replay on stored measurements: ``make bench-tuner``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

import matplotlib

import strategies

#: The same results have the same bytes: no random names.
matplotlib.rcParams["svg.hashsalt"] = "hornbeam"

SECTIONS: Mapping[str, Callable[[Path, int], list[str]]] = {
    "search": strategies.report,
}
"""Section -> function of the output folder and the number of seeds; draws plots there and returns
lines of Markdown."""


def main() -> None:
    """Run the sections and write a page of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path("build/bench-tuner"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--section", choices=SECTIONS, action="append", help="default: all")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    for name in arguments.section or SECTIONS:
        page = "\n".join(SECTIONS[name](arguments.output, arguments.seeds)) + "\n"
        (arguments.output / f"{name}.md").write_text(page, encoding="utf-8")
        print(f"--- {name}\n{page}", flush=True)


if __name__ == "__main__":
    main()
