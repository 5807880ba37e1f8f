"""Common parts of the searches in competitive games, which decide within a round."""

import time
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.engine.game import Game
from hanabako.engine.rng import random_word
from hanabako.interrupts import check
from hanabako.packing import unpack

from ..playing.policy import Policy, rows_to_move
from .choosing import Thought
from .policy import SearchSeated
from .rollouts import Rollouts

PLAY_STREAM = np.array([1 << 30], np.uint64)
"""Which random word of a deal is the blueprint's key, (1,); those before it deal the hidden cards."""


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

    @override
    def scores(self, count: int) -> NDArray[Any] | None:
        rows = np.flatnonzero(self._waiting[:count] & self.is_over(count))
        if len(rows):
            self._scores[rows] = self.round_scores(rows)
            self._waiting[rows] = False
            self.end(rows)
        return None if self._waiting[:count].any() else self._scores[:count].copy()

    def values(self, table: NDArray[Any], deals: NDArray[Any], actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the scores (n, k) of k actions of the player to move, in the game of ``table`` (1,), over n deals.

        The deals are records with the hidden cards, and the players' random key as ``key``; n times k is at most the
        number of copies.
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


class RoundSeated(SearchSeated):
    """Seats that search each decision separately, up to the end of the round."""

    @override
    def search(self) -> None:
        games = self._games
        for i in rows_to_move(self.seats, games.tables).tolist():
            check()
            began = time.perf_counter()
            actions = np.flatnonzero(unpack(games.tables["mask"][i], games.game.num_actions))
            games.actions[i] = actions[0] if len(actions) == 1 else self.decide(i, actions, began)
            self.counts["decisions"] += len(actions) > 1

    @abstractmethod
    def decide(self, i: int, actions: NDArray[np.int64], began: float) -> int:
        """Choose one of ``actions`` (k,) for the player to move in game i, and write the values of all to `values`."""

    def decide_by_rollouts(
        self, i: int, actions: NDArray[np.int64], began: float, scores: Callable[..., NDArray[np.float64]]
    ) -> int:
        """Decide by roll-outs: ``scores(i, actions, first, n)`` are those (n, k) over n deals from the first."""
        thought = Thought(actions, int(self._games.actions[i]), self.effort, began)
        for left, n in thought.requests():
            thought.add(left, scores(i, left, thought.deals, n))
        self.values[i] = thought.values()
        self.counts["rollouts"] += thought.spent
        return thought.verdict()
