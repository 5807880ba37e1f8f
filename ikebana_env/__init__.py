"""Ikebana for reinforcement learning: PettingZoo and Gymnasium environments, and compiled loops over many games."""

from typing import TYPE_CHECKING

from hanabako.games import public_names

if TYPE_CHECKING:
    from ikebana_env.config import PRESETS as PRESETS
    from ikebana_env.config import IkebanaConfig as IkebanaConfig
    from ikebana_env.vector import IkebanaVectorEnv as IkebanaVectorEnv

__all__ = ["PRESETS", "IkebanaConfig", "IkebanaVectorEnv", "ikebana_v0"]

__getattr__, __dir__ = public_names(
    "ikebana_env", {"PRESETS": "config", "IkebanaConfig": "config", "IkebanaVectorEnv": "vector"}, "ikebana_v0"
)
