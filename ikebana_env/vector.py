"""Ikebana's batched environment."""

from typing import Any

from gymnasium.vector import AutoresetMode

from env_core.vector import CardGameVectorEnv
from ikebana_env.config import IkebanaConfig, make_config
from ikebana_env.game import IkebanaGame

__all__ = ["IkebanaVectorEnv"]


class IkebanaVectorEnv(CardGameVectorEnv):
    """``num_envs`` games of Ikebana in the acting player's view: see `env_core.vector.CardGameVectorEnv`.

    The reward is that of the player who acted; ``infos["rewards"]`` has everybody's (J4). Statistics of ended games,
    int64 (N,): ``score`` (the highest prestige), ``winners`` (one bit a player, player 0 lowest), ``length`` in steps,
    and ``end_reason``, `END_COMPLETE` or `END_ILLEGAL` of `ikebana_env.rules`.

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
        config: IkebanaConfig | None = None,
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
        game = IkebanaGame(make_config(config, preset, **fields))
        super().__init__(game, num_envs, seed, observation, num_threads, autoreset_mode, copy, special)
