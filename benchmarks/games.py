"""The settings that the benchmarks measure for each game. New games are measured without an entry here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hanabako.engine.game import Game
from hanabako.games import GameEntry, games

__all__ = ["GAMES", "BenchmarkGame"]


@dataclass(frozen=True)
class Wishes:
    """Special settings to measure for a game, besides random play of its presets."""

    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Configurations to compare, the standard one first: the keywords of the game's factories, by name."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Presets that are not compared with the first one, but with one whose observation has the same length of
    history."""
    policies: tuple[str, ...] = ("random",)
    """The policies of the roll-outs; see `benchmarks.speed.loops.rollout_loop`."""


LONG_HISTORY = "standard, history=5"
"""Hanabi's standard game with the history length that bonus tiles need."""

HANABI_PRESETS = (
    *("grands_feux", "avalanche_5", "avalanche_10", "black_powder", "flamboyants", "final_bouquet", "choreography"),
    *("harder", "easier", "grands_feux_all", "all_extensions", "mini", "small", "very_small"),
)

WISHES = {
    "hanabi": Wishes(
        presets={
            "standard": {"preset": "standard"},
            LONG_HISTORY: {"history": 5},
            **{name: {"preset": name} for name in HANABI_PRESETS},
        },
        beside=dict.fromkeys(("flamboyants", "grands_feux_all", "all_extensions"), LONG_HISTORY),
        policies=("random", "no misplay"),
    )
}
"""The special settings by the game's name."""


@dataclass(frozen=True)
class BenchmarkGame:
    """A game's entry, and the settings to measure."""

    entry: GameEntry
    wishes: Wishes = Wishes()

    @property
    def name(self) -> str:
        """The game's name on command lines."""
        return self.entry.name

    @property
    def players(self) -> tuple[int, ...]:
        """The numbers of players to measure."""
        return self.entry.players

    @cached_property
    def presets(self) -> Mapping[str, Mapping[str, Any]]:
        """Configurations to compare, the standard one first: the keywords of the game's factories, by name."""
        return self.wishes.presets or {name: {"preset": name} for name in self.entry.presets}

    def make(self, players: int) -> Game:
        """Return the standard game for this number of players."""
        return self.entry.make_game(**self._seats(players))

    def make_preset(self, name: str) -> Game:
        """Return the game of one of `presets`."""
        return self.entry.make_game(**self.presets[name])

    def make_aec(self, players: int, wrapped: bool) -> Any:
        """Return the PettingZoo environment for this number of players, with or without the standard wrappers."""
        module = self.entry.module(self.entry.environment)
        return (module.env if wrapped else module.raw_env)(**self._seats(players))

    def _seats(self, players: int) -> dict[str, Any]:
        """Return the keyword for the number of players, unless the game's number is fixed."""
        return {"players": players} if len(self.players) > 1 else {}


GAMES = {name: BenchmarkGame(entry, WISHES.get(name, Wishes())) for name, entry in games().items()}
