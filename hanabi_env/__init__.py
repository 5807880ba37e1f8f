"""Hanabi for reinforcement learning: PettingZoo and Gymnasium environments, and compiled loops over many games."""

from typing import TYPE_CHECKING

from hanabako.games import public_names

if TYPE_CHECKING:
    from hanabi_env.beliefs import v0_belief as v0_belief
    from hanabi_env.config import PRESETS as PRESETS
    from hanabi_env.config import HanabiConfig as HanabiConfig
    from hanabi_env.vector import HanabiVectorEnv as HanabiVectorEnv

__all__ = ["PRESETS", "HanabiConfig", "HanabiVectorEnv", "hanabi_v0", "v0_belief"]

__getattr__, __dir__ = public_names(
    "hanabi_env",
    {"PRESETS": "config", "HanabiConfig": "config", "HanabiVectorEnv": "vector", "v0_belief": "beliefs"},
    "hanabi_v0",
)
