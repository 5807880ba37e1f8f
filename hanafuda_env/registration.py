"""Names under which Gymnasium and PettingZoo find Koi-Koi."""

from typing import Any

import gymnasium
import pettingzoo

ID = "hanabako/KoiKoi-v0"


def register_all() -> None:
    """Register with Gymnasium, and with PettingZoo where it has a registry (1.27 and later). Imports no game."""
    if ID not in gymnasium.registry:
        gymnasium.register(
            ID,
            entry_point="hanafuda_env.registration:make_seat",
            vector_entry_point="hanafuda_env.vector:KoiKoiVectorEnv",
        )
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", ID, entry_point="hanafuda_env.koikoi_v0:env")
        pettingzoo.register("parallel", ID, entry_point="hanafuda_env.koikoi_v0:parallel_env")


def make_seat(
    config: Any = None,
    preset: str | None = None,
    seat: int = 0,
    partners: Any = None,
    render_mode: str | None = None,
    **fields: Any,
) -> gymnasium.Env:
    """One seat of a table: `env_core.seat.CardGameSeatEnv`; the table as in `hanafuda_env.koikoi_v0.raw_env`."""
    from env_core.seat import CardGameSeatEnv
    from hanafuda_env.config import make_config
    from hanafuda_env.game import KoiKoiGame

    return CardGameSeatEnv(KoiKoiGame(make_config(config, preset, **fields)), seat, partners, render_mode)
