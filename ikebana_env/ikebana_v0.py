"""Ikebana for PettingZoo: one table, one agent per player.

===========  ======================================================================================================
fact         value
===========  ======================================================================================================
import       ``from ikebana_env import ikebana_v0``
agents       ``player_0`` .. ``player_{n-1}``, 2 to 5
actions      discrete; 4, 5, 6, 7 for 2, 3, 4, 5 players: draw, keep, refuse, buy from the 1st, 2nd ... on the left
observation  ``observation`` int8 (n,), ``action_mask`` int8 (A,); n = 428, 588, 748, 908 for 2, 3, 4, 5 players
rewards      for the winners at the end (sum 0); or prestige, at the end or at every change
===========  ======================================================================================================

The rules, our rulings, and the index of every action and observation bit are in ``ikebana_env/README.md``. All three
factories take ``config=IkebanaConfig(...)``, or ``preset="name"`` and any field of `ikebana_env.IkebanaConfig` by
name; and ``render_mode`` (``"human"``, ``"ansi"``, ``"rgb_array"``). The default is the booklet's game for two players.

An illegal action ends the game with reward -1 for the offender in `env` and `parallel_env` (PettingZoo's wrapper), and
raises ``ValueError`` in `raw_env`. `raw_env` is several times as fast as `env`.

Version history:

* v0: the booklet's game, its variant "final bouquet", and shorter games.
"""

from typing import Any

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from hanabako.envs.aec import CardGameAEC, in_wrappers
from ikebana_env.config import IkebanaConfig
from ikebana_env.game import make_game

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(
    config: IkebanaConfig | None = None, preset: str | None = None, render_mode: str | None = None, **fields: Any
) -> CardGameAEC:
    """Return the environment without wrappers. It checks its own arguments and actions.

    Raises:
        ValueError: a keyword has a wrong name or value.
    """
    return CardGameAEC(make_game(config, preset, **fields), render_mode)


def env(**keywords: Any) -> AECEnv:
    """Return `raw_env` in PettingZoo's usual wrappers."""
    return in_wrappers(raw_env(**keywords))


def parallel_env(**keywords: Any) -> ParallelEnv:
    """Return `env` as a parallel environment: all agents step at once, and only the acting agent's action counts."""
    return turn_based_aec_to_parallel(env(**keywords))
