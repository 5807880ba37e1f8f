"""Hanabi for reinforcement learning: PettingZoo, Gymnasium and compiled loops over many tables."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hanabi_env.registration import register_all

if TYPE_CHECKING:
    from hanabi_env.config import PRESETS as PRESETS
    from hanabi_env.config import HanabiConfig as HanabiConfig
    from hanabi_env.vector import HanabiVectorEnv as HanabiVectorEnv

__all__ = ["PRESETS", "HanabiConfig", "HanabiVectorEnv", "hanabi_v0"]

_HOMES = {"PRESETS": "config", "HanabiConfig": "config", "HanabiVectorEnv": "vector"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package is cheap."""
    if name == "hanabi_v0":
        return import_module("hanabi_env.hanabi_v0")
    if name in _HOMES:
        return getattr(import_module(f"hanabi_env.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_all()
