"""What the checks play: every game with every preset and number of players, by random legal actions."""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numba
import numpy as np

from hanabako.engine.rng import random_below, random_word
from tests.games import GAMES, GameUnderTest
from tests.interpreted import WRAPPING


@dataclass(frozen=True)
class Entry:
    """One configuration of one game."""

    name: str
    under_test: GameUnderTest
    config: Any

    def vector(self, num_envs: int, **options: Any) -> Any:
        return self.under_test.entry.make_vector(num_envs, config=self.config, **options)


@cache
def entries(game: str) -> list[Entry]:
    """Return all configurations of a game, equal ones once, and some that observe more than the presets."""
    under_test = next(one for one in GAMES if one.name == game)
    found: dict[Any, Entry] = {}
    for preset, config in under_test.presets.items():
        for players in under_test.entry.players:
            own = config if config.players == players else replace(config, players=players)
            found.setdefault(own, Entry(f"{game} {preset} {players}p", under_test, own))
    for fields in under_test.more_configs + RICH[game]:
        words = " ".join(f"{key}={value}" for key, value in fields.items())
        own = under_test.config(**fields)
        found.setdefault(own, Entry(f"{game} {words}", under_test, own))
    return list(found.values())


RICH: dict[str, list[dict[str, Any]]] = {
    "hanabi": [
        {"preset": "all_extensions", "players": players, "derived": True, "belief": True, "history": 8}
        for players in (2, 5)
    ],
    "ikebana": [{"players": 3, "perfect_recall": True, "derived": True, "reward": "prestige"}],
    "koikoi": [{"preset": "koikoi_japan", "gaji": True, "history": 16, "reward": "points"}],
}
"""Options for observing as much as possible."""


@WRAPPING
@numba.njit
def random_actions(masks: Any, seed: int, first: int, t: int) -> Any:
    """Return the action of step ``t`` at every table, chosen as the compiled roll-out chooses it.

    Args:
        masks: int8 (N, A). Rows without a legal action get action 0.
        seed: Seed of the roll-out.
        first: Index of the first table.
        t: Number of earlier steps at the same tables.

    Returns:
        int64 (N,).
    """
    actions = np.zeros(masks.shape[0], np.int64)
    for i in range(masks.shape[0]):
        legal = np.flatnonzero(masks[i])
        if legal.size:
            actions[i] = legal[random_below(random_word(np.uint64(seed), first + i), t, legal.size)]
    return actions
