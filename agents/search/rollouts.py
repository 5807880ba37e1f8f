"""Rounds that a network plays out from one position, many at once.

Every action meets the same deals of the unseen cards, and the network sits at every seat until the round is over. They
are records of the real game, so that the network observes what it would observe there, the score included.
"""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game

from ..playing.block import Block, size_for
from ..playing.policy import Policy, Seated

__all__ = ["PlayedOut"]


class PlayedOut(ABC):
    """Room for rounds of one game, made when it is needed.

    Args:
        game: what is played.
        blueprint: who plays, at every seat.
        specialize: as of the real games: their records are of one dtype.
    """

    def __init__(self, game: Game, blueprint: Policy, specialize: bool) -> None:
        self.game = game
        self._blueprint, self._specialize = blueprint, specialize
        self._rooms: dict[int, tuple[Block, Seated]] = {}

    @abstractmethod
    def write(self, states: NDArray[Any], deals: NDArray[Any]) -> None:
        """Deal what is to be imagined to ``states`` (n), copies of the real game's."""

    @abstractmethod
    def over(self, states: NDArray[Any], root: Any) -> NDArray[np.bool_]:
        """Whether the round of ``root``, the real game's record, is over in ``states`` (n)."""

    @abstractmethod
    def worth(self, states: NDArray[Any], root: Any) -> NDArray[np.float64]:
        """What the round, now over, has brought to the player to move in ``root``: (n,)."""

    @abstractmethod
    def close(self, states: NDArray[Any], rows: NDArray[Any]) -> None:
        """Let the games of these rows be over, whatever follows the round."""

    def worths(self, table: NDArray[Any], deals: NDArray[Any], actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the actions bring.

        Args:
            table: (1,): the real game's record.
            deals: (n,): records of what is to be imagined, with the players' chance as ``key``.
            actions: (k,): of the player to move; n times k is at most `agents.playing.block.GAMES_AT_ONCE`.

        Returns:
            (n, k): see `worth`.
        """
        count = len(deals) * len(actions)
        block, players = self._room(count)
        states, root = block.tables["state"], table["state"][0]
        repeated = np.repeat(deals, len(actions))
        block.lay(table, slice(count))
        self.write(states[:count], repeated)
        block.keys[:count] = repeated["key"]
        block.actions[:count] = np.tile(actions, len(deals))
        self._close(block, np.arange(count, len(states)))
        found, waiting = np.zeros(count), np.ones(count, np.bool_)
        block.make_step([players])
        while True:
            rows = np.flatnonzero(waiting & self.over(states[:count], root))
            if len(rows):
                found[rows] = self.worth(states[rows], root)
                self._close(block, rows)
                waiting[rows] = False
            if not waiting.any():
                return found.reshape(len(deals), len(actions))
            block.go_on([players])

    def _close(self, block: Block, rows: NDArray[np.int64]) -> None:
        block.tables["terminated"][rows] = True
        self.close(block.tables["state"], rows)

    def _room(self, count: int) -> tuple[Block, Seated]:
        size = size_for(count)
        if size not in self._rooms:
            block = Block(self.game, size, observes=True, specialize=self._specialize)
            self._rooms[size] = block, self._blueprint.seat(block, range(self.game.players))
        return self._rooms[size]
