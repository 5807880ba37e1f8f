"""Imagined games: copies of real games in which one player holds other cards, and the blueprint plays all seats.

They are `agents.playing.policy.GamesInPlay`, so that whatever plays real games plays these: the compiled loops of bots
and of the game, and one forward pass of a network per step for all games. The games of a room go on in lock-step.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.engine.game import Game
from hanabako.packing import unpack
from hanabi_env.engine.belief import BeliefLoops, belief_loops, scratch
from hanabi_env.engine.state import END_OUT_OF_CARDS

from ...playing.block import Block, size_for
from ...playing.policy import BatchedPolicy, Policy, set_of, uniform

__all__ = ["Imagined", "Studio", "blocks_of_memory"]


def blocks_of_memory(memories: NDArray[Any], players: int) -> NDArray[Any]:
    """What a blueprint at all seats remembers (see `Seated.memories`) as (N, players, ...): a view of it."""
    return memories.reshape(len(memories), players, -1)


class Imagined(Block):
    """Room for up to ``size`` imagined games; `Studio.room` makes it.

    Args:
        studio: what is common to all rooms.
        size: how many games there is room for.
    """

    def __init__(self, studio: "Studio", size: int) -> None:
        super().__init__(studio.game, size, studio.blueprint.observes, studio.specialize)
        self._belief = studio.belief
        self._everybody = set_of(range(self.game.players), size)
        self._blueprint = studio.blueprint
        self._players = studio.blueprint.seat(self, range(self.game.players))
        self._players.begin()
        self.memories = self._players.memories()
        """What the blueprint remembers, (size, ...): the array itself, or None."""

    def imagine(
        self,
        table: Any,
        player: int,
        hands: NDArray[np.uint8],
        keys: NDArray[np.uint64],
        chance: Any,
        step: int,
        first: int = 0,
    ) -> slice:
        """The game of ``table`` (1,) once per row of ``hands`` (n, slots), which are ``player``'s; decks by ``keys``.

        ``chance`` and ``step`` are those of the real game; of all real games that share the room, the step is the same.
        They lie from ``first`` on, in the rows that are returned: what is there beyond has ended.
        """
        rows = slice(first, first + len(hands))
        self.lay(table, rows)
        self.tables["terminated"][rows.stop :] = True
        self.tables["state"]["end_reason"][rows.stop :] = END_OUT_OF_CARDS
        self._belief.put(self.rules_array, self.tables[rows], player, keys, hands)
        self.keys[rows] = chance
        self.step = step
        return rows

    def hold(self, rows: slice, player: int, hands: NDArray[np.uint8] | None, keys: NDArray[np.uint64]) -> None:
        """Let ``player`` take the own hand from the decks of n games: any cards, or ``hands`` (n, slots)."""
        states = self.tables["state"][rows]
        left, held = int(states["deck_count"][0]), int(states["hand_count"][0, player])
        states["hands"][:, player, :held] = states["cards"][:, left - held : left]
        states["deck_count"] = left - held
        if hands is not None:
            self._belief.put(self.rules_array, self.tables[rows], player, keys, hands)

    def begin(self, without: int) -> None:
        """The cards have just been dealt to all but ``without``."""
        self._let_in(without)
        self._players.begin()

    def choose(self, without: int) -> NDArray[np.int64]:
        """What the blueprint does in every game, at all seats but ``without``; the next call changes the array."""
        self.loops.refresh(self.rules_array, self.tables)
        if self.observation.shape[1]:
            self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)
        self._let_in(without)
        self._players.act()
        return self.actions

    def decide(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """What a blueprint that remembers nothing does in the first n games, each of which is at its step (n,)."""
        n = len(steps)
        tables, observation, mask = self.tables[:n], self.observation[:n], self.mask[:n]
        self.loops.refresh(self.rules_array, tables)
        if observation.shape[1]:
            self.loops.observe(self.rules_array, tables, -1, observation, mask)
        else:
            mask[:] = unpack(tables["mask"], self.game.num_actions)
        assert isinstance(self._blueprint, BatchedPolicy)
        return self._blueprint.act(observation, mask, uniform(self.keys[:n], steps))

    def observe(self, without: int) -> None:
        """All but ``without`` observe the step that led here."""
        self._let_in(without)
        self._players.observe()

    def play_out(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Make these first moves (n,), and let the blueprint play on to the end: the scores (n,)."""
        self._let_in(None)
        self.loops.refresh(self.rules_array, self.tables[: len(actions)])
        self.actions[: len(actions)] = actions
        while True:
            self.make_step([self._players])
            if self.tables["terminated"].all():
                return self.tables["score"][: len(actions)].copy()
            self._players.act()

    def _let_in(self, without: int | None) -> None:
        """Let the blueprint play all players but one."""
        self._players.seats[:] = self._everybody
        if without is not None:
            self._players.seats[:] &= ~(np.uint64(1) << np.uint64(without))


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
        self.forgets = isinstance(blueprint, BatchedPolicy) and blueprint.memory(1) is None
        """The blueprint remembers nothing: it can be asked of moments in any order."""
        self._rooms: dict[int, Imagined] = {}

    def room(self, count: int) -> Imagined:
        """A room for ``count`` games, of `GAMES_AT_ONCE` at most; what was imagined there is forgotten."""
        size = size_for(count)
        if size not in self._rooms:
            self._rooms[size] = Imagined(self, size)
        return self._rooms[size]
