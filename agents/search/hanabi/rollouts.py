"""Games of Hanabi played out with other hands: copies of real games, in which the blueprint plays all seats.

Beliefs use the copies too, to find what the blueprint would do and remember under each hand that a player may hold.
"""

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.engine.game import Game
from hanabako.packing import unpack
from hanabi_env.engine.belief import BeliefLoops, belief_loops, scratch
from hanabi_env.engine.state import END_OUT_OF_CARDS

from ...playing.policy import BatchedPolicy, BatchedSeated, Policy, legal_actions, set_of, uniform
from ..rollouts import Rollouts, by_size


def memories_by_player(memories: NDArray[Any], players: int) -> NDArray[Any]:
    """Return the memories of a blueprint at all seats (see `Seated.memories`) as a view (N, players, ...)."""
    return memories.reshape(len(memories), players, -1)


class HanabiRollouts(Rollouts):
    """See `agents.search.rollouts`; `Simulator.rollouts` makes it.

    Args:
        simulator: the common parts of all sizes.
        size: the maximum number of copies.
    """

    def __init__(self, simulator: "Simulator", size: int) -> None:
        super().__init__(simulator.game, simulator.blueprint, simulator.specialize, size)
        self._belief = simulator.belief
        self._blueprint = simulator.blueprint
        self._all_seats = set_of(range(self.game.players), size)
        self.memories = self._players.memories()
        """The blueprint's memories, (size, ...): the array itself, or None."""

    @override
    def end(self, rows: Any) -> None:
        self.tables["terminated"][rows] = True
        self.tables["state"]["end_reason"][rows] = END_OUT_OF_CARDS

    def scores(self, count: int) -> NDArray[Any] | None:
        """See `Rollouts.scores`; the scores of whole games."""
        return self.tables["score"][:count].copy() if self.tables["terminated"].all() else None

    def deal_hands(
        self,
        table: Any,
        player: int,
        hands: NDArray[np.uint8],
        deck_keys: NDArray[np.uint64],
        key: Any,
        step: int,
        first: int = 0,
    ) -> slice:
        """Copy the game of ``table`` (1,) once per row of ``hands`` (n, slots), which are ``player``'s.

        Args:
            table: the real game's record.
            player: the player who gets the hands.
            hands: the hands.
            deck_keys: (n,): random keys of the decks.
            key: the random key of the real game's players.
            step: the real game's step; all games that are copied here are at the same step.
            first: the first row to copy to.

        Returns:
            The rows; the games in later rows are over.
        """
        rows = slice(first, first + len(hands))
        self.copy(table, rows)
        self._belief.put(self.rules_array, self.tables[rows], player, deck_keys, hands)
        self.keys[rows] = key
        self.step = step
        return rows

    def take_hand(
        self, rows: slice, player: int, hands: NDArray[np.uint8] | None, deck_keys: NDArray[np.uint64]
    ) -> None:
        """Let ``player`` take its hand from the decks of n games: any cards, or ``hands`` (n, slots)."""
        states = self.tables["state"][rows]
        left, held = int(states["deck_count"][0]), int(states["hand_count"][0, player])
        states["hands"][:, player, :held] = states["cards"][:, left - held : left]
        states["deck_count"] = left - held
        if hands is not None:
            self._belief.put(self.rules_array, self.tables[rows], player, deck_keys, hands)

    def begin(self, without: int) -> None:
        """Begin the blueprint's memories after the deal, at all seats but ``without``."""
        self._seat_blueprint(without)
        self._players.begin()

    def choose(self, without: int) -> NDArray[np.int64]:
        """Return the blueprint's actions in every game, at all seats but ``without``; the next call overwrites them."""
        self.loops.refresh(self.rules_array, self.tables)
        if self.observation.shape[1]:
            self.loops.observe(self.rules_array, self.tables, -1, self.observation, self.mask)
        self._seat_blueprint(without)
        self._players.act()
        return self.actions

    def decide(self, steps: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the actions of a blueprint without memory in the first n games, whose steps are ``steps`` (n,)."""
        n = len(steps)
        tables, observation, mask = self.tables[:n], self.observation[:n], self.mask[:n]
        self.loops.refresh(self.rules_array, tables)
        if observation.shape[1]:
            self.loops.observe(self.rules_array, tables, -1, observation, mask)
        else:
            mask[:] = unpack(tables["mask"], self.game.num_actions)
        assert isinstance(self._blueprint, BatchedPolicy)
        assert isinstance(self._players, BatchedSeated)
        answer = self._blueprint.act(self._players.sees(np.arange(n)), mask, uniform(self.keys[:n], steps))
        return legal_actions(answer, mask, self._blueprint)

    def observe(self, without: int) -> None:
        """Let all seats but ``without`` observe the last step."""
        self._seat_blueprint(without)
        self._players.observe()

    @override
    def play_out(self, actions: NDArray[np.int64]) -> NDArray[Any]:
        self._seat_blueprint(None)
        self.loops.refresh(self.rules_array, self.tables[: len(actions)])
        return super().play_out(actions)

    def _seat_blueprint(self, without: int | None) -> None:
        """Seat the blueprint at all seats but ``without``."""
        self._players.seats[:] = self._all_seats
        if without is not None:
            self._players.seats[:] &= ~(np.uint64(1) << np.uint64(without))


class Simulator:
    """Common parts of the searches of several real games: roll-outs of each size, and the loops that deal hands.

    Args:
        game: the game.
        blueprint: the policy that plays in the copies.
        specialize: the same as for the real games, so that records have the same dtype.
    """

    def __init__(self, game: Game, blueprint: Policy, specialize: bool) -> None:
        self.game, self.blueprint, self.specialize = game, blueprint, specialize
        self.belief: BeliefLoops = belief_loops(game.rules if specialize else None)
        self.scratch = scratch(game.rules.hand_size)
        self.has_no_memory = isinstance(blueprint, BatchedPolicy) and blueprint.memory(1) is None
        """Whether the blueprint has no memory, so that it can be asked about steps in any order."""
        self.rollouts = by_size(partial(HanabiRollouts, self))
        """Returns roll-outs for a number of games, at most `GAMES_AT_ONCE`; earlier copies of that size are lost."""
