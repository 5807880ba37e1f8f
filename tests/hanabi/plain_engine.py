"""The engine's own rules run as plain Python, without the compiler: what `hanabi_env.loops` says, a line at a time.

The record is a ``np.recarray``, so that its fields are attributes; the functions are the ones Numba compiles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from env_core.game import DISABLED
from hanabi_env import HanabiConfig, loops
from hanabi_env.observation import observation_bits
from hanabi_env.position import load_deck, load_position, to_dict


class PlainEngine:
    """A machine of `tests.reference.lockstep`."""

    name = "hanabako as plain Python"

    def __init__(self, config: HanabiConfig, deck: list[str]) -> None:
        self.config = config
        self.rules = config.rules()
        self.bits = observation_bits(self.rules)
        self.tables = np.zeros(1, loops.table_dtype(self.rules)).view(np.recarray)
        self.mask = np.zeros(self.rules.num_actions, np.int8)
        self.nothing = np.zeros(0, np.int8)
        with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
            loops.seat_all(self.tables, np.uint64(0), np.uint64(0))
        load_deck(config, self.table.state, deck)
        loops.refresh(self.rules, self.table)

    @property
    def table(self) -> Any:
        """The record of the game."""
        return self.tables[0]

    @property
    def current_player(self) -> int:
        return int(self.table.current_player)

    @property
    def is_over(self) -> bool:
        return bool(self.table.terminated)

    @property
    def score(self) -> float:
        return self.to_dict()["score"]

    def to_dict(self) -> dict[str, Any]:
        return to_dict(self.config, self.table.state)

    def load(self, position: dict[str, Any]) -> None:
        """Go on from a position."""
        load_position(self.config, self.table.state, position)
        loops.refresh(self.rules, self.table)

    def legal(self) -> set[int]:
        return {action for action in range(self.rules.num_actions) if self._is_allowed(action)}

    def observation(self, player: int) -> list[int]:
        out = np.zeros(self.bits, np.int8)
        loops.look(self.rules, self.table, player, out)
        return out.tolist()

    def step(self, action: int) -> float:
        with np.errstate(over="ignore"):
            loops.step_one(self.rules, self.table, action, self.nothing, self.mask, self.nothing, DISABLED)
        rewards = set(self.table.rewards.tolist())
        assert rewards == {float(self.table.reward)}
        return rewards.pop()

    def _is_allowed(self, action: int) -> bool:
        return bool(int(self.table.mask[action // 64]) >> action % 64 & 1)
