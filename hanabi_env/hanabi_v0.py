"""Hanabi for PettingZoo: one table, one agent per player.

===========  ===================================================================================================
fact         value
===========  ===================================================================================================
import       ``from hanabi_env import hanabi_v0``
agents       ``player_0`` .. ``player_{n-1}``, 2 to 5
actions      discrete; 20, 30, 38, 48 in the standard game for 2, 3, 4, 5 players
observation  ``observation`` int8 (n,), ``action_mask`` int8 (A,); n = 658, 956, 1041, 1280 in the standard game
rewards      the change of the team's score, to every agent
===========  ===================================================================================================

The rules, our rulings, and the index of every action and observation bit are in ``hanabi_env/README.md``. All three
factories take ``config=HanabiConfig(...)``, or ``preset="name"`` and any field of `hanabi_env.HanabiConfig` by name;
and ``render_mode`` (``"human"``, ``"ansi"``, ``"rgb_array"``). The default is the standard game for two players.

An illegal action ends the game with reward -1 for the offender in `env` and `parallel_env` (PettingZoo's wrapper), and
raises ``ValueError`` in `raw_env`. `raw_env` is about six times as fast as `env`: wrappers take longer than the game.

Version history:

* v0: standard Hanabi, its small configurations, and all extensions of the booklets (V1 to V6).
"""

from hanabako.envs.factories import Factories
from hanabi_env.game import make_game

__all__ = ["env", "parallel_env", "raw_env"]

FACTORIES = Factories(make_game)
raw_env, env, parallel_env = FACTORIES.raw_env, FACTORIES.env, FACTORIES.parallel_env
