# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""``python -m hornbeam``."""

from __future__ import annotations

import sys

from hornbeam.cli import main

if __name__ == "__main__":
    sys.exit(main())
