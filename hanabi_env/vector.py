"""Hanabi's batched environment."""

from hanabako.envs.configured import ConfiguredVectorEnv
from hanabi_env.game import make_game

__all__ = ["HanabiVectorEnv"]


class HanabiVectorEnv(ConfiguredVectorEnv):
    """``num_envs`` games of Hanabi from the acting player's view: see `hanabako.envs.vector.CardGameVectorEnv`.

    The reward is the change of the team's score (E7). Statistics of ended games, int64 (N,): ``score`` and
    ``fireworks_score`` (the two conventions for lost games, H12), ``length`` in steps, and ``end_reason``, one of the
    numbers ``END_OUT_OF_LIVES``, ``END_COMPLETED``, ``END_OUT_OF_CARDS``, ``END_INDISPENSABLE``, ``END_STUCK`` (V5) and
    ``END_ILLEGAL`` of `hanabi_env.engine.state`.

    Args:
        num_envs: number of games.
        config: the configuration; ``preset`` and single fields by name are the alternative.
        seed, observation, num_threads, autoreset_mode, copy, specialize, render_mode: see the base class.
        device: ``"cpu"``, or ``"cuda"`` for games on the GPU.

    Raises:
        ValueError: an argument or a field of the configuration is wrong.
    """

    make_game = staticmethod(make_game)
