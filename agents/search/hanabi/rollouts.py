"""Games of Hanabi played out with other hands: copies of real games, in which the blueprint plays all seats.

Beliefs use the copies too, to find what the blueprint would do and remember under each hand that a player may hold.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.engine.game import Game
from hanabako.engine.rng import GOLDEN
from hanabi_env.engine.belief import BeliefLoops, belief_loops, scratch
from hanabi_env.engine.state import END_OUT_OF_CARDS

from ...playing.block import GAMES_AT_ONCE
from ...playing.policy import BatchedPolicy, Policy, Seated, set_of
from ..choosing import batches
from ..rollouts import Rollouts, by_size

T = TypeVar("T")


@dataclass(frozen=True)
class Snapshot:
    """The real game at one step."""

    table: NDArray[Any]
    """(1,): a copy of its record."""
    step: int
    """See `agents.playing.block.Block.step`."""

    @cached_property
    def state(self) -> Any:
        """The state of the game, with attributes."""
        return self.table["state"].view(np.recarray)[0]

    @cached_property
    def held(self) -> list[int]:
        """The number of cards that each player holds."""
        return self.table["state"]["hand_count"][0].tolist()

    @cached_property
    def player(self) -> int:
        """The player to move."""
        return int(self.state.current_player)


def memories_by_player(blueprint: Seated, players: int) -> NDArray[Any]:
    """Return the memories of a blueprint at all seats as a view (N, players, size); the size is 0 without memory."""
    memories = blueprint.memories()
    count = len(blueprint.seats)
    return np.zeros((count, players, 0)) if memories is None else memories.reshape(count, players, -1)


class HanabiRollouts(Rollouts):
    """See `agents.search.rollouts`; `Simulator.rollouts` makes one of each size."""

    ended = "end_reason", END_OUT_OF_CARDS

    def __init__(self, simulator: "Simulator", size: int) -> None:
        super().__init__(simulator.game, simulator.blueprint, simulator.specialize, size)
        self._belief = simulator.belief
        self._all_seats = set_of(range(self.game.players), size)
        self.memories = memories_by_player(self._players, self.game.players)

    @override
    def scores(self, count: int) -> NDArray[Any] | None:
        return self.tables["score"][:count].copy() if self.tables["terminated"].all() else None

    def deal_hands(
        self, real: Snapshot, player: int, hands: NDArray[np.uint8], decks: NDArray[np.uint64], key: Any, first: int = 0
    ) -> slice:
        """Copy the ``real`` game once per hand (n, slots) of ``player``; return the rows, from ``first`` on.

        ``decks`` (n,) are random keys of the decks, and ``key`` is that of the real game. The games in later rows are
        over.
        """
        rows = slice(first, first + len(hands))
        self.copy(real.table, rows)
        self._belief.put(self.rules_array, self.tables[rows], player, decks, hands)
        self.keys[rows] = key + np.array([real.step], np.uint64) * GOLDEN  # so that steps count from 0 in all games
        self.step = 0
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

    def choose(self, without: int | None = None) -> NDArray[np.int64]:
        """Return the blueprint's actions in every game, at all seats but ``without``; the next call overwrites them."""
        self.loops.refresh(self.rules_array, self.tables)
        self.show()
        self.blueprint(without).act()
        return self.actions

    @override
    def play_out(self, actions: NDArray[np.int64]) -> NDArray[Any]:
        self.blueprint()
        self.loops.refresh(self.rules_array, self.tables[: len(actions)])
        return super().play_out(actions)

    def blueprint(self, without: int | None = None) -> Seated:
        """Return the blueprint, at all seats but ``without``."""
        self._players.seats[:] = self._all_seats
        if without is not None:
            self._players.seats[:] &= ~(np.uint64(1) << np.uint64(without))
        return self._players


class Simulator:
    """Common parts of the searches of several real games: roll-outs of each size, and the loops that deal hands.

    The copies are specialized as the real games are, so that records have the same dtype.
    """

    def __init__(self, game: Game, blueprint: Policy, specialize: bool) -> None:
        self.game, self.blueprint, self.specialize = game, blueprint, specialize
        self.belief: BeliefLoops = belief_loops(game.rules if specialize else None)
        self.scratch = scratch(game.rules.hand_size)
        self.has_no_memory = isinstance(blueprint, BatchedPolicy) and blueprint.memory(1) is None
        """Whether the blueprint has no memory, so that it can be asked about steps in any order."""
        self.rollouts = by_size(partial(HanabiRollouts, self))
        """Returns roll-outs for a number of games, at most `GAMES_AT_ONCE`; earlier copies of that size are lost."""


# --- Questions to a blueprint without memory --------------------------------------------------------------------------
#
# It can be asked about the steps of a game in any order, and one forward pass over many rows is much faster than many
# passes over a few. So beliefs are generators, whose questions `ask_together` puts into the same passes.


class Question(NamedTuple):
    """The question what the player to move would do if another player held each of these hands."""

    deal: Callable[[HanabiRollouts, NDArray[np.uint8], int], slice]
    """A function that deals the position with given hands to copies, from a given row on, and returns their rows."""
    hands: NDArray[np.uint8]
    """(n, slots), at least one hand."""


Asking: TypeAlias = Generator[list[Question], list[NDArray[np.int64]], T]
"""A generator that yields questions and is sent the actions (n,) under each question's hands."""


def ask_together(simulator: Simulator, asking: Iterable[Asking[Any]]) -> None:
    """Run the generators in parallel, one round of questions from each at a time."""
    going: dict[Asking[Any], list[NDArray[np.int64]] | None] = dict.fromkeys(asking)
    while going:
        asked: dict[Asking[Any], list[Question]] = {}
        for one, answer in going.items():
            try:
                asked[one] = next(one) if answer is None else one.send(answer)
            except StopIteration:
                continue
        answered = iter(answers(simulator, [question for questions in asked.values() for question in questions]))
        going = {one: [next(answered) for _ in questions] for one, questions in asked.items()}


def answers(simulator: Simulator, questions: Sequence[Question]) -> list[NDArray[np.int64]]:
    """Return the actions (n,) under each of a question's hands, question by question."""
    pieces = [
        question._replace(hands=question.hands[start : start + GAMES_AT_ONCE])
        for question in questions
        for start in range(0, len(question.hands), GAMES_AT_ONCE)
    ]
    actions = [answer(simulator, batch) for batch in batches(pieces, lambda piece: len(piece.hands))]
    ends = np.cumsum([len(question.hands) for question in questions])
    return np.split(np.concatenate(actions), ends[:-1]) if actions else []


def answer(simulator: Simulator, batch: Sequence[Question]) -> NDArray[np.int64]:
    """Return the actions under all hands of the questions, at most `GAMES_AT_ONCE` hands, concatenated."""
    count, first = sum(len(question.hands) for question in batch), 0
    copies = simulator.rollouts(count)
    for question in batch:
        first = question.deal(copies, question.hands, first).stop
    return copies.choose()[:count].copy()
