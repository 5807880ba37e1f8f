"""What the benchmarks measure of each game. A game that declares itself is measured without a line here."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hanabako.engine.game import Game
from hanabako.games import GameEntry, games

__all__ = ["GAMES", "BenchmarkGame"]


@dataclass(frozen=True)
class Wishes:
    """What a game wants measured beside random play of its presets."""

    presets: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Configurations to compare, the standard one first: by name the keywords of the game's factories."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Presets that are compared with another than the first: one whose observation holds as much."""
    policies: tuple[str, ...] = ("random",)
    """Who plays the roll-outs: see `benchmarks.speed.loops.rollout_loop`."""


LONG_HISTORY = "standard, history=5"
"""Hanabi's standard game with as many last steps in the observation as bonus tiles need."""

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
"""By the game's name."""


@dataclass(frozen=True)
class BenchmarkGame:
    """A game's declaration, and what is measured of it."""

    entry: GameEntry
    wishes: Wishes = Wishes()

    @property
    def name(self) -> str:
        """The game's name on command lines."""
        return self.entry.name

    @property
    def players(self) -> tuple[int, ...]:
        """Numbers of players to measure."""
        return self.entry.players

    @cached_property
    def presets(self) -> Mapping[str, Mapping[str, Any]]:
        """Configurations to compare, the standard one first: by name the keywords of the game's factories."""
        return self.wishes.presets or {name: {"preset": name} for name in self.entry.presets}

    def make(self, players: int) -> Game:
        """The standard game for that many players."""
        return self.entry.make_game(**self._seats(players))

    def make_preset(self, name: str) -> Game:
        """The game of one of `presets`."""
        return self.entry.make_game(**self.presets[name])

    def make_aec(self, players: int, wrapped: bool) -> Any:
        """Its PettingZoo environment for that many players, with the standard wrappers or without."""
        module = self.entry.module(self.entry.environment)
        return (module.env if wrapped else module.raw_env)(**self._seats(players))

    def _seats(self, players: int) -> dict[str, Any]:
        """A game whose number of players is fixed has no such field."""
        return {"players": players} if len(self.players) > 1 else {}


GAMES = {name: BenchmarkGame(entry, WISHES.get(name, Wishes())) for name, entry in games().items()}
