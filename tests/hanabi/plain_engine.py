"""The engine's own rules run as plain Python, without the compiler.

The record is a ``np.recarray``, so that its fields are attributes; the functions are the very ones Numba compiles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hanabi_env import HanabiConfig, rules
from hanabi_env.game import HanabiGame
from hanabi_env.observation import observation_bits, observation_words, observe
from hanabi_env.position import load_bonus_tiles, load_deck, load_position, to_dict


class PlainEngine:
    """A machine of `tests.reference.lockstep`."""

    name = "hanabako as plain Python"

    def __init__(self, config: HanabiConfig, deck: list[str], bonus_tiles: str = "") -> None:
        self.config = config
        self.rules = config.rules()
        self.state = np.zeros(1, HanabiGame(config).table_dtype(special=True)["state"]).view(np.recarray)[0]
        load_deck(config, self.state, deck)
        if bonus_tiles:
            load_bonus_tiles(config, self.state, list(bonus_tiles))

    @property
    def current_player(self) -> int:
        return int(self.state.current_player)

    @property
    def is_over(self) -> bool:
        return bool(rules.is_terminal(self.state))

    @property
    def score(self) -> int:
        return int(rules.score(self.rules, self.state))

    def to_dict(self) -> dict[str, Any]:
        return to_dict(self.config, self.state)

    def load(self, position: dict[str, Any]) -> None:
        """Go on from a position."""
        load_position(self.config, self.state, position)

    def legal(self) -> set[int]:
        mask = np.zeros(-(-self.rules.num_actions // 64), np.uint64)
        rules.legal_action_mask(self.rules, self.state, mask)
        return set(np.flatnonzero(bits_of(mask, self.rules.num_actions)).tolist())

    def observation(self, player: int) -> list[int]:
        words = np.zeros(observation_words(self.rules), np.uint64)
        observe(self.rules, self.state, player, words)
        return bits_of(words, observation_bits(self.rules)).tolist()

    def step(self, action: int) -> float:
        before = self.score
        with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
            rules.step(self.rules, self.state, action)
        return self.score - before


def bits_of(words: np.ndarray, count: int) -> np.ndarray:
    """The first bits of little-endian words."""
    return np.unpackbits(words.view(np.uint8), bitorder="little")[:count]
