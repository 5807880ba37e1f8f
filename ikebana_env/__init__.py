"""Ikebana for reinforcement learning: PettingZoo, Gymnasium and compiled loops over many tables."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ikebana_env.registration import register_all

if TYPE_CHECKING:
    from ikebana_env.config import PRESETS as PRESETS
    from ikebana_env.config import IkebanaConfig as IkebanaConfig
    from ikebana_env.vector import IkebanaVectorEnv as IkebanaVectorEnv

__all__ = ["PRESETS", "IkebanaConfig", "IkebanaVectorEnv", "ikebana_v0"]

_HOMES = {"PRESETS": "config", "IkebanaConfig": "config", "IkebanaVectorEnv": "vector"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package is cheap."""
    if name == "ikebana_v0":
        return import_module("ikebana_env.ikebana_v0")
    if name in _HOMES:
        return getattr(import_module(f"ikebana_env.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_all()
