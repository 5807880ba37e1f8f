"""Roll-outs: copies of a real game whose hidden cards are dealt again, played on by the blueprint at every seat.

The copies are `agents.playing.policy.GamesInPlay`, so they use the same code as real games: the compiled loops of bots
and of the game, and one forward pass of a network per step for all copies, which move in lock-step.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.engine.rng import random_word
from hanabako.interrupts import check

from ..playing.block import Block, size_for
from ..playing.policy import Policy
from ..playing.seating import sit_down

__all__ = ["Rollouts", "RoundRollouts", "by_size"]

R = TypeVar("R", bound="Rollouts")

PLAY_STREAM = np.array([1 << 30], np.uint64)
"""Which random word of a deal is the blueprint's key, (1,); those before it deal the hidden cards."""


class Rollouts(Block, ABC):
    """Up to ``size`` copies of real games.

    Args:
        game: the game.
        blueprint: the policy at every seat.
        specialize: the same as for the real games, so that records have the same dtype.
        size: the maximum number of copies.
    """

    def __init__(self, game: Game, blueprint: Policy, specialize: bool, size: int) -> None:
        super().__init__(game, size, blueprint.observes, specialize)
        self._players = sit_down(blueprint, self, range(game.players))
        self._players.begin()

    def copy(self, table: NDArray[Any], rows: slice) -> None:
        """Copy the record (1,) of a real game to these rows, and end the games in all rows after them."""
        self._octets[rows] = table.view(np.uint8)
        self.end(slice(rows.stop, None))

    @abstractmethod
    def end(self, rows: Any) -> None:
        """End the games in these rows."""

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


class RoundRollouts(Rollouts):
    """Copies of one real game that are played to the end of its round."""

    def __init__(self, game: Game, blueprint: Policy, specialize: bool, size: int) -> None:
        super().__init__(game, blueprint, specialize, size)
        self.root: Any = None
        """The state of the real game."""
        self._scores, self._waiting = np.zeros(size), np.zeros(size, np.bool_)

    @abstractmethod
    def deal_hidden(self, states: NDArray[Any], deals: NDArray[Any]) -> None:
        """Deal the hidden cards of ``deals`` (n,) to ``states`` (n,), copies of the real game's."""

    @abstractmethod
    def is_over(self, count: int) -> NDArray[np.bool_]:
        """Whether the root's round is over in each of the first ``count`` games, (count,) bool."""

    @abstractmethod
    def round_scores(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """Return the scores (rows,) of rounds that have just ended, for the player to move at the root."""

    def scores(self, count: int) -> NDArray[Any] | None:
        """See `Rollouts.scores`."""
        rows = np.flatnonzero(self._waiting[:count] & self.is_over(count))
        if len(rows):
            self._scores[rows] = self.round_scores(rows)
            self._waiting[rows] = False
            self.end(rows)
        return None if self._waiting[:count].any() else self._scores[:count].copy()

    def values(self, table: NDArray[Any], deals: NDArray[Any], actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the scores (n, k) of k actions of the player to move over n deals.

        Args:
            table: (1,): the real game's record.
            deals: (n,): records with the hidden cards, and the players' random key as ``key``.
            actions: (k,): the actions; n times k is at most `size`.
        """
        repeated = np.repeat(deals, len(actions))
        rows = slice(0, len(repeated))
        self.root = table["state"][0]
        self.copy(table, rows)
        self.deal_hidden(self.tables["state"][rows], repeated)
        self.keys[rows] = random_word(repeated["key"], PLAY_STREAM)
        self.step = 0
        self._waiting[rows] = True
        return self.play_out(np.tile(actions, len(deals))).reshape(len(deals), len(actions))


def by_size(make: Callable[[int], R]) -> Callable[[int], R]:
    """Return a function that returns roll-outs for a number of games, at most `GAMES_AT_ONCE`; each size is made once.

    Every batch of a search calls it, so this is also where an interrupted search stops.
    """
    made = cache(make)

    def rollouts(count: int) -> R:
        check()
        return made(size_for(count))

    return rollouts
