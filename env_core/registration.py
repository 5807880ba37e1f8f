"""How a game's package is found: its public names, and its environments in the registries. Imports no game."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import gymnasium
import pettingzoo

__all__ = ["public_names", "register", "seat_maker"]


def public_names(package: str, homes: Mapping[str, str], module: str) -> Callable[[str], Any]:
    """The ``__getattr__`` of a game's package: a public name is loaded at its first use, so that importing is cheap.

    Args:
        package: the package.
        homes: public name -> the module of the package that has it.
        module: the module with the PettingZoo environments, a public name itself.
    """

    def load(name: str) -> Any:
        if name == module:
            return import_module(f"{package}.{name}")
        if name in homes:
            return getattr(import_module(f"{package}.{homes[name]}"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return load


def register(name: str, package: str, module: str, vector_env: str) -> None:
    """Register a game with Gymnasium, and with PettingZoo where it has a registry (1.27 and later).

    Args:
        name: the id, ``namespace/Name-v0``.
        package: the game's package, with ``make_seat`` in its module ``registration``.
        module: the module of the package with ``env`` and ``parallel_env``.
        vector_env: the class in its module ``vector``.
    """
    if name not in gymnasium.registry:
        gymnasium.register(
            name,
            entry_point=f"{package}.registration:make_seat",
            vector_entry_point=f"{package}.vector:{vector_env}",
        )
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", name, entry_point=f"{package}.{module}:env")
        pettingzoo.register("parallel", name, entry_point=f"{package}.{module}:parallel_env")


def seat_maker(package: str) -> Callable[..., gymnasium.Env]:
    """What ``gymnasium.make`` calls for a package whose module ``game`` has ``make_game``."""

    def make_seat(
        config: Any = None,
        preset: str | None = None,
        seat: int = 0,
        partners: Any = None,
        render_mode: str | None = None,
        **fields: Any,
    ) -> gymnasium.Env:
        """One seat of a table: `env_core.seat.CardGameSeatEnv`; the table as in ``raw_env`` of the game's module."""
        from env_core.seat import CardGameSeatEnv

        game = import_module(f"{package}.game").make_game(config, preset, **fields)
        return CardGameSeatEnv(game, seat, partners, render_mode)

    return make_seat
