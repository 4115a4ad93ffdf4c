# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""A plan in words, the same before a run and as it begins."""

from __future__ import annotations

from hornbeam.plan import Plan


def plan_lines(plan: Plan) -> list[str]:
    """Say what a plan measures, what it leaves out and why, and how long it takes."""
    estimate = plan.estimate
    lines = [
        f"{plan.operation.name} {plan.data_type}: {len(plan.problems)} of {plan.problems_given} "
        f"problems x {len(plan.configurations)} of {plan.configurations_valid} configurations "
        f"({plan.variants} kernel variants), {plan.rounds} rounds, up to {plan.most_rounds} where "
        "it stays unclear who is the best",
        f"  about {estimate.total_s:.0f} s of {plan.budget_s:.0f} s: compiling "
        f"{estimate.compile_s:.0f} s, verifying {estimate.verify_s:.0f} s, measuring "
        f"{estimate.measure_s:.0f} s, verifying what is selected {estimate.ship_s:.0f} s",
    ]
    if plan.slowness > 1.0:
        lines.append(
            f"  the machine is busy: everything takes about {plan.slowness:.1f} times as long"
        )
    if plan.reduced:
        lines.append("  the budget is too short for everything; what tells the most comes first")
    lines += [
        f"  {count} configurations are impossible here: {name}"
        for name, count in plan.rejected.items()
        if count
    ]
    return lines
