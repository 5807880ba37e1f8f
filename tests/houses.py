"""The games and presets every contract test runs over; a new game joins by a row here."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


@dataclass(frozen=True)
class House:
    """One game's public names."""

    game: str
    package: str
    module: str
    config_class: str
    vector_env: str
    gymnasium_id: str
    pettingzoo_id: str
    short: dict[str, Any]
    """A table with short games, for tests that need many of them."""
    wider: dict[str, Any]
    """Fields that give that table other spaces."""
    extra_tables: list[dict[str, Any]] = field(default_factory=list)
    """Tables beside the presets that deserve the whole contract."""
    team: bool = True
    """Everybody gets the same reward."""

    @property
    def presets(self) -> dict[str, Any]:
        return importlib.import_module(self.package).PRESETS

    def raw_env(self, **options: Any) -> Any:
        return importlib.import_module(self.module).raw_env(**options)

    def env(self, **options: Any) -> Any:
        return importlib.import_module(self.module).env(**options)

    def parallel_env(self, **options: Any) -> Any:
        return importlib.import_module(self.module).parallel_env(**options)

    def vector(self, num_envs: int, table: dict[str, Any] | None = None, **options: Any) -> Any:
        """The vector environment of a table; ``table`` is what the factories take."""
        table = self.short if table is None else table
        kind = getattr(importlib.import_module(self.package), self.vector_env)
        return kind(num_envs, config=self.config(**table), **options)

    def config(self, preset: str | None = None, **fields: Any) -> Any:
        """The configuration that a factory's keywords mean."""
        kind = getattr(importlib.import_module(self.package), self.config_class)
        return replace(self.presets[preset] if preset else kind(), **fields)


HOUSES = [
    House(
        game="hanabi",
        package="hanabi_env",
        module="hanabi_env.hanabi_v0",
        config_class="HanabiConfig",
        vector_env="HanabiVectorEnv",
        gymnasium_id="hanabako/Hanabi-v0",
        pettingzoo_id="hanabako/hanabi-v0",
        short={"preset": "small"},
        wider={"players": 3, "random_start_player": True},
        extra_tables=[{"players": 3}, {"players": 5, "derived": True}],
    ),
    House(
        game="ikebana",
        package="ikebana_env",
        module="ikebana_env.ikebana_v0",
        config_class="IkebanaConfig",
        vector_env="IkebanaVectorEnv",
        gymnasium_id="hanabako/Ikebana-v0",
        pettingzoo_id="hanabako/ikebana-v0",
        short={"preset": "single_round"},
        wider={"players": 3, "random_start_player": True},
        extra_tables=[{"players": 5, "reward": "dense"}],
        team=False,
    ),
    House(
        game="koikoi",
        package="hanafuda_env",
        module="hanafuda_env.koikoi_v0",
        config_class="KoiKoiConfig",
        vector_env="KoiKoiVectorEnv",
        gymnasium_id="hanabako/KoiKoi-v0",
        pettingzoo_id="hanabako/koikoi-v0",
        short={"preset": "document", "rounds": 1},
        wider={"history": 3},
        extra_tables=[{"rounds": 2, "gaji": True, "history": 4, "reward": "result"}],
        team=False,
    ),
]


def tables() -> list[tuple[House, dict[str, Any]]]:
    """Every house with every table; presets that mean the same table are tested once."""
    rows = []
    for house in HOUSES:
        seen: list[Any] = []
        for preset, config in house.presets.items():
            if config not in seen:
                seen.append(config)
                rows.append((house, {"preset": preset}))
        rows += [(house, table) for table in house.extra_tables]
    return rows


def table_name(value: Any) -> str:
    """A house or a table as part of a test id."""
    if isinstance(value, House):
        return value.game
    return "-".join(f"{word}" if key == "preset" else f"{key}={word}" for key, word in value.items())


def legal_action(mask: np.ndarray, rng: np.random.Generator) -> int:
    """A random allowed action."""
    return int(rng.choice(np.flatnonzero(mask)))


def legal_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A random allowed action per row; 0 where none is."""
    return np.array([legal_action(mask, rng) if mask.any() else 0 for mask in masks])


def in_mid_game(env: Any, moves: int, rng: np.random.Generator) -> Any:
    """An environment after up to ``moves`` random legal moves, the last position before the end at the latest."""
    for _ in range(moves):
        after = env.copy()
        after.step(legal_action(env.observe(env.agent_selection)["action_mask"], rng))
        if all(after.terminations.values()):
            return env
        env = after
    return env
