"""Koi-Koi for PettingZoo: one table, two players.

===========  =====================================================================================================
fact         value
===========  =====================================================================================================
import       ``from hanafuda_env import koikoi_v0``
agents       ``player_0``, ``player_1``
actions      discrete, 54: 48 cards, Game, Koi-Koi, Hiki, keep or swap hands, joker
observation  ``observation`` int8 (n,), ``action_mask`` int8 (54,); n = 664, and 148 for every turn of ``history``
rewards      zero-sum, at the end of every round: its points, squashed (default) or raw; or the result of the game
===========  =====================================================================================================

The rules, our rulings, and the index of every action and observation bit are in ``hanafuda_env/README.md``. All three
factories take ``config=KoiKoiConfig(...)``, or ``preset="name"`` and any field of `hanafuda_env.KoiKoiConfig` by name;
and ``render_mode`` (``"human"``, ``"ansi"``, ``"rgb_array"``). The default is the document's main game.

``reset(options={"decks": [...], "dealer": 0})`` fixes the deals. Every deck is a list of the 48 cards, top first. The
first deck is for the first round, and so on; rounds without a deck are shuffled. A deal gives four cards to the other
player, four to the dealer and four to the field, and then the same again; the rest is the deck.

An illegal action ends the game with reward -1 for the offender in `env` and `parallel_env` (PettingZoo's wrapper), and
raises ``ValueError`` in `raw_env`. `raw_env` is several times as fast as `env`: the wrappers take longer than the game.

Version history:

* v0: the document's game with its options, and the options of Nintendo's leaflet and of the published records.
"""

from hanabako.envs.factories import Factories
from hanafuda_env.game import make_game

__all__ = ["env", "parallel_env", "raw_env"]

FACTORIES = Factories(make_game)
raw_env, env, parallel_env = FACTORIES.raw_env, FACTORIES.env, FACTORIES.parallel_env
