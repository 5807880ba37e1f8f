"""The players by name: bots, networks in files, and random play."""

import importlib
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from os.path import isfile
from pathlib import Path
from typing import Any

from hanabako.games import game_named, game_of
from hanabako.words.checks import shown

from .bots.bot import BotPolicy
from .bots.policy import Policy
from .bots.random_agent import RandomPolicy

__all__ = ["load", "names", "players"]


def players(game: str) -> dict[str, Callable[[Any], Policy]]:
    """The players of a game by name: functions from a config to the policy that plays it.

    The bots of a game are the `agents.bots.bot.Bot` in ``BOTS`` of the package ``bots.<game>``, if there is one.
    """
    package = f".bots.{game}"
    bots = importlib.import_module(package, __package__).BOTS if find_spec(package, __package__) else ()
    return {"random": RandomPolicy, **{bot.name: partial(BotPolicy, bot) for bot in bots}}


def names(game: str) -> list[str]:
    """Names of the players of ``game`` that `load` knows.

    Raises:
        ValueError: there is no such game.
    """
    return list(players(game_named(game).name))


def load(name_or_path: str | Path, config: Any) -> Policy:
    """A player of games of ``config``: one of `names`, or the file ``policy.safetensors`` of a training run.

    Raises:
        ValueError: no such player or file, or it cannot play ``config``.
    """
    bots = players(game_of(config).name)
    if str(name_or_path) in bots:
        return bots[str(name_or_path)](config)
    if not isfile(name_or_path):  # noqa: PTH113 - Path's raises if the name is too long for a file
        raise ValueError(f"an agent must be one of {', '.join(bots)} or a file, got {shown(str(name_or_path))}")
    from .networks.neural_policy import load_policy  # torch takes two seconds to import, and bots do not need it

    return load_policy(Path(name_or_path), config)
