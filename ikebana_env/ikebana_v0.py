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

from hanabako.envs.factories import Factories
from ikebana_env.game import make_game

__all__ = ["env", "parallel_env", "raw_env"]

FACTORIES = Factories(make_game)
raw_env, env, parallel_env = FACTORIES.raw_env, FACTORIES.env, FACTORIES.parallel_env
