"""Koi-Koi's batched environment."""

from hanabako.envs.configured import ConfiguredVectorEnv
from hanafuda_env.game import make_game

__all__ = ["KoiKoiVectorEnv"]


class KoiKoiVectorEnv(ConfiguredVectorEnv):
    """``num_envs`` games of Koi-Koi from the acting player's view: see `hanabako.envs.vector.CardGameVectorEnv`.

    The reward is that of the player who acted; ``infos["rewards"]`` has the rewards of both players. Statistics of
    ended games, int64 (N,): ``score`` and ``score_1`` (points of players 0 and 1), ``winner`` (0 or 1; -1 after a tie
    or an illegal action, which leaves the scores unchanged), ``rounds``, ``rounds_won_0``, ``rounds_won_1``,
    ``dealer_wins`` (rounds won by their dealer), ``koikoi_0``, ``koikoi_1`` (calls), ``lucky`` (rounds decided by a
    lucky hand), for every yaku the number of rounds won with it (``goko`` .. ``kasu``), and ``length`` in steps.

    Args:
        num_envs: number of games.
        config: the configuration; ``preset`` and single fields by name are the alternative.
        seed, observation, num_threads, autoreset_mode, copy, specialize, render_mode: see the base class.

    Raises:
        ValueError: an argument or a field of the configuration is wrong.
    """

    make_game = staticmethod(make_game)
