# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""How much of the machine there is for us now."""

from __future__ import annotations

import time

_SPIN_S = 0.3
_QUIET = 1.3


def slowness(spin_s: float = _SPIN_S) -> float:
    """How many times as long computing takes as on an idle machine, at least 1.

    A thread is kept busy for a moment, and the time that passes compared with the time it ran:
    the load average would still tell of the compilation before. A small difference is none, so
    that plans on a quiet machine are the same every time.
    """
    start_s, start_cpu_s = time.perf_counter(), time.thread_time()
    while time.perf_counter() - start_s < spin_s:
        pass
    ran_s = time.thread_time() - start_cpu_s
    found = (time.perf_counter() - start_s) / max(ran_s, 1e-3)
    return found if found > _QUIET else 1.0
