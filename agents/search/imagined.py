"""Imagined games: copies of one real game in which one player holds other cards, and the blueprint plays all seats.

They are `agents.evaluation.seating.Block`, so that whatever plays real games plays these: the compiled loops of bots
and of the game, and one forward pass of a network per step for all games. A block goes on in lock-step.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabi_env.engine.belief import BeliefLoops, belief_loops, scratch
from hanabi_env.engine.state import END_OUT_OF_CARDS

from ..bots.policy import Policy, set_of
from ..evaluation.seating import Block

__all__ = ["Imagined", "Studio", "blocks_of_memory"]

ROWS = 1024
"""Games that go on together: their records and memories stay in the processor's cache."""
SMALLEST = 64


def blocks_of_memory(memories: NDArray[Any], players: int) -> NDArray[Any]:
    """What a blueprint at all seats remembers (see `Seated.memories`) as (N, players, ...): a view of it."""
    return memories.reshape(len(memories), players, -1)


class Imagined:
    """Room for up to ``size`` imagined games of one real game; `Studio.room` makes it.

    Args:
        studio: what is common to all rooms.
        size: how many games there is room for.
    """

    def __init__(self, studio: "Studio", size: int) -> None:
        self._studio = studio
        self.block = Block(studio.game, size, studio.blueprint.observes, studio.specialize)
        self.players = studio.blueprint.seat(self.block, range(studio.game.players))
        self.players.begin()
        self.memories = self.players.memories()
        self._everybody = set_of(range(studio.game.players), size)

    def lay(
        self, table: NDArray[Any], player: int, hands: NDArray[np.uint8], keys: NDArray[np.uint64], chance: Any, step: int
    ) -> None:
        """The game of ``table`` (1,) once per row of ``hands`` (n, slots), which are ``player``'s; decks by ``keys``.

        What is there beyond n has ended. ``chance`` and ``step`` are those of the real game.
        """
        n, block = len(hands), self.block
        block.tables[:n] = table[0]
        block.tables["terminated"][n:] = True
        block.tables["state"]["end_reason"][n:] = END_OUT_OF_CARDS
        self._studio.belief.put(block.rules_array, block.tables[:n], player, keys, hands)
        block.keys = np.full(len(block.tables), chance, np.uint64)
        block.step = step

    def choose(self, without: int | None = None) -> NDArray[np.int64]:
        """What the blueprint does in every game, at every seat but ``without``: the array that the next call changes."""
        block = self.block
        block.loops.refresh(block.rules_array, block.tables)
        if block.observation.shape[1]:
            block.loops.observe(block.rules_array, block.tables, -1, block.observation, block.mask)
        self._seat(without)
        self.players.act()
        return block.actions

    def begin(self, without: int | None = None) -> None:
        """The cards have just been dealt to all but ``without``."""
        self._seat(without)
        self.players.begin()

    def observe(self, without: int | None = None) -> None:
        """All but ``without`` observe the step that led here."""
        self._seat(without)
        self.players.observe()

    def play_out(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Make these first moves (n,), and let the blueprint play on to the end: the scores (n,)."""
        block, n = self.block, len(actions)
        self._seat(None)
        block.loops.refresh(block.rules_array, block.tables[:n])
        block.actions[:n] = actions
        block.make_step([self.players])
        while not block.tables["terminated"].all():
            block.go_on([self.players])
        return block.tables["score"][:n].copy()

    def _seat(self, without: int | None) -> None:
        self.players.seats[:] = self._everybody
        if without is not None:
            self.players.seats[:] &= ~(np.uint64(1) << np.uint64(without))


class Studio:
    """Rooms for imagined games of one kind, made when they are needed, and the loops that deal in them.

    Args:
        game: what is played.
        blueprint: who plays in them.
        specialize: as of the real games: their records are of one dtype.
    """

    def __init__(self, game: Game, blueprint: Policy, specialize: bool) -> None:
        self.game, self.blueprint, self.specialize = game, blueprint, specialize
        self.belief: BeliefLoops = belief_loops(game.rules if specialize else None)
        self.scratch = scratch(game.rules.hand_size)
        self._rooms: dict[int, Imagined] = {}

    def room(self, count: int) -> Imagined:
        """A room for ``count`` games, at most `ROWS`; what was imagined there is forgotten."""
        size = max(SMALLEST, 1 << (count - 1).bit_length())
        if size not in self._rooms:
            self._rooms[size] = Imagined(self, size)
        return self._rooms[size]
