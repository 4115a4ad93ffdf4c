# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""Search of a space for its fastest configuration, by one of several strategies."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from hornbeam.errors import choose
from hornbeam.search.bayesian import bayesian
from hornbeam.search.continuous import direct, nelder_mead
from hornbeam.search.local import (
    axis_scan,
    combined_elimination,
    exhaustive,
    hill_climbing,
    random,
    simulated_annealing,
)
from hornbeam.search.population import genetic
from hornbeam.search.space import SearchSpace
from hornbeam.search.strategy import Option, Options, Strategy
from hornbeam.search.trials import Budget, BudgetSpentError, Evaluator, Trials

__all__ = [
    "STRATEGIES",
    "Budget",
    "Evaluator",
    "SearchSpace",
    "Strategy",
    "Trials",
    "search",
    "strategy_of",
    "strategy_table",
]

_STARTS = Option("starts", 1, 1, 1000, "random points, of which the best is the start")

_ALL = (
    Strategy("exhaustive", "every point, in the order of the space", exhaustive),
    Strategy("random", "every point, in random order", random),
    Strategy(
        "axis_scan",
        "all values of one axis after the other (Powell); restarts",
        axis_scan,
        (_STARTS,),
    ),
    Strategy("hill_climbing", "the first better neighbour; restarts", hill_climbing, (_STARTS,)),
    Strategy(
        "nelder_mead",
        "a simplex in the unit cube (SciPy), nearest points measured; restarts",
        nelder_mead,
        (Option("size", 0.4, 0.01, 1.0, "edge of the first simplex, of the cube's"),),
    ),
    Strategy(
        "direct",
        "rectangles in the unit cube (SciPy), then the rest at random",
        direct,
        (Option("eps", 0.0001, 1e-12, 1.0, "least gain that divides a rectangle"),),
    ),
    Strategy(
        "simulated_annealing",
        "random neighbours, slower ones less and less often; restarts",
        simulated_annealing,
        (
            Option("temperature", 0.5, 0.001, 100.0, "at first, as a share of the time at hand"),
            Option("cooling", 0.95, 0.01, 0.999, "factor of the temperature from move to move"),
            Option("stop", 0.01, 1e-6, 100.0, "temperature of a restart"),
        ),
    ),
    Strategy(
        "genetic",
        "crossing and mutation of the better points",
        genetic,
        (
            Option("population", 20, 2, 10000, "points that are kept"),
            Option("mutation", 0.2, 0.0, 1.0, "chance that an axis of a child is changed"),
        ),
    ),
    Strategy(
        "combined_elimination",
        "single changes that help, best first (general combined elimination); restarts",
        combined_elimination,
        (_STARTS,),
    ),
    Strategy(
        "bayesian",
        "the greatest expected improvement by a Gaussian process (scikit-learn)",
        bayesian,
        (
            Option("initial", 10, 1, 10000, "random points before the first model"),
            Option("margin", 0.01, 0.0, 10.0, "improvement not counted, of the time's logarithm"),
        ),
    ),
)
STRATEGIES = {strategy.name: strategy for strategy in _ALL}
"""Name -> strategy."""


def strategy_of(name: str) -> Strategy:
    """The strategy of a name.

    Raises:
        ConfigurationError: there is none; lists those there are.
    """
    return STRATEGIES[choose("strategy", name, list(STRATEGIES))]


def search(
    strategy: Strategy,
    space: SearchSpace,
    evaluate: Evaluator,
    budget: Budget,
    *,
    options: Options | None = None,
    seed: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> dict[int, float]:
    """Search a space.

    Args:
        strategy: one of `STRATEGIES`.
        space: the points.
        evaluate: measures a configuration; called at most once for each.
        budget: that is kept.
        options: of the strategy; None: the defaults.
        seed: equal seeds give equal searches.
        clock: seconds, for the budget.

    Returns:
        Measured point -> seconds, in the order of measuring; infinite where it has no time.
    """
    trials = Trials(space, evaluate, budget, seed, clock)
    try:
        strategy.run(trials, strategy.parse_options(()) if options is None else options)
    except BudgetSpentError:
        pass
    return trials.measured


def strategy_table(strategies: Sequence[Strategy] = _ALL) -> list[str]:
    """Lines of a Markdown table of strategies and their options."""
    lines = ["| strategy | measures | options |", "|---|---|---|"]
    for strategy in strategies:
        options = "<br>".join(
            f"`{o.name}={o.default}` ({o.least} to {o.most}): {o.meaning}" for o in strategy.options
        )
        lines.append(f"| `{strategy.name}` | {strategy.summary} | {options} |")
    return lines
