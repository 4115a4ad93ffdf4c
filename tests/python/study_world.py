# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A small study of a made-up device, and its report."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import synthetic
from hornbeam.operations import get_operation
from hornbeam.study.plan import Plan
from hornbeam.study.study import Study, study

OPERATION = get_operation("matmul")
QUICK = Plan(
    kernels=(3,),
    classified=(3,),
    classifiers=("ours", "tree A"),
    repeats=2,
    optimum_s=10.0,
)
HOSTILE = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"


@lru_cache(maxsize=1)
def small_study() -> Study:
    """A study, made once, whose device has a name that would run as a script."""
    dataset = synthetic.few(synthetic.dataset(16), 8)
    device = replace(dataset.device, name=HOSTILE)
    return study(replace(dataset, device=device), OPERATION, QUICK)
