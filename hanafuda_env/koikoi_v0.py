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

Rules, rulings, actions and observations by index are in ``hanafuda_env/README.md``. Arguments of all three factories:
nothing (the document's game), ``config=KoiKoiConfig(...)``, or ``preset="name"`` and any field of
`hanafuda_env.KoiKoiConfig` by name; and ``render_mode`` (``"human"``, ``"ansi"``, ``"rgb_array"``).

``reset(options={"decks": [...], "dealer": 0})`` fixes the deals: every deck is a list of the 48 cards, top first, one
for every round from the first on; later rounds are shuffled. Four cards go to the other player, four to the dealer,
four to the field, and once more; the rest is the deck.

An illegal action ends the game with reward -1 for the offender in `env` and `parallel_env` (PettingZoo's wrapper), and
raises ``ValueError`` in `raw_env`. `raw_env` is several times faster than `env`: the wrappers cost more than the game.

Version history:

* v0: the document's game with its options, those of Nintendo's leaflet, and those of the published records.
"""

from typing import Any

from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from hanabako.envs.aec import CardGameAEC, in_wrappers
from hanafuda_env.config import KoiKoiConfig
from hanafuda_env.game import make_game

__all__ = ["env", "parallel_env", "raw_env"]


def raw_env(
    config: KoiKoiConfig | None = None, preset: str | None = None, render_mode: str | None = None, **fields: Any
) -> CardGameAEC:
    """The bare environment, with its own checks.

    Raises:
        ValueError: a keyword is wrong, by name and value.
    """
    return CardGameAEC(make_game(config, preset, **fields), render_mode)


def env(**keywords: Any) -> AECEnv:
    """`raw_env` in PettingZoo's usual wrappers."""
    return in_wrappers(raw_env(**keywords))


def parallel_env(**keywords: Any) -> ParallelEnv:
    """`env` with all agents stepping at once; only the acting agent's action counts."""
    return turn_based_aec_to_parallel(env(**keywords))
