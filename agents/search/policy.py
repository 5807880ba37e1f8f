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
from typing_extensions import override

from hanabako.games import game_of
from hanabako.words.checks import as_index, shown

from ..bots.bot import Bot, BotPolicy, is_without_memory
from ..playing.block import Block
from ..playing.fitting import fits
from ..playing.policy import BatchedPolicy, Policy, Seated, set_of
from ..playing.seating import sit_down

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
    threshold: float = 0.0
    """By how many points of the mean score an action must beat the blueprint's action, too."""


def checked_effort(usual: int, rollouts: Any, budget: Any, margin: Any, threshold: Any = None) -> Effort:
    """Return the effort asked for, after checking it; the default is ``usual`` roll-outs."""
    if rollouts is not None and budget is not None:
        raise ValueError("a search takes rollouts or budget, not both")
    if rollouts is not None:
        as_index("rollouts", rollouts, MOST_ROLLOUTS, least=1)
    for name, value, least in (("budget", budget, 1e-9), ("margin", margin, 0), ("threshold", threshold, 0)):
        is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
        if value is not None and not (is_number and least <= value < np.inf):
            raise ValueError(f"{name} must be a number of at least {least}, got {shown(value)}")
    return Effort(rollouts or usual, budget, MARGIN if margin is None else margin, threshold or 0.0)


def bot_of(blueprint: Any, config: Any, remembers: bool) -> Bot | None:
    """Return the blueprint's bot, or None for a network; raise ``ValueError`` if copies of a game cannot be played on.

    That is so if it is neither, sees hidden cards, or has a memory, unless the search copies it (``remembers``).
    """
    bot = blueprint.bot if isinstance(blueprint, BotPolicy) else None
    if bot is None and not isinstance(blueprint, BatchedPolicy):
        refusal = "be a compiled bot or a network of ours, and not a search"
    elif bot is not None and bot.cheats:
        refusal = "not look at hidden cards"
    elif remembers or (blueprint.memory(1) is None if bot is None else is_without_memory(bot)):
        return bot
    else:
        refusal = "have no memory"
    name = getattr(blueprint, "name", blueprint)
    raise ValueError(f"the blueprint of a search of {game_of(config).name} must {refusal}, got {shown(name)}")


class Search:
    """The policy: a blueprint (a bot or a network) and the effort of the search.

    The effort is ``rollouts`` (by default ``usual``), ``budget``, ``margin``, and perhaps ``threshold``, as far as set.
    Raise ``ValueError`` if one is out of range, both the first are given, or the blueprint cannot be searched over.
    """

    remembers = False
    """Whether the blueprint may have a memory, which this search copies."""

    specializes = False
    plays_apart = False

    def __init__(self, blueprint: Policy, config: Any, effort: tuple[Any, ...], usual: int) -> None:
        self.bot = bot_of(blueprint, config, self.remembers)
        """The blueprint's bot; None for a network."""
        self.effort = checked_effort(usual, *effort)
        fits(blueprint, config)
        if blueprint.observes and getattr(blueprint, "config", None) is None:  # then it reads what this game shows
            blueprint = copy(blueprint)
            blueprint.config = config  # type: ignore[attr-defined]
        self.blueprint, self.config, budget = blueprint, config, self.effort.budget
        by_clock = "" if budget is None else f" ({budget:g} ms by the clock)"
        self.name = f"search:{blueprint.name}{by_clock}"
        self.observes = blueprint.observes
        self.reproducible = budget is None
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
        self, policy: Search, games: Block, seats: Sequence[int], blueprint_seats: Sequence[int] | None = None
    ) -> None:
        self.effort, self.counts, self._search, self._games = policy.effort, policy.counts, policy, games
        self.seats = set_of(seats, len(games.tables))
        self._blueprint = sit_down(policy.blueprint, games, seats if blueprint_seats is None else blueprint_seats)
        self.values: list[dict[int, float] | None] = [None] * len(games.tables)
        """See `agents.playing.policy.Seated`."""

    @override
    def begin(self, chosen: NDArray[np.bool_] | None = None) -> None:
        self._blueprint.seats[:] = self.seats
        self._blueprint.begin(chosen)

    @override
    def act(self) -> None:
        self._blueprint.seats[:] = self.seats
        self._blueprint.act()
        began = time.thread_time()
        self.search()
        self._search.core_seconds += time.thread_time() - began

    @abstractmethod
    def search(self) -> None:
        """Replace the blueprint's actions by those of the searching seats, and write the `values`."""
