"""The factories that every game's module for PettingZoo offers: ``raw_env``, ``env`` and ``parallel_env``."""

from collections.abc import Callable
from typing import Any

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, OrderEnforcingWrapper, TerminateIllegalWrapper

from hanabako.engine.game import Game
from hanabako.envs.aec import CardGameAEC

__all__ = ["Factories"]


class Factories:
    """The factories of one game, whose ``make_game`` is `hanabako.engine.game.Game.make`."""

    def __init__(self, make_game: Callable[..., Game]) -> None:
        self.make_game = make_game

    def raw_env(
        self, config: Any = None, preset: str | None = None, render_mode: str | None = None, **fields: Any
    ) -> CardGameAEC:
        """Return the environment without wrappers. It checks its own arguments and actions, with a ``ValueError``."""
        return CardGameAEC(self.make_game(config, preset, **fields), render_mode)

    def env(self, **keywords: Any) -> AECEnv:
        """Return `raw_env` in PettingZoo's usual wrappers: an illegal action costs its player 1 and ends the game."""
        raw = self.raw_env(**keywords)
        return OrderEnforcingWrapper(AssertOutOfBoundsWrapper(TerminateIllegalWrapper(raw, illegal_reward=-1)))

    def parallel_env(self, **keywords: Any) -> ParallelEnv:
        """Return `env` as a parallel environment: all agents step at once; only the acting agent's action counts."""
        return turn_based_aec_to_parallel(self.env(**keywords))
