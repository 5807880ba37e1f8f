"""Hanafuda Koi-Koi for reinforcement learning: PettingZoo, Gymnasium and compiled loops over many tables."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from hanafuda_env.registration import register_all

if TYPE_CHECKING:
    from hanafuda_env.config import PRESETS as PRESETS
    from hanafuda_env.config import KoiKoiConfig as KoiKoiConfig
    from hanafuda_env.vector import KoiKoiVectorEnv as KoiKoiVectorEnv

__all__ = ["PRESETS", "KoiKoiConfig", "KoiKoiVectorEnv", "koikoi_v0"]

_HOMES = {"PRESETS": "config", "KoiKoiConfig": "config", "KoiKoiVectorEnv": "vector"}


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used, so that importing the package is cheap."""
    if name == "koikoi_v0":
        return import_module("hanafuda_env.koikoi_v0")
    if name in _HOMES:
        return getattr(import_module(f"hanafuda_env.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register_all()
