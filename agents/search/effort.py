"""What every game's search is told: how long to think, and over whom."""

from collections import Counter
from typing import Any

import numpy as np

from hanabako.games import game_of
from hanabako.words.checks import shown

from ..bots.bot import Bot, BotPolicy, nothing_to_begin, nothing_to_observe
from ..playing.policy import BatchedPolicy, Policy
from .choosing import MARGIN, Effort

__all__ = ["RoundSearch", "check_effort", "check_number", "name_of_search", "plain_bot"]

MOST_ROLLOUTS = 10**9
"""More would take weeks a decision."""


def check_effort(rollouts: Any, budget: Any) -> None:
    """Refuse what is no effort.

    Raises:
        ValueError: both are given, or one is out of range.
    """
    if rollouts is not None and budget is not None:
        raise ValueError("a search takes rollouts or budget, not both")
    check_number("rollouts", rollouts, whole=True)
    check_number("budget", budget, whole=False)


def name_of_search(blueprint: Policy, budget: float | None) -> str:
    """Of a search over a blueprint; one by the clock says so."""
    return f"search:{blueprint.name}" + ("" if budget is None else f" ({budget:g} ms by the clock)")


def check_number(name: str, value: Any, whole: bool) -> None:
    """Refuse what is no such number.

    Raises:
        ValueError: it is no number, or not above 0 (a margin: below 0), or more roll-outs than anybody waits for.
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


def plain_bot(blueprint: Any, config: Any) -> Bot | None:
    """The bot of a blueprint that can play out rounds which it has not followed from their beginning; None: a network.

    Raises:
        ValueError: it is neither, sees hidden cards, or remembers what it has seen; in words.
    """
    game, bot = game_of(config).name, getattr(blueprint, "bot", None)
    if isinstance(blueprint, BatchedPolicy):
        if blueprint.memory(1) is None:
            return None
        refusal = f"not remember a game as {blueprint.name} does"
    elif not isinstance(blueprint, BotPolicy) or not isinstance(bot, Bot):
        refusal = f"be a bot or a network, and no search, got {shown(getattr(blueprint, 'name', blueprint))}"
    elif bot.cheats:
        refusal = f"not look at hidden cards as {bot.name} does"
    elif bot.begin is not nothing_to_begin or bot.observe is not nothing_to_observe:
        refusal = f"not remember a game as {bot.name} does"
    else:
        return bot
    raise ValueError(f"the blueprint of a search of {game} must {refusal}")


class RoundSearch:
    """What searches have in common that play rounds out: over whom they search, and how long.

    Args:
        blueprint: see `plain_bot`.
        config: of the games.
        rollouts: roll-outs a decision,
        budget: or milliseconds.
        margin: by how many standard errors an action must beat the blueprint's own.
        usual: the roll-outs over a bot, and over a network, if none are given.

    Raises:
        ValueError: a number is out of range, both efforts are given, or this cannot be searched, in words.
    """

    specializes = False
    plays_apart = False

    def __init__(
        self,
        blueprint: Policy,
        config: Any,
        rollouts: int | None,
        budget: float | None,
        margin: float | None,
        usual: tuple[int, int],
    ) -> None:
        check_effort(rollouts, budget)
        check_number("margin", margin, whole=False)
        self.blueprint, self.config = blueprint, config
        self.bot = plain_bot(blueprint, config)
        """The bot that it is; None for a network."""
        self.observes = self.bot is None
        self.effort = Effort(rollouts or usual[self.observes], budget, MARGIN if margin is None else margin)
        self.reproducible = budget is None
        self.name = name_of_search(blueprint, budget)
        self.counts: Counter[str] = Counter()
        """Over all games so far."""
