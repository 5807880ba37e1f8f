"""Hanabi's batched environment."""

from typing import Any

from gymnasium.vector import AutoresetMode

from env_core.vector import CardGameVectorEnv
from hanabi_env.config import HanabiConfig, make_config
from hanabi_env.game import HanabiGame

__all__ = ["HanabiVectorEnv"]


class HanabiVectorEnv(CardGameVectorEnv):
    """``num_envs`` games of Hanabi in the acting player's view: see `env_core.vector.CardGameVectorEnv`.

    Rewards are the team's change of score (E7). Statistics of ended games, int64 (N,): ``score``, ``fireworks_score``
    (the two conventions for lost games, H12), ``length`` in steps, and ``end_reason``, one of the numbers
    ``END_OUT_OF_LIVES``, ``END_COMPLETED``, ``END_OUT_OF_CARDS``, ``END_ILLEGAL`` of `hanabi_env.rules`.

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
        config: HanabiConfig | None = None,
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
        game = HanabiGame(make_config(config, preset, **fields))
        super().__init__(game, num_envs, seed, observation, num_threads, autoreset_mode, copy, special)
