"""Names under which Gymnasium and PettingZoo find Ikebana."""

from typing import Any

import gymnasium
import pettingzoo

ID = "hanabako/Ikebana-v0"


def register_all() -> None:
    """Register with Gymnasium, and with PettingZoo where it has a registry (1.27 and later). Imports no game."""
    if ID not in gymnasium.registry:
        gymnasium.register(
            ID,
            entry_point="ikebana_env.registration:make_seat",
            vector_entry_point="ikebana_env.vector:IkebanaVectorEnv",
        )
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", ID, entry_point="ikebana_env.ikebana_v0:env")
        pettingzoo.register("parallel", ID, entry_point="ikebana_env.ikebana_v0:parallel_env")


def make_seat(
    config: Any = None,
    preset: str | None = None,
    seat: int = 0,
    partners: Any = None,
    render_mode: str | None = None,
    **fields: Any,
) -> gymnasium.Env:
    """One seat of a table: `env_core.seat.CardGameSeatEnv`; the table as in `ikebana_env.ikebana_v0.raw_env`."""
    from env_core.seat import CardGameSeatEnv
    from ikebana_env.config import make_config
    from ikebana_env.game import IkebanaGame

    return CardGameSeatEnv(IkebanaGame(make_config(config, preset, **fields)), seat, partners, render_mode)
