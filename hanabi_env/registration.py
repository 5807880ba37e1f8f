"""Names under which Gymnasium and PettingZoo find Hanabi."""

from typing import Any

import gymnasium
import pettingzoo

ID = "hanabako/Hanabi-v0"


def register_all() -> None:
    """Register with Gymnasium, and with PettingZoo where it has a registry (1.27 and later). Imports no game."""
    if ID not in gymnasium.registry:
        gymnasium.register(
            ID,
            entry_point="hanabi_env.registration:make_seat",
            vector_entry_point="hanabi_env.vector:HanabiVectorEnv",
        )
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", ID, entry_point="hanabi_env.hanabi_v0:env")
        pettingzoo.register("parallel", ID, entry_point="hanabi_env.hanabi_v0:parallel_env")


def make_seat(
    config: Any = None,
    preset: str | None = None,
    seat: int = 0,
    partners: Any = None,
    render_mode: str | None = None,
    **fields: Any,
) -> gymnasium.Env:
    """One seat of a Hanabi table: `env_core.seat.CardGameSeatEnv`; the table as in `hanabi_env.hanabi_v0.raw_env`."""
    from env_core.seat import CardGameSeatEnv
    from hanabi_env.config import make_config
    from hanabi_env.game import HanabiGame

    return CardGameSeatEnv(HanabiGame(make_config(config, preset, **fields)), seat, partners, render_mode)
