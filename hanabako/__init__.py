"""Hanabako: fast environments for multi-agent learning on flower card games, and agents that play them.

Importing it registers every game's environments with Gymnasium and PettingZoo, by names alone: no game is imported.
"""

import importlib
from typing import TYPE_CHECKING, Any

from hanabako.clone import find_agents
from hanabako.packing import unpack
from hanabako.registration import register_games

if TYPE_CHECKING:
    import agents as agents

__all__ = ["agents", "unpack"]

find_agents()
register_games()


def __getattr__(name: str) -> Any:
    if name == "agents":
        return importlib.import_module("hanabako.agents")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
