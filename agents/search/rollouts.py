"""Roll-outs: copies of a real game whose hidden cards are dealt again, played on by the blueprint at every seat.

The copies are an `agents.playing.block.Block`, so they use the same code as real games: the compiled loops of bots
and of the game, and one forward pass of a network per step for all copies, which move in lock-step.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.interrupts import check

from ..playing.block import Block, size_for
from ..playing.policy import Policy
from ..playing.seating import sit_down

R = TypeVar("R", bound="Rollouts")


class Rollouts(Block, ABC):
    """Up to ``size`` copies of real games, specialized as these are, so that records have the same dtype."""

    ended: tuple[str, int]
    """The field of a state that says that the game is over, and its value then."""

    def __init__(self, game: Game, blueprint: Policy, specialize: bool, size: int) -> None:
        super().__init__(game, size, blueprint.observes, specialize)
        self._players = sit_down(blueprint, self, range(game.players))
        self._players.begin()

    def copy(self, table: NDArray[Any], rows: slice) -> None:
        """Copy the record (1,) of a real game to these rows, and end the games in all rows after them."""
        self._octets[rows] = table.view(np.uint8)
        self.end(slice(rows.stop, None))

    def end(self, rows: Any) -> None:
        """End the games in these rows."""
        self.tables["terminated"][rows] = True
        self.tables["state"][self.ended[0]][rows] = self.ended[1]

    def play_out(self, actions: NDArray[np.int64]) -> NDArray[Any]:
        """Make these first moves (n,), let the blueprint play on, and return the scores (n,)."""
        self.actions[: len(actions)] = actions
        while True:
            self.make_step([self._players])
            if (scores := self.scores(len(actions))) is not None:
                return scores
            self._players.act()

    @abstractmethod
    def scores(self, count: int) -> NDArray[Any] | None:
        """Return the scores of the first ``count`` games, (count,), or None until all of them have ended."""


def by_size(make: Callable[[int], R]) -> Callable[[int], R]:
    """Return a function that returns roll-outs for up to `GAMES_AT_ONCE` games; an interrupted search stops there."""
    made = cache(make)

    def rollouts(count: int) -> R:
        check()
        return made(size_for(count))

    return rollouts
