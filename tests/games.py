"""The games, presets and configurations that every contract test runs over; a new game adds one row here."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
import pytest

from hanabako.engine.layout import Layout
from hanabako.games import GameEntry, declarations, game_of, games


@dataclass(frozen=True)
class GameUnderTest:
    """The declaration of a game, and what its contract tests need in addition."""

    entry: GameEntry
    wider: dict[str, Any]
    """Fields that give the short game different spaces."""
    more_configs: list[dict[str, Any]] = field(default_factory=list)
    """Further configurations that run all contract tests."""

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def package(self) -> str:
        return self.entry.package

    @property
    def short(self) -> dict[str, Any]:
        return dict(self.entry.short)

    @property
    def team(self) -> bool:
        """Whether all players get the same reward."""
        return self.entry.cooperative

    @property
    def module(self) -> str:
        return f"{self.entry.package}.{self.entry.environment}"

    @property
    def gymnasium_id(self) -> str:
        (name,) = (name for name, place in declarations().items() if place.startswith(f"{self.package}."))
        return f"hanabako/{name}"

    @property
    def seat_id(self) -> str:
        """The Gymnasium id of one seat among partners."""
        return self.gymnasium_id.replace("-v0", "Seat-v0")

    @property
    def presets(self) -> dict[str, Any]:
        return self.entry.presets

    def raw_env(self, **options: Any) -> Any:
        return self.entry.module(self.entry.environment).raw_env(**options)

    def env(self, **options: Any) -> Any:
        return self.entry.make_aec(**options)

    def parallel_env(self, **options: Any) -> Any:
        return self.entry.make_parallel(**options)

    def vector(self, num_envs: int, fields: dict[str, Any] | None = None, **options: Any) -> Any:
        fields = self.short if fields is None else fields
        return self.entry.make_vector(num_envs, config=self.config(**fields), **options)

    def config(self, **keywords: Any) -> Any:
        return self.entry.make_config(**keywords)


MORE_CONFIGS: dict[str, dict[str, Any]] = {
    "hanabi": {
        "wider": {"players": 3, "random_start_player": True},
        "more_configs": [{"players": 3}, {"players": 5, "derived": True}],
    },
    "ikebana": {
        "wider": {"players": 3, "random_start_player": True},
        "more_configs": [{"players": 5, "reward": "dense"}],
    },
    "koikoi": {
        "wider": {"history": 3},
        "more_configs": [{"rounds": 2, "gaji": True, "history": 4, "reward": "result"}],
    },
}
GAMES = [GameUnderTest(entry, **MORE_CONFIGS[name]) for name, entry in games().items()]


def every_config() -> list[tuple[GameUnderTest, dict[str, Any]]]:
    """Return every game with every configuration; equal presets appear once."""
    rows = []
    for game in GAMES:
        seen: list[Any] = []
        for preset, config in game.presets.items():
            if config not in seen:
                seen.append(config)
                rows.append((game, {"preset": preset}))
        rows += [(game, fields) for fields in game.more_configs]
    return rows


def short_name(value: Any) -> str:
    """Return a game or a configuration as part of a test id."""
    if isinstance(value, GameUnderTest):
        return value.name
    return "-".join(f"{word}" if key == "preset" else f"{key}={word}" for key, word in value.items())


EVERY_GAME = pytest.mark.parametrize("under_test", GAMES, ids=short_name)


def layout_of(config: Any) -> Layout:
    return game_of(config).layout(config)


def legal_action(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def legal_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a random legal action per row; 0 for rows without one."""
    return np.array([legal_action(mask, rng) if mask.any() else 0 for mask in masks])


def with_tables(state: dict[str, Any], tables: np.ndarray) -> dict[str, Any]:
    """Return the saved state of an environment with other tables, uint8 (N, bytes per table), and their checksum."""
    return {**state, "tables": tables, "checksum": sha256(tables.tobytes()).hexdigest()}


def in_mid_game(env: Any, moves: int, rng: np.random.Generator) -> Any:
    """Return the environment after at most ``moves`` random legal moves, before the game ends."""
    for _ in range(moves):
        after = env.copy()
        after.step(legal_action(env.observe(env.agent_selection)["action_mask"], rng))
        if all(after.terminations.values()):
            return env
        env = after
    return env
