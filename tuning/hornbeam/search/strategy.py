# SPDX-FileCopyrightText: The hornbeam authors
# SPDX-License-Identifier: Apache-2.0
"""The interface of strategies, and their options as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from hornbeam.errors import ConfigurationError, choose
from hornbeam.search.trials import Trials

Options = Mapping[str, float]
"""Name -> value, one for each option of a strategy; whole numbers where the default is one."""


@dataclass(frozen=True)
class Option:
    """A number that a strategy can be given.

    Attributes:
        name, meaning: for people.
        default: an int where only whole numbers make sense.
        least, most: bounds, inclusive.
    """

    name: str
    default: int | float
    least: int | float
    most: int | float
    meaning: str

    def parse(self, text: str) -> int | float:
        """Read a value.

        Raises:
            ConfigurationError: it is no number, or out of bounds.
        """
        kind = int if isinstance(self.default, int) else float
        try:
            value = kind(text)
        except ValueError:
            value = None
        if value is None or not self.least <= value <= self.most:
            what = "a whole number" if kind is int else "a number"
            raise ConfigurationError(
                f"{self.name} must be {what} from {self.least} to {self.most}, not {text[:40]!r}"
            )
        return value


@dataclass(frozen=True)
class Strategy:
    """A way to search.

    Attributes:
        name: on the command line.
        summary: what it does, in a sentence.
        run: measures points until it is at its end or the budget is. It draws chance from the
            trials alone, so equal seeds give equal searches.
        options: what ``run`` takes.
    """

    name: str
    summary: str
    run: Callable[[Trials, Options], None]
    options: tuple[Option, ...] = ()

    def parse_options(self, pairs: Sequence[str]) -> dict[str, float]:
        """Values of all options, those not given at their defaults.

        Args:
            pairs: ``name=value``.

        Raises:
            ConfigurationError: a name or value is not valid.
        """
        known = {option.name: option for option in self.options}
        values: dict[str, float] = {option.name: option.default for option in self.options}
        for pair in pairs:
            name, equals, text = pair.partition("=")
            if not equals:
                raise ConfigurationError(f"options are given as name=value, not {pair[:40]!r}")
            if not known:
                raise ConfigurationError(f"{self.name} takes no options, not even {name[:40]!r}")
            values[name] = known[choose(f"option of {self.name}", name, list(known))].parse(text)
        return values
