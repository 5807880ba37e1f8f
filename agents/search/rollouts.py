"""Roll-outs: copies of a real game whose hidden cards are dealt again, played on by the blueprint at every seat.

The copies are `agents.playing.policy.GamesInPlay`, so that whatever plays real games plays these: the compiled loops of
bots and of the game, and one forward pass of a network per step for all of them. They go on in lock-step.
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

__all__ = ["Rollouts", "RoundRollouts", "by_size"]

R = TypeVar("R", bound="Rollouts")


class Rollouts(Block, ABC):
    """Up to ``size`` copies of real games.

    Args:
        game: what is played.
        blueprint: who plays, at every seat.
        specialize: as of the real games: their records are of one dtype.
        size: how many copies there is room for.
    """

    def __init__(self, game: Game, blueprint: Policy, specialize: bool, size: int) -> None:
        super().__init__(game, size, blueprint.observes, specialize)
        self._players = blueprint.seat(self, range(game.players))
        self._players.begin()

    def copy(self, table: NDArray[Any], rows: slice) -> None:
        """Copy the record (1,) of a real game to these rows; the games of the rows beyond are over."""
        self._octets[rows] = table.view(np.uint8)
        self.end(slice(rows.stop, None))

    @abstractmethod
    def end(self, rows: Any) -> None:
        """Let the games of these rows be over."""

    def play_out(self, actions: NDArray[np.int64]) -> NDArray[Any]:
        """Make these first moves (n,), and let the blueprint play on: the scores (n,)."""
        self.actions[: len(actions)] = actions
        while True:
            self.make_step([self._players])
            if (scores := self.scores(len(actions))) is not None:
                return scores
            self._players.act()

    @abstractmethod
    def scores(self, count: int) -> NDArray[Any] | None:
        """The scores of the first games, (count,), once all of them have come to their ends."""


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
        """Whether the root's round is over in each of the first games, (count,)."""

    @abstractmethod
    def round_scores(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        """The scores of rounds that have just ended to the player to move at the root, (rows,)."""

    def scores(self, count: int) -> NDArray[Any] | None:
        """See `Rollouts.scores`."""
        rows = np.flatnonzero(self._waiting[:count] & self.is_over(count))
        if len(rows):
            self._scores[rows] = self.round_scores(rows)
            self._waiting[rows] = False
            self.end(rows)
        return None if self._waiting[:count].any() else self._scores[:count].copy()

    def values(self, table: NDArray[Any], deals: NDArray[Any], actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """The scores of k actions of the player to move over n deals, (n, k).

        Args:
            table: (1,): the real game's record.
            deals: (n,): records with the hidden cards, and the players' random key as ``key``.
            actions: (k,): n times k is at most `size`.
        """
        repeated = np.repeat(deals, len(actions))
        rows = slice(0, len(repeated))
        self.root = table["state"][0]
        self.copy(table, rows)
        self.deal_hidden(self.tables["state"][rows], repeated)
        self.keys[rows] = repeated["key"]
        self.step = 0
        self._waiting[rows] = True
        return self.play_out(np.tile(actions, len(deals))).reshape(len(deals), len(actions))


def by_size(make: Callable[[int], R]) -> Callable[[int], R]:
    """A function that gives roll-outs for a count of games, `GAMES_AT_ONCE` at most; each size is made once.

    Every batch of a search calls it, so a search that is no longer wanted ends here.
    """
    made = cache(make)

    def rollouts(count: int) -> R:
        check()
        return made(size_for(count))

    return rollouts
