"""Koi-Koi's batched environment."""

from hanabako.envs.vector import ConfiguredVectorEnv
from hanafuda_env.game import make_game

__all__ = ["KoiKoiVectorEnv"]


class KoiKoiVectorEnv(ConfiguredVectorEnv):
    """``num_envs`` games of Koi-Koi in the acting player's view: see `hanabako.envs.vector.CardGameVectorEnv`.

    The reward of a step is that of the player who just acted; ``infos["rewards"]`` has both. Statistics of ended
    games, int64 (N,): ``score`` and ``score_1`` (points of players 0 and 1), ``winner`` (0 or 1, or -1: a tie,
    or no player, after an illegal action, which leaves the scores as they are), ``rounds``, ``rounds_won_0``,
    ``rounds_won_1``, ``dealer_wins`` (rounds won by their dealer), ``koikoi_0``, ``koikoi_1`` (calls), ``lucky``
    (rounds decided by a lucky hand), for every yaku the number of rounds that were won with it (``goko`` ..
    ``kasu``), and ``length`` in steps.

    Args:
        num_envs: number of games.
        config: the configuration; instead of it, ``preset`` and single fields may be named.
        seed, observation, num_threads, autoreset_mode, copy, specialize, render_mode: see the base class.

    Raises:
        ValueError: an argument or a field of the configuration is wrong.
    """

    make_game = staticmethod(make_game)
