"""The rules of `hanabi_env` run as plain Python, as a machine of `tests.reference.lockstep`."""

from typing import Any

import numpy as np

from hanabi_env import HanabiConfig
from hanabi_env.engine import rules
from hanabi_env.game import HanabiGame
from tests.interpreted import Interpreted


class PlainEngine(Interpreted):
    """One game from a given deck."""

    name = "hanabako as plain Python"

    def __init__(self, config: HanabiConfig, deck: list[str], bonus_tiles: str = "") -> None:
        super().__init__(HanabiGame(config))
        self.config = config
        self.game.load_deal(self.state, {"deck": deck} | ({"bonus_tiles": list(bonus_tiles)} if bonus_tiles else {}))

    @property
    def current_player(self) -> int:
        return int(self.state.current_player)

    @property
    def score(self) -> int:
        return int(rules.score(self.rules, self.state))

    def load(self, position: dict[str, Any]) -> None:
        """Continue from a position."""
        self.game.load_position(self.state, position)

    def legal(self) -> set[int]:
        return set(np.flatnonzero(self.mask()).tolist())

    def step(self, action: int) -> float:
        return self.act(action)[0]
