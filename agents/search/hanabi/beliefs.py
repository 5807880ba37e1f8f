"""What a seat believes of its own hand: hands it may hold, with what its partners would remember under each.

The set is kept from one decision to the next. For every step since then

* if a partner acted: the blueprint is asked what it would have done, had the seat held that hand; a hand under which it
  would have acted otherwise goes;
* if the seat itself played or discarded: a hand with another card there goes, and what is left splits over the cards
  that the seat may have drawn;
* a hand goes that the step's hint excludes, or that needs a copy which somebody else has drawn;
* under every hand left, the partners observe the step, each with what it would remember.

A hand's weight is the number of ways in which the unseen cards can be laid so (copies can be told apart), so that a set
which was never thinned is the *exact* belief: all hands that fit what was seen and what the partners did, and how
likely each is. The seat's own acts do not thin it: partners take them for the blueprint's, the seat knows better.

What is exact and what is sampled. As long as there are at most `Hands.limit` hands the set is exact (`Hands.exact`). If
there are more, it is a sample: drawn from the belief of `hanabi_env.engine.belief` (level 0, all that the rules alone
tell), each hand replayed from the first step, and dropped at the first act of a partner that does not fit. When a draw
splits a set into more than the limit, that many are drawn by their weights (systematic resampling). A sample that has
become small is joined by freshly drawn hands. At every decision the level-0 belief is counted; once it fits the limit,
all of it is replayed, and the set is exact again. A sample may miss the true hand; an exact set cannot, if the partners
play the blueprint.

The players' dice are common knowledge: a blueprint that uses chance draws it from the stream of the game that all
players share, which tells nothing of the cards.
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
from .earlier_hands import Past, in_order, kinds_of
from .imagined import Imagined, Studio

__all__ = ["Hands", "Moment", "ways_of"]

FEW = 8
"""A sample of fewer than a ``FEW``-th of the limit is joined by fresh hands,"""
BATCHES = 4
"""as many as the limit and so many times at most: few of them may fit what partners did."""
ROWS_A_ROUND = 64
"""Of a blueprint that remembers nothing, so many positions are asked before hands that do not fit are left out."""


@dataclass(frozen=True)
class Moment:
    """One position of the real game."""

    table: NDArray[Any]
    """The record, (1,)."""
    step: int
    """Of the game's players, see `agents.playing.policy.GamesInPlay.step`."""

    @cached_property
    def state(self) -> Any:
        """The game's record, with attributes."""
        return self.table["state"].view(np.recarray)[0]

    @cached_property
    def held(self) -> list[int]:
        """How many cards every player holds."""
        return self.table["state"]["hand_count"][0].tolist()

    @cached_property
    def player(self) -> int:
        """Who is to move."""
        return int(self.state.current_player)


class Act(NamedTuple):
    """What was done at one moment."""

    action: int
    slot: int | None
    """From which a card was played or discarded."""
    card: int
    """That card."""


@dataclass
class Hands:
    """One seat's belief in one real game.

    Args:
        studio: imagines games.
        player: whose hand.
        limit: the most hands that are kept.
        chance: the stream of the game's players.
    """

    studio: Studio
    player: int
    limit: int
    chance: Any
    exact: bool = False
    """The set is the whole belief, and its weights are exact."""
    moments: list[Moment] = field(default_factory=list)
    """Every position of the game so far."""

    def __post_init__(self) -> None:
        self.at = -1
        self._acts: list[Act] = []
        self._forget()

    def _forget(self) -> None:
        self.hands = np.zeros((0, 0), np.uint8)
        """(n, slots): all different."""
        self.weights = np.zeros(0)
        """(n,): above 0."""
        self.memories: NDArray[Any] | None = None
        """(n, ...): what the blueprint at every seat remembers if this is the hand; the own seat's part is empty."""
        self.exact = False

    def catch_up(self, rng: np.random.Generator) -> None:
        """`following`, alone."""
        ask_together(self.studio, [self.following(rng)])

    def following(self, rng: np.random.Generator) -> Asking[None]:
        """Bring the set to the last of `moments`. It may become empty: then nothing that was drawn fits."""
        while self.at >= 0 and self.at < len(self.moments) - 1 and len(self.hands):
            yield from self._advance(rng)
        self.at = len(self.moments) - 1
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
        before, after = self.moments[self.at], self.moments[self.at + 1]
        rows, hands = self._split(after)
        weights = self.weights[rows] * ways_of(hands, after.state, self.player)
        weights /= ways_of(self.hands, before.state, self.player)[rows]
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

    def _split(self, after: Moment) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
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
        """Under which hands (n,) the blueprint does at moment ``at`` what was done; what all then remember."""
        if self.studio.forgets:
            (actions,) = yield [self._question(at, hands)]
        else:
            actions, _, memories = self.choices(at, hands, memories)
        return self._is_as_seen(at, hands, actions), memories

    def _is_as_seen(self, at: int, hands: NDArray[np.uint8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Under which hands (n,) these actions (n,) of the blueprint are what was done at moment ``at``."""
        return actions == self._act(at).action

    def _question(self, at: int, hands: NDArray[np.uint8]) -> Question:
        return Question(partial(self._lay, self.moments[at]), self.moments[at].step, hands)

    def _act(self, at: int) -> Act:
        """What was done at moment ``at``."""
        rules = self.studio.game.rules
        for k in range(len(self._acts), at + 1):
            event = last_event(rules, self.moments[k + 1].state)
            slot = int(event.slot) if event.kind in (EVENT_PLAY, EVENT_DISCARD) else None
            self._acts.append(Act(action_of(rules, event), slot, int(event.card)))
        return self._acts[at]

    def _lost(self, at: int) -> tuple[int | None, int]:
        """The slot from which the player played or discarded at moment ``at``, or None, and the card."""
        act = self._act(at)
        return (act.slot, act.card) if self.moments[at].player == self.player else (None, 0)

    def choices(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[Any] | None]:
        """What the blueprint does at moment ``at`` under each hand (n,), and what is legal; what all then remember."""
        actions, parts = np.zeros(len(hands), np.int64), []
        masks = np.zeros((len(hands), *self.moments[at].table["mask"].shape[1:]), np.uint64)
        for chunk, count, room in self._rooms(at, hands, memories):
            actions[chunk] = room.choose(without=self.player)[:count]
            masks[chunk] = room.tables["mask"][:count]
            parts.append(self._remembered(room, count))
        return actions, masks, joined(parts)

    def _observe(self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None) -> NDArray[Any] | None:
        """What all remember (n, ...) after the step that led to moment ``at``; at the first, when cards are dealt."""
        if self.studio.forgets:
            return None
        parts = []
        for _, count, room in self._rooms(at, hands, memories):
            (room.observe if at else room.begin)(without=self.player)
            parts.append(self._remembered(room, count))
        return joined(parts)

    def _rooms(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> Iterator[tuple[slice, int, Any]]:
        """Moment ``at`` laid out under some hands after the other: which of ``hands``, how many, and the room."""
        for start in range(0, len(hands), GAMES_AT_ONCE):
            chunk = slice(start, min(start + GAMES_AT_ONCE, len(hands)))
            room = self.studio.room(chunk.stop - start)
            self._lay(self.moments[at], room, hands[chunk], 0)
            if room.memories is not None and memories is not None:
                room.memories[: chunk.stop - start] = memories[chunk]
            yield chunk, chunk.stop - start, room

    def _lay(self, moment: Moment, room: Imagined, hands: NDArray[np.uint8], first: int) -> slice:
        """Moment laid out under hands (n, slots) in the rows of a room from ``first`` on, which are returned."""
        keys = np.zeros(len(hands), np.uint64)
        return room.imagine(moment.table, self.player, hands, keys, self.chance, moment.step, first)

    def _remembered(self, room: Any, count: int) -> NDArray[Any] | None:
        return None if room.memories is None else room.memories[:count].copy()

    # --- From the start -----------------------------------------------------------------------------------------------

    def _replay(self, hands: NDArray[np.uint8]) -> Asking[tuple[NDArray[np.int64], NDArray[Any] | None]]:
        """Which of these hands of now (n, slots) fit all that partners did (rows); what all then remember.

        Hands that were the same then (see `agents.search.hanabi.earlier_hands`) are followed once.
        """
        past, rows, memories = self._past(hands.shape[1]), in_order(hands), None
        if self.studio.forgets:
            return np.sort((yield from self._in_any_order(past, hands, rows))), None
        for held, moments in past.eras():
            firsts, kinds = kinds_of(hands[rows], held)
            memories = None if memories is None else memories[firsts]
            left, memories = self._follow(moments, past, hands[rows[firsts]], memories)
            stay = np.isin(kinds, left)
            rows, memories = rows[stay], None if memories is None else memories[np.searchsorted(left, kinds[stay])]
        order = np.argsort(rows)
        return rows[order], None if memories is None else memories[order]

    def _follow(
        self, moments: list[int], past: Past, today: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
        """Which of these hands of now fit what partners did at some moments in a row; what all then remember."""
        rows = np.arange(len(today))
        for at in moments:
            if not len(rows):
                break
            then = past.hands(at, today[rows])
            memories = self._observe(at, then, memories)
            if at < self.at and self.moments[at].player != self.player:
                actions, _, memories = self.choices(at, then, memories)
                alike = self._is_as_seen(at, then, actions)
                rows, memories = rows[alike], None if memories is None else memories[alike]
        return rows, memories

    def _in_any_order(self, past: Past, hands: NDArray[np.uint8], rows: NDArray[np.int64]) -> Asking[NDArray[np.int64]]:
        """Which of ``rows`` are left, if the blueprint remembers nothing: it is asked of several moments at a time.

        The last ones come first, which tell the most of today's cards: for five players 550 positions a decision, 700
        if the first ones do.
        """
        waiting = deque(at for at in reversed(range(self.at)) if self.moments[at].player != self.player)
        while waiting and len(rows):
            asked, kinds, size = [], {}, 0  # kinds: by how many of today's cards were held
            while waiting and size < ROWS_A_ROUND:
                at = waiting.popleft()
                if past.held[at] not in kinds:
                    kinds[past.held[at]] = kinds_of(hands[rows], past.held[at])
                firsts, kind = kinds[past.held[at]]
                asked.append((at, past.hands(at, hands[rows[firsts]]), kind))
                size += len(firsts)
            answers = yield [self._question(at, then) for at, then, _ in asked]
            fits = np.ones(len(rows), np.bool_)
            for (at, then, kind), actions in zip(asked, answers, strict=True):
                fits &= self._is_as_seen(at, then, actions)[kind]
            rows = rows[fits]
        return rows

    def _past(self, slots: int) -> Past:
        """Of hands of so many ``slots`` now."""
        counts = [moment.held[self.player] for moment in self.moments[: self.at]]
        return Past(slots, [self._lost(at) for at in range(self.at)], counts)

    def _level_0(self) -> tuple[NDArray[np.uint8], NDArray[np.float64]] | None:
        """All hands that the rules alone allow now and in how many ways, if they are no more than the limit."""
        studio, table = self.studio, self.moments[-1].table
        slots = self.moments[-1].held[self.player]
        hands, ways = np.zeros((self.limit, slots), np.uint8), np.zeros(self.limit)
        listed = studio.belief.list(studio.game.rules_array, table, 0, self.player, studio.scratch, hands, ways)
        return None if listed > self.limit else (hands[:listed], ways[:listed])

    def _join(self, rng: np.random.Generator) -> Asking[None]:
        """Draw `limit` fresh hands of the level-0 belief, and add those that fit to the set, as equals among equals."""
        studio, table = self.studio, self.moments[-1].table
        slots = self.moments[-1].held[self.player]
        dealt = np.zeros((1, self.limit, slots), np.uint8)
        keys = rng.integers(0, 2**64, 1, np.uint64)
        studio.belief.draw(studio.game.rules_array, table, self.player, keys, studio.scratch, dealt)
        hands, times = np.unique(dealt[0], axis=0, return_counts=True)
        alive, memories = yield from self._replay(hands)
        if not len(alive):
            return
        total = float(self.weights.sum())
        size = total**2 / float((self.weights**2).sum()) if total else 0.0  # so many equal ones tell as much (Kish)
        known = {hand.tobytes(): row for row, hand in enumerate(self.hands)}
        weights = np.concatenate([self.weights * (size / total if total else 1.0), np.zeros(len(alive))])
        fresh = []
        for k, row in enumerate(alive):
            place = known.get(hands[row].tobytes())
            if place is None:
                place = len(self.hands) + k
                fresh.append(k)
            weights[place] += times[row]
        added = alive[fresh]
        if memories is not None:
            parts = [memories[fresh]] if self.memories is None else [self.memories, memories[fresh]]
            self.memories = np.concatenate(parts)
        self.weights = np.concatenate([weights[: len(self.hands)], weights[len(self.hands) :][fresh]])
        self.hands = np.concatenate([self.hands, hands[added]]) if len(self.hands) else hands[added]


# --- Cards ------------------------------------------------------------------------------------------------------------


def unseen(state: Any, player: int) -> NDArray[np.int64]:
    """How many copies of each card the player does not see: those in the deck and in the own hand."""
    held = state.hands[player, : int(state.hand_count[player])]
    return np.bincount(np.concatenate([state.cards[: int(state.deck_count)], held]), minlength=64)


def ways_of(hands: NDArray[np.uint8], state: Any, player: int) -> NDArray[np.float64]:
    """In how many ways each hand (n, slots) can be laid of the unseen cards, copies told apart: (n,), 0 if in none."""
    return ways_among(hands, unseen(state, player))


def ways_among(hands: NDArray[np.uint8], copies: NDArray[np.int64]) -> NDArray[np.float64]:
    """The same of so many ``copies`` of each card."""
    ways = np.ones(len(hands))
    for slot in range(hands.shape[1]):
        taken = (hands[:, :slot] == hands[:, slot : slot + 1]).sum(axis=1)
        ways *= np.maximum(copies[hands[:, slot]] - taken, 0)
    return ways


def fit(hands: NDArray[np.uint8], state: Any, player: int) -> NDArray[np.bool_]:
    """Which hands (n, slots) the hints allow."""
    allowed = state.plausible[player, : hands.shape[1]].astype(np.uint64)
    return ((allowed >> hands.astype(np.uint64)) & np.uint64(1) != 0).all(axis=1)


# --- Arrays -----------------------------------------------------------------------------------------------------------


def joined(parts: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    """The chunks of what is remembered, one array; None where nobody remembers anything."""
    present = [part for part in parts if part is not None]
    return np.concatenate(present) if present else None
