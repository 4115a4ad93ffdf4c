# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The compiled library, on numpy arrays and on memory of the device.

Needs numpy and a build with ``HORNBEAM_BUILD_PYTHON``; nothing of what tuning needs.
"""

from __future__ import annotations

from hornbeam.library.api import Library, default_library
from hornbeam.library.finding import find_library
from hornbeam.library.native import Call, Order, Transpose

__all__ = ["Call", "Library", "Order", "Transpose", "default_library", "find_library"]
