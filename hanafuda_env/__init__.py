"""Koi-Koi with hanafuda for reinforcement learning: PettingZoo and Gymnasium environments, and compiled loops."""

from typing import TYPE_CHECKING

from hanabako.games import public_names

if TYPE_CHECKING:
    from hanafuda_env.config import PRESETS as PRESETS
    from hanafuda_env.config import KoiKoiConfig as KoiKoiConfig
    from hanafuda_env.vector import KoiKoiVectorEnv as KoiKoiVectorEnv

__all__ = ["PRESETS", "KoiKoiConfig", "KoiKoiVectorEnv", "koikoi_v0"]

__getattr__, __dir__ = public_names(
    "hanafuda_env", {"PRESETS": "config", "KoiKoiConfig": "config", "KoiKoiVectorEnv": "vector"}, "koikoi_v0"
)
