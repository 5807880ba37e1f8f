"""Hanabako: fast environments for multi-agent learning on flower card games, and agents that play them.

Importing it registers every game's environments with Gymnasium and PettingZoo by name only: no game is imported.
`game_names`, `preset_names` and `agent_names` list the games, a game's presets and a game's agents.
"""

import importlib
from typing import TYPE_CHECKING, Any

from hanabako.games import game_names, preset_names
from hanabako.packing import unpack
from hanabako.registration import register_games

if TYPE_CHECKING:
    from hanabako import agents as agents

__all__ = ["agent_names", "agents", "game_names", "preset_names", "unpack"]

register_games()


def agent_names(game: str) -> list[str]:
    """Return the names that ``agents.load`` accepts for a game, bots first; ``ValueError`` if there is none."""
    agents = importlib.import_module("hanabako.agents")
    return [*agents.names(game), *agents.pretrained(game)]


def __getattr__(name: str) -> Any:
    if name == "agents":
        return importlib.import_module("hanabako.agents")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
