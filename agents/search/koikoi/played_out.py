"""Rounds that a network plays out from one position, many at once.

Every action meets the same deals of the unseen cards, and the network sits at both seats until the round is over. They
are records of the real game, so that the network observes what it would observe there, the score included.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanafuda_env.engine.state import PHASE_END

from ...bots.block import Block
from ...bots.policy import Policy, Seated

__all__ = ["ROWS", "PlayedOut"]

ROWS = 1024
"""Rounds that go on together at most: their records stay in the processor's cache."""
SMALLEST = 64


class PlayedOut:
    """Room for rounds of one game, made when it is needed.

    Args:
        game: what is played.
        blueprint: who plays, at both seats.
        specialize: as of the real games: their records are of one dtype.
    """

    def __init__(self, game: Game, blueprint: Policy, specialize: bool) -> None:
        self._game, self._blueprint, self._specialize = game, blueprint, specialize
        self._rooms: dict[int, tuple[Block, Seated]] = {}

    def leads(self, table: NDArray[Any], deals: NDArray[Any], actions: NDArray[np.int64]) -> NDArray[np.float64]:
        """What the actions bring.

        Args:
            table: (1,): the real game's record.
            deals: (n,): rounds with the hand and the deck that are to be imagined, and the players' chance as ``key``.
            actions: (k,): of the player to move; n times k is at most `ROWS`.

        Returns:
            (n, k): the points that the player to move wins in the round, below 0 if the other does.
        """
        count = len(deals) * len(actions)
        block, players = self._room(count)
        states, root = block.tables["state"], table["state"][0]
        player, before, drawn = int(root["current_player"]), int(root["finished"]), int(root["drawn"])
        block.lay(table, count)
        states["hand"][:count] = np.repeat(deals["hand"], len(actions), axis=0)
        states["deck"][:count, drawn:] = np.repeat(deals["deck"][:, drawn:], len(actions), axis=0)
        block.actions[:count] = np.tile(actions, len(deals))
        block.keys[:count] = np.repeat(deals["key"], len(actions))
        end(block, np.arange(len(states)) >= count)
        block.make_step([])
        while True:
            end(block, states["finished"] > before)
            if not len(block.open_games):
                break
            block.go_on([players])
        results = states["results"][:count, before]
        signs = np.where(results["winner"] == player, 1, np.where(results["winner"] == 1 - player, -1, 0))
        return (signs * results["points"]).astype(np.float64).reshape(len(deals), len(actions))

    def _room(self, count: int) -> tuple[Block, Seated]:
        size = max(SMALLEST, 1 << (count - 1).bit_length())
        if size not in self._rooms:
            block = Block(self._game, size, observes=True, specialize=self._specialize)
            self._rooms[size] = block, self._blueprint.seat(block, range(self._game.players))
        return self._rooms[size]


def end(block: Block, chosen: NDArray[np.bool_]) -> None:
    """Let these games take no further part."""
    block.tables["terminated"][chosen] = True
    block.tables["state"]["phase"][chosen] = PHASE_END
