"""Koi-Koi's batched environment."""

from typing import Any

from gymnasium.vector import AutoresetMode

from env_core.vector import CardGameVectorEnv
from hanafuda_env.config import KoiKoiConfig, make_config
from hanafuda_env.game import KoiKoiGame

__all__ = ["KoiKoiVectorEnv"]


class KoiKoiVectorEnv(CardGameVectorEnv):
    """``num_envs`` games of Koi-Koi in the acting player's view: see `env_core.vector.CardGameVectorEnv`.

    The reward of a step is that of the player who just acted; ``infos["rewards"]`` has both. Statistics of ended
    games, int64 (N,): ``score`` and ``score_1`` (points of players 0 and 1), ``winner`` (0, 1, or -1 for a tie),
    ``rounds``, ``rounds_won_0``, ``rounds_won_1``, ``dealer_wins`` (rounds won by their dealer), ``koikoi_0``,
    ``koikoi_1`` (calls), ``lucky`` (rounds decided by a lucky hand), for every yaku the number of rounds that were won
    with it (``goko`` .. ``kasu``), and ``length`` in steps.

    Args:
        num_envs: number of games.
        config: the table; instead of it, ``preset`` and single fields may be named.
        seed, observation, num_threads, autoreset_mode, copy, special: see the base class.

    Raises:
        ValueError: an argument or a field of the configuration is wrong.
    """

    def __init__(
        self,
        num_envs: int,
        config: KoiKoiConfig | None = None,
        seed: int | None = None,
        observation: str = "int8",
        num_threads: int = 1,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        *,
        preset: str | None = None,
        special: bool | None = None,
        **fields: Any,
    ) -> None:
        game = KoiKoiGame(make_config(config, preset, **fields))
        super().__init__(game, num_envs, seed, observation, num_threads, autoreset_mode, copy, special)
