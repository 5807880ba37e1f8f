"""What every game's search is told: the checks of how long to think, and over whom."""

from typing import Any

import numpy as np

from hanabako.games import game_of
from hanabako.words.checks import shown

from ..bots.bot import Bot, BotPolicy, nothing_to_begin, nothing_to_observe
from ..bots.policy import Policy

__all__ = ["check_effort", "check_number", "check_plain_bot", "name_of_search"]


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
        ValueError: it is no number, or not above 0 (a margin: below 0).
    """
    if value is None:
        return
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    least = 0 if name == "margin" else 1 if whole else 1e-9
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value < np.inf:
        allowed = "at least 0" if name == "margin" else "an integer of at least 1" if whole else "above 0"
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}")


def check_plain_bot(blueprint: Any, config: Any) -> Bot:
    """The bot of a blueprint that can play out rounds which it has not followed from their beginning.

    Raises:
        ValueError: it is no bot, sees hidden cards, or remembers what it has seen; in words.
    """
    game, bot = game_of(config).name, getattr(blueprint, "bot", None)
    if not isinstance(blueprint, BotPolicy) or not isinstance(bot, Bot):
        refusal = f"be a bot, got {shown(getattr(blueprint, 'name', blueprint))}"
    elif bot.cheats:
        refusal = f"not look at hidden cards as {bot.name} does"
    elif bot.begin is not nothing_to_begin or bot.observe is not nothing_to_observe:
        refusal = f"not remember a game as {bot.name} does"
    else:
        return bot
    raise ValueError(f"the blueprint of a search of {game} must {refusal}")
