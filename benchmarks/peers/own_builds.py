# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The builds of hornbeam that take part."""

from __future__ import annotations

BASE = "hornbeam"
"""The one that is compared with everything else: as a user builds it."""

PAPER_FAMILY = "register_tile_*"

OWN = {
    BASE: ("hornbeam, tuned", ()),
    "register_tile": (
        f"hornbeam, {PAPER_FAMILY} alone",
        (f"-DHORNBEAM_CONFIGURATIONS={PAPER_FAMILY}",),
    ),
    "any_bits": ("hornbeam, HORNBEAM_BIT_STABLE=OFF", ("-DHORNBEAM_BIT_STABLE=OFF",)),
}
"""Name -> label and options of CMake."""
