"""Common parts of all searches: the policy with its effort, and its seats."""

import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.words.checks import shown

from ..playing.fitting import fits
from ..playing.policy import GamesInPlay, Policy, Seated, set_of
from ..playing.seating import sit_down

__all__ = ["MARGIN", "Effort", "Search", "SearchSeated", "checked_effort"]

MARGIN = 2.0
"""The default of `Effort.margin`, in standard errors."""
MOST_ROLLOUTS = 10**9
"""The most roll-outs that are allowed; more would take weeks per decision."""


@dataclass(frozen=True)
class Effort:
    """How much to search, and how sure a search must be."""

    rollouts: int
    """Roll-outs per decision, all actions together, if there is no time budget."""
    budget: float | None
    """Milliseconds per decision; None: `rollouts` decides."""
    margin: float
    """By how many standard errors of the mean difference an action must beat the blueprint's action."""


def checked_effort(rollouts: Any, budget: Any, margin: Any, usual: int) -> Effort:
    """Return the effort asked for; the default is ``usual`` roll-outs.

    Raises:
        ValueError: a number is out of range, or both roll-outs and a budget are given.
    """
    if rollouts is not None and budget is not None:
        raise ValueError("a search takes rollouts or budget, not both")
    check_number("rollouts", rollouts, whole=True)
    check_number("budget", budget, whole=False)
    check_number("margin", margin, whole=False)
    return Effort(rollouts or usual, budget, MARGIN if margin is None else margin)


def check_number(name: str, value: Any, whole: bool) -> None:
    """Check a number.

    Args:
        name: its name; only a margin may be 0.
        value: the number; None is accepted.
        whole: whether it must be an integer, of at most `MOST_ROLLOUTS`.

    Raises:
        ValueError: the value is not a number, or out of range.
    """
    if value is None:
        return
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    least = 0 if name == "margin" else 1 if whole else 1e-9
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < np.inf:
        allowed = "at least 0" if name == "margin" else "an integer of at least 1" if whole else "above 0"
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")
    if whole and value > MOST_ROLLOUTS:
        raise ValueError(f"{name} must be at most {MOST_ROLLOUTS:,}, got {shown(value)}")


class Search:
    """The policy: a blueprint and the effort of the search."""

    specializes = False
    plays_apart = False
    values_are: str
    """What the values of actions are and their unit, for the readers of recorded games."""

    def __init__(self, blueprint: Policy, config: Any, effort: Effort) -> None:
        fits(blueprint, config)
        if blueprint.observes and getattr(blueprint, "config", None) is None:  # then it reads what this game shows
            blueprint = copy(blueprint)
            blueprint.config = config  # type: ignore[attr-defined]
        self.blueprint, self.config, self.effort = blueprint, config, effort
        by_clock = "" if effort.budget is None else f" ({effort.budget:g} ms by the clock)"
        self.name = f"search:{blueprint.name}{by_clock}"
        self.observes = blueprint.observes
        self.reproducible = effort.budget is None
        """Whether equal games are played equally; a time budget prevents this."""
        self.counts: Counter[str] = Counter()
        """Counts over all games so far."""
        self.core_seconds = 0.0
        """CPU seconds that the search took over all games so far, including the belief."""

    def counted(self) -> dict[str, Any]:
        """See `agents.playing.policy.Counting`."""
        return {**self.counts, "core_seconds": self.core_seconds}

    def cost(self, name: str) -> Iterator[str]:
        """See `agents.playing.policy.Counting`."""
        decisions = self.counts["decisions"] or 1
        time_ = f"{1000 * self.core_seconds / decisions:.1f} ms of one core"
        yield f"{name}: {decisions:,} decisions, {self.counts['rollouts'] / decisions:,.0f} roll-outs and {time_} each"


class SearchSeated(Seated):
    """Seats that search; the blueprint is seated at the same seats, or at ``blueprint_seats``."""

    def __init__(
        self, policy: Search, games: GamesInPlay, seats: Sequence[int], blueprint_seats: Sequence[int] | None = None
    ) -> None:
        self.effort, self.counts, self._search, self._games = policy.effort, policy.counts, policy, games
        self.seats = set_of(seats, len(games.tables))
        self._blueprint = sit_down(policy.blueprint, games, seats if blueprint_seats is None else blueprint_seats)
        self.values: list[dict[int, float] | None] = [None] * len(games.tables)
        """See `agents.playing.policy.Weighing`."""

    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        """See `agents.playing.policy.Seated.begin`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.begin(chosen)

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`."""
        self._blueprint.seats[:] = self.seats
        self._blueprint.act()
        began = time.thread_time()
        self.search()
        self._search.core_seconds += time.thread_time() - began

    @abstractmethod
    def search(self) -> None:
        """Replace the blueprint's actions by those of the searching seats, and write the `values`."""
