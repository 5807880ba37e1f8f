"""A game's compiled functions run by the Python interpreter instead of the compiler."""

from typing import Any

import numpy as np

from hanabako.engine.game import Game
from hanabako.engine.rng import game_key
from hanabako.engine.sections import words_for

WRAPPING = np.errstate(over="ignore")
"""Arithmetic modulo 2^64, for random numbers and bit sets."""


class Interpreted:
    """One table; its record is a ``np.recarray``, so that the rules can read its fields as attributes."""

    def __init__(self, game: Game) -> None:
        self.game, self.rules = game, game.rules
        self.program = game.functions
        self.table = np.zeros(1, game.table_dtype(specialize=True)).view(np.recarray)[0]
        self.state = self.table.state

    @WRAPPING
    def begin(self, seed: int, index: int, episode: int) -> None:
        self.state.game_key = game_key(np.uint64(seed), np.uint64(index))
        self.state.episode = episode
        self.program.init(self.rules, self.state)

    @WRAPPING
    def act(self, action: int) -> list[float]:
        self.table.rewards[:] = 0
        self.program.act(self.rules, self.table, action)
        return self.table.rewards.tolist()

    def to_dict(self) -> dict[str, Any]:
        return self.game.to_dict(self.state)

    @WRAPPING
    def observation(self, player: int) -> list[int]:
        words = np.zeros(words_for(self.game.observation_bits), np.uint64)
        self.program.observe(self.rules, self.state, player, words)
        return bits_of(words, self.game.observation_bits).tolist()

    @WRAPPING
    def mask(self) -> list[int]:
        words = np.zeros(words_for(self.game.num_actions), np.uint64)
        self.program.legal_action_mask(self.rules, self.state, words)
        return bits_of(words, self.game.num_actions).tolist()

    @property
    def is_over(self) -> bool:
        return bool(self.program.is_terminal(self.state))


def bits_of(packed: np.ndarray, bits: int) -> np.ndarray:
    """Unpack words of 64 bits along the last axis: bit i is bit i % 64 of word i // 64."""
    return np.unpackbits(packed.view(np.uint8).reshape(*packed.shape[:-1], -1), axis=-1, bitorder="little")[..., :bits]
