"""The belief of a seat: hands that it may hold, with what its partners would remember under each.

The set is kept from one decision to the next. For every step since then

* if a partner acted: the blueprint is asked what it would have done, had the seat held that hand; a hand under which it
  would have acted otherwise goes;
* if the seat itself played or discarded: a hand with another card there goes, and what is left splits over the cards
  that the seat may have drawn;
* a hand goes that the step's hint excludes, or that needs a copy which another player has drawn;
* under every hand left, the partners observe the step, each with what it would remember.

A hand's weight is the number of ways in which the unseen cards make it up (copies can be told apart), so that a set
which was never thinned is the *exact* belief: all hands that fit what was seen and what the partners did, and how
likely each is. The seat's actions do not thin it: partners take them for the blueprint's, the seat knows better.

As long as there are at most `Belief.limit` hands the set is exact (`Belief.exact`). If there are more, it is a sample:
drawn from the belief of `hanabi_env.engine.belief` (level 0, all that the rules alone tell), each hand replayed from
the first step, and dropped at the first action of a partner that does not fit. When a draw splits a set into more than
the limit, that many are drawn by their weights (systematic resampling). A sample that has become small is joined by
freshly drawn hands. At every decision the level-0 belief is counted; once it fits the limit, all of it is replayed, and
the set is exact again. A sample may miss the true hand; an exact set cannot, if the partners play the blueprint.

The players' random key is common knowledge: a blueprint that acts at random draws from the stream of the game that
all players share, which tells nothing of the cards.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hanabi_env.engine.private_view import last_event
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY
from hanabi_env.words.positions import action_of

from ...playing.block import GAMES_AT_ONCE
from ..choosing import systematic
from .asking import Asking, Question, ask_together
from .hands import EarlierHands, fit, in_order, kinds_of, unseen, ways_among
from .rollouts import HanabiRollouts, Simulator

__all__ = ["Belief", "Snapshot"]

FEW = 8
"""A sample of fewer than a ``FEW``-th of the limit is joined by fresh hands."""
BATCHES = 4
"""How many times, at most, as many fresh hands as the limit are drawn: few of them may fit what partners did."""
ROWS_A_ROUND = 64
"""Positions of which a blueprint without memory is asked before hands that do not fit are left out."""


@dataclass(frozen=True)
class Snapshot:
    """The real game at one step."""

    table: NDArray[Any]
    """(1,): a copy of its record."""
    step: int
    """See `agents.playing.policy.GamesInPlay.step`."""

    @cached_property
    def state(self) -> Any:
        """The state of the game, with attributes."""
        return self.table["state"].view(np.recarray)[0]

    @cached_property
    def held(self) -> list[int]:
        """How many cards every player holds."""
        return self.table["state"]["hand_count"][0].tolist()

    @cached_property
    def player(self) -> int:
        """The player to move."""
        return int(self.state.current_player)


class Act(NamedTuple):
    """What was done at one step."""

    action: int
    slot: int | None
    """The slot from which a card was played or discarded; None of a hint."""
    card: int
    """That card."""


@dataclass
class Belief:
    """One seat's belief in one real game.

    Args:
        simulator: deals the hands to copies of the game.
        player: whose hand it is.
        limit: the most hands that are kept.
        key: the random key of the game's players.
    """

    simulator: Simulator
    player: int
    limit: int
    key: Any
    exact: bool = False
    """The set is the whole belief, and its weights are exact."""
    history: list[Snapshot] = field(default_factory=list)
    """The game at every step so far."""

    def __post_init__(self) -> None:
        self.at = -1
        """The step that the set is of; -1: of none."""
        self._acts: list[Act] = []
        self._forget()

    def _forget(self) -> None:
        self.hands = np.zeros((0, 0), np.uint8)
        """(n, slots): all different."""
        self.weights = np.zeros(0)
        """(n,): above 0."""
        self.memories: NDArray[Any] | None = None
        """(n, ...): what the blueprint at every seat remembers if this is the hand; this seat's part is empty."""
        self.exact = False

    def note(self, snapshot: Snapshot) -> None:
        """The game has come to its next step."""
        self.history.append(snapshot)

    def catch_up(self, rng: np.random.Generator) -> None:
        """Bring the set to the last step of `history`, alone; see `following`."""
        ask_together(self.simulator, [self.following(rng)])

    def following(self, rng: np.random.Generator) -> Asking[None]:
        """Bring the set to the last step of `history`. It may become empty: then nothing that was drawn fits."""
        while self.at >= 0 and self.at < len(self.history) - 1 and len(self.hands):
            yield from self._advance(rng)
        self.at = len(self.history) - 1
        if self.exact and len(self.hands):
            return
        if (every := self._level_0()) is not None:
            hands, weights = every
            alive, memories = yield from self._replay(hands)
            self.hands, self.weights, self.memories, self.exact = hands[alive], weights[alive], memories, True
        elif not self.exact:
            yield from self._sample(rng)

    def _sample(self, rng: np.random.Generator) -> Asking[None]:
        """Join fresh hands to a set that is not exact and has become small."""
        for _ in range(BATCHES):
            if len(self.hands) * FEW < self.limit:
                yield from self._join(rng)

    # --- One step -----------------------------------------------------------------------------------------------------

    def _advance(self, rng: np.random.Generator) -> Asking[None]:
        """Follow one step of the real game."""
        before, after = self.history[self.at], self.history[self.at + 1]
        rows, hands = self._split(after)
        weights = self.weights[rows] * ways_among(hands, unseen(after.state, self.player))
        weights /= ways_among(self.hands, unseen(before.state, self.player))[rows]
        fits = np.flatnonzero((weights > 0) & fit(hands, after.state, self.player))
        rows, hands, weights = rows[fits], hands[fits], weights[fits]
        if len(rows) and before.player != self.player:
            acted, memories = yield from self._acts_as_seen(self.at, self.hands, self.memories)
            kept = acted[rows]
            rows, hands, weights = rows[kept], hands[kept], weights[kept]
        else:
            memories = self.memories
        if len(rows) > self.limit:
            chosen, times = np.unique(systematic(weights, self.limit, rng), return_counts=True)
            rows, hands, weights, self.exact = rows[chosen], hands[chosen], times.astype(np.float64), False
        memories = None if memories is None else memories[rows]
        self.memories = self._observe(self.at + 1, hands, memories)
        self.hands, self.weights = hands, weights
        self.at += 1

    def _split(self, after: Snapshot) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Every hand after the step, and the row of the hand that it was."""
        hands, rows = self.hands, np.arange(len(self.hands))
        slot, card = self._lost(self.at)
        if slot is not None:
            rows = np.flatnonzero(hands[:, slot] == card)
            hands = np.delete(hands[rows], slot, axis=1)
        if after.held[self.player] > hands.shape[1]:
            kinds = np.flatnonzero(unseen(after.state, self.player)).astype(np.uint8)
            hands = np.column_stack([np.repeat(hands, len(kinds), axis=0), np.tile(kinds, len(hands))])
            rows = np.repeat(rows, len(kinds))
        return rows, hands

    def _acts_as_seen(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> Asking[tuple[NDArray[np.bool_], NDArray[Any] | None]]:
        """Whether the blueprint does what was done at a step, under each hand (n,); what all then remember."""
        if self.simulator.has_no_memory:
            (actions,) = yield [self._question(at, hands)]
        else:
            actions, _, memories = self.choices(at, hands, memories)
        return self._is_as_seen(at, hands, actions), memories

    def _is_as_seen(self, at: int, hands: NDArray[np.uint8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether these actions of the blueprint (n,) are what was done at a step, under each hand (n,)."""
        return actions == self._act(at).action

    def _question(self, at: int, hands: NDArray[np.uint8]) -> Question:
        return Question(partial(self._deal, self.history[at]), self.history[at].step, hands)

    def _act(self, at: int) -> Act:
        """What was done at a step."""
        rules = self.simulator.game.rules
        for k in range(len(self._acts), at + 1):
            event = last_event(rules, self.history[k + 1].state)
            slot = int(event.slot) if event.kind in (EVENT_PLAY, EVENT_DISCARD) else None
            self._acts.append(Act(action_of(rules, event), slot, int(event.card)))
        return self._acts[at]

    def _lost(self, at: int) -> tuple[int | None, int]:
        """The slot from which the player played or discarded at a step, or None, and the card."""
        act = self._act(at)
        return (act.slot, act.card) if self.history[at].player == self.player else (None, 0)

    def choices(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[Any] | None]:
        """The blueprint's actions at a step under each hand (n,), the masks of legal ones; what all then remember."""
        actions, parts = np.zeros(len(hands), np.int64), []
        masks = np.zeros((len(hands), *self.history[at].table["mask"].shape[1:]), np.uint64)
        for chunk, count, copies in self._copies(at, hands, memories):
            actions[chunk] = copies.choose(without=self.player)[:count]
            masks[chunk] = copies.tables["mask"][:count]
            parts.append(self._remembered(copies, count))
        return actions, masks, joined(parts)

    def _observe(self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None) -> NDArray[Any] | None:
        """What all remember (n, ...) when step ``at`` begins; at the first one, when cards are dealt."""
        if self.simulator.has_no_memory:
            return None
        parts = []
        for _, count, copies in self._copies(at, hands, memories):
            (copies.observe if at else copies.begin)(without=self.player)
            parts.append(self._remembered(copies, count))
        return joined(parts)

    def _copies(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> Iterator[tuple[slice, int, HanabiRollouts]]:
        """Copies of the game at a step with some hands after the other: which of ``hands``, how many, the copies."""
        for start in range(0, len(hands), GAMES_AT_ONCE):
            chunk = slice(start, min(start + GAMES_AT_ONCE, len(hands)))
            count = chunk.stop - start
            copies = self.simulator.rollouts(count)
            self._deal(self.history[at], copies, hands[chunk], 0)
            if copies.memories is not None and memories is not None:
                copies.memories[:count] = memories[chunk]
            yield chunk, count, copies

    def _deal(self, snapshot: Snapshot, copies: HanabiRollouts, hands: NDArray[np.uint8], first: int) -> slice:
        """Deal hands (n, slots) to copies of the game in the rows from ``first`` on, which are returned."""
        keys = np.zeros(len(hands), np.uint64)
        return copies.deal_hands(snapshot.table, self.player, hands, keys, self.key, snapshot.step, first)

    def _remembered(self, copies: HanabiRollouts, count: int) -> NDArray[Any] | None:
        return None if copies.memories is None else copies.memories[:count].copy()

    # --- From the start -----------------------------------------------------------------------------------------------

    def _replay(self, hands: NDArray[np.uint8]) -> Asking[tuple[NDArray[np.int64], NDArray[Any] | None]]:
        """The rows of these present hands (n, slots) that fit all that partners did; what all then remember.

        Hands that were the same then (see `agents.search.hanabi.hands`) are followed once.
        """
        counts = [snapshot.held[self.player] for snapshot in self.history[: self.at]]
        earlier = EarlierHands(hands.shape[1], [self._lost(at) for at in range(self.at)], counts)
        rows, memories = in_order(hands), None
        if self.simulator.has_no_memory:
            return np.sort((yield from self._in_any_order(earlier, hands, rows))), None
        for held, steps in earlier.eras():
            firsts, kinds = kinds_of(hands[rows], held)
            memories = None if memories is None else memories[firsts]
            left, memories = self._follow(steps, earlier, hands[rows[firsts]], memories)
            stay = np.isin(kinds, left)
            rows, memories = rows[stay], None if memories is None else memories[np.searchsorted(left, kinds[stay])]
        order = np.argsort(rows)
        return rows[order], None if memories is None else memories[order]

    def _follow(
        self, steps: list[int], earlier: EarlierHands, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
        """The rows of these present hands that fit what partners did at a run of steps; what all then remember."""
        rows = np.arange(len(hands))
        for at in steps:
            if not len(rows):
                break
            then = earlier.at(at, hands[rows])
            memories = self._observe(at, then, memories)
            if at < self.at and self.history[at].player != self.player:
                actions, _, memories = self.choices(at, then, memories)
                alike = self._is_as_seen(at, then, actions)
                rows, memories = rows[alike], None if memories is None else memories[alike]
        return rows, memories

    def _in_any_order(
        self, earlier: EarlierHands, hands: NDArray[np.uint8], rows: NDArray[np.int64]
    ) -> Asking[NDArray[np.int64]]:
        """Those of ``rows`` that are left, if the blueprint has no memory: it is asked of several steps at a time.

        The last steps come first, which tell the most of the present cards: for five players 550 positions a decision,
        700 if the first ones do.
        """
        waiting = deque(at for at in reversed(range(self.at)) if self.history[at].player != self.player)
        while waiting and len(rows):
            asked, kinds, size = [], {}, 0  # kinds: by how many of the present cards were held
            while waiting and size < ROWS_A_ROUND:
                at = waiting.popleft()
                held = earlier.held[at]
                if held not in kinds:
                    kinds[held] = kinds_of(hands[rows], held)
                firsts, kind = kinds[held]
                asked.append((at, earlier.at(at, hands[rows[firsts]]), kind))
                size += len(firsts)
            answers = yield [self._question(at, then) for at, then, _ in asked]
            fits = np.ones(len(rows), np.bool_)
            for (at, then, kind), actions in zip(asked, answers, strict=True):
                fits &= self._is_as_seen(at, then, actions)[kind]
            rows = rows[fits]
        return rows

    def _level_0(self) -> tuple[NDArray[np.uint8], NDArray[np.float64]] | None:
        """All hands that the rules alone allow now and in how many ways, if they are no more than the limit."""
        simulator, table = self.simulator, self.history[-1].table
        slots = self.history[-1].held[self.player]
        hands, ways = np.zeros((self.limit, slots), np.uint8), np.zeros(self.limit)
        listed = simulator.belief.list(
            simulator.game.rules_array, table, 0, self.player, simulator.scratch, hands, ways
        )
        return None if listed > self.limit else (hands[:listed], ways[:listed])

    def _join(self, rng: np.random.Generator) -> Asking[None]:
        """Draw `limit` fresh hands of the level-0 belief, and add those that fit to the set, as equals among equals."""
        simulator, table = self.simulator, self.history[-1].table
        slots = self.history[-1].held[self.player]
        dealt = np.zeros((1, self.limit, slots), np.uint8)
        keys = rng.integers(0, 2**64, 1, np.uint64)
        simulator.belief.draw(simulator.game.rules_array, table, self.player, keys, simulator.scratch, dealt)
        hands, times = np.unique(dealt[0], axis=0, return_counts=True)
        alive, memories = yield from self._replay(hands)
        if not len(alive):
            return
        total = float(self.weights.sum())
        size = total**2 / float((self.weights**2).sum()) if total else 0.0  # that many equal ones tell as much (Kish)
        known = {hand.tobytes(): row for row, hand in enumerate(self.hands)}
        weights = np.concatenate([self.weights * (size / total if total else 1.0), np.zeros(len(alive))])
        fresh = []
        for k, row in enumerate(alive):
            index = known.get(hands[row].tobytes())
            if index is None:
                index = len(self.hands) + k
                fresh.append(k)
            weights[index] += times[row]
        added = alive[fresh]
        if memories is not None:
            parts = [memories[fresh]] if self.memories is None else [self.memories, memories[fresh]]
            self.memories = np.concatenate(parts)
        self.weights = np.concatenate([weights[: len(self.hands)], weights[len(self.hands) :][fresh]])
        self.hands = np.concatenate([self.hands, hands[added]]) if len(self.hands) else hands[added]


# --- Arrays -----------------------------------------------------------------------------------------------------------


def joined(parts: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    """The chunks of what is remembered as one array; None where nothing is remembered."""
    present = [part for part in parts if part is not None]
    return np.concatenate(present) if present else None
