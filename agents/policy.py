"""What plays: one small protocol for networks and programs alike, and the register of players by name."""

import importlib
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hanabako.games import game_named, game_of

from .bots.bot import BotPolicy
from .bots.random_agent import RandomPolicy


class BatchedPolicy(Protocol):
    """A player of many games at once; it may sit at any seat of any of them.

    A policy keeps nothing between calls: what it does is a function of the arguments, so that a game is played the
    same way alone or among thousands.
    """

    name: str

    def act(self, observation: NDArray[Any], mask: NDArray[np.int8], noise: NDArray[np.float64]) -> NDArray[np.int64]:
        """Choose one legal action a row.

        Args:
            observation: what the player to move observes: packed bits, uint64 (rows, words), or single bits of any
                other dtype (rows, bits).
            mask: int8 (rows, actions), 1 where an action is legal; at least one a row.
            noise: float64 (rows,), uniform in [0, 1): all the chance there is in the decision.

        Returns:
            The actions, int64 (rows,).
        """
        ...


Policy = BatchedPolicy | BotPolicy
"""Whoever `agents.evaluate.play` can seat: what `load` returns."""


def players(game: str) -> dict[str, Callable[[Any], Policy]]:
    """Per name of a player, the function that seats it at a table of some config.

    The bots of a game are the `agents.bots.bot.Bot` in ``BOTS`` of the package ``agents.bots.<game>``, if there is one.
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
    """A player for a table of ``config``: one of `names`, or the file ``policy.safetensors`` of a training run.

    Raises:
        ValueError: no such player or file, or it cannot play ``config``.
    """
    bots = players(game_of(config).name)
    if str(name_or_path) in bots:
        return bots[str(name_or_path)](config)
    path = Path(name_or_path)
    if not path.is_file():
        raise ValueError(f"an agent must be one of {', '.join(bots)} or a file, got {str(name_or_path)!r}")
    from .learning.network import load_policy  # torch takes two seconds to import, and programs do not need it

    return load_policy(path, config)
