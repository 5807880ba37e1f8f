"""Ikebana's batched environment."""

from hanabako.envs.configured import ConfiguredVectorEnv
from ikebana_env.game import make_game

__all__ = ["IkebanaVectorEnv"]


class IkebanaVectorEnv(ConfiguredVectorEnv):
    """``num_envs`` games of Ikebana from the acting player's view: see `hanabako.envs.vector.CardGameVectorEnv`.

    The reward is that of the player who acted; ``infos["rewards"]`` has the rewards of all players (J4). Statistics of
    ended games, int64 (N,): ``score`` (the highest prestige), ``winners`` (one bit per player, player 0 lowest),
    ``length`` in steps, and ``end_reason``, `END_COMPLETE` or `END_ILLEGAL` of `ikebana_env.engine.state`. An illegal
    action leaves prestige unchanged, and the game has no winner: ``winners`` is 0.

    Args:
        num_envs: number of games.
        config: the configuration; ``preset`` and single fields by name are the alternative.
        seed, observation, num_threads, autoreset_mode, copy, specialize, render_mode: see the base class.

    Raises:
        ValueError: an argument or a field of the configuration is wrong.
    """

    make_game = staticmethod(make_game)
