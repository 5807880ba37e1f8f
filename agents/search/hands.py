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

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hanabi_env.engine.private_view import last_event
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY
from hanabi_env.words.positions import action_of

from ..bots.block import GAMES_AT_ONCE
from .choosing import Request
from .imagined import Studio

__all__ = ["Hands", "Moment", "drawn", "ways_of"]

FEW = 8
"""A sample of fewer than a ``FEW``-th of the limit is joined by fresh hands,"""
BATCHES = 4
"""as many as the limit and so many times at most: few of them may fit what partners did."""


@dataclass(frozen=True)
class Moment:
    """One position of the real game."""

    table: NDArray[Any]
    """The record, (1,)."""
    step: int
    """Of the game's players, see `agents.bots.policy.GamesInPlay.step`."""

    @cached_property
    def state(self) -> Any:
        """The game's record, with attributes."""
        return self.table["state"].view(np.recarray)[0]

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
        """Bring the set to the last of `moments`. It may become empty: then nothing that was drawn fits."""
        while self.at >= 0 and self.at < len(self.moments) - 1 and len(self.hands):
            self._advance(rng)
        self.at = len(self.moments) - 1
        if self.exact and len(self.hands):
            return
        if (every := self._level_0()) is not None:
            hands, weights = every
            alive, memories = self._replay(hands)
            self.hands, self.weights, self.memories, self.exact = hands[alive], weights[alive], memories, True
        elif not self.exact:
            self._sample(rng)

    def _sample(self, rng: np.random.Generator) -> None:
        """Join fresh hands to a set that is not exact and has become small."""
        for _ in range(BATCHES):
            if len(self.hands) * FEW < self.limit:
                self._join(rng)

    # --- One step -----------------------------------------------------------------------------------------------------

    def _advance(self, rng: np.random.Generator) -> None:
        """Follow one step of the real game."""
        before, after = self.moments[self.at], self.moments[self.at + 1]
        rows, hands = self._split(after)
        weights = self.weights[rows] * ways_of(hands, after.state, self.player)
        weights /= ways_of(self.hands, before.state, self.player)[rows]
        fits = np.flatnonzero((weights > 0) & fit(hands, after.state, self.player))
        rows, hands, weights = rows[fits], hands[fits], weights[fits]
        if len(rows) and before.player != self.player:
            acted, memories = self._acts_as_seen(self.at, self.hands, self.memories)
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
        if int(after.state.hand_count[self.player]) > hands.shape[1]:
            kinds = np.flatnonzero(unseen(after.state, self.player)).astype(np.uint8)
            hands = np.column_stack([np.repeat(hands, len(kinds), axis=0), np.tile(kinds, len(hands))])
            rows = np.repeat(rows, len(kinds))
        return rows, hands

    def _acts_as_seen(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> tuple[NDArray[np.bool_], NDArray[Any] | None]:
        """Under which hands (n,) the blueprint does at moment ``at`` what was done; what all then remember."""
        actions, _, memories = self.choices(at, hands, memories)
        return actions == self._act(at).action, memories

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
        """What all remember (n, ...) after the step that led to moment ``at``."""
        parts = []
        for _, count, room in self._rooms(at, hands, memories):
            room.observe(without=self.player)
            parts.append(self._remembered(room, count))
        return joined(parts)

    def _rooms(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any] | None
    ) -> Iterator[tuple[slice, int, Any]]:
        """Moment ``at`` laid out under some hands after the other: which of ``hands``, how many, and the room."""
        for start in range(0, len(hands), GAMES_AT_ONCE):
            chunk = slice(start, min(start + GAMES_AT_ONCE, len(hands)))
            room = self._lay(self.moments[at], hands[chunk], None if memories is None else memories[chunk])
            yield chunk, chunk.stop - start, room

    def _lay(self, moment: Moment, hands: NDArray[np.uint8], memories: NDArray[Any] | None) -> Any:
        room = self.studio.room(len(hands))
        room.imagine(moment.table, self.player, hands, np.zeros(len(hands), np.uint64), self.chance, moment.step)
        if room.memories is not None and memories is not None:
            room.memories[: len(hands)] = memories
        return room

    def _remembered(self, room: Any, count: int) -> NDArray[Any] | None:
        return None if room.memories is None else room.memories[:count].copy()

    # --- From the start -----------------------------------------------------------------------------------------------

    def _replay(self, hands: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
        """Which of these hands of now (n, slots) fit all that partners did (rows); what all then remember."""
        rows, memories = np.arange(len(hands)), None
        past = self._past(hands)
        for at in range(self.at):
            if not len(rows):
                return rows, memories
            if at == 0:
                memories = self._begin(past[0][rows])
            if self.moments[at].player != self.player:
                alike, memories = self._acts_as_seen(at, past[at][rows], memories)
                rows = rows[alike]
                memories = None if memories is None else memories[alike]
            memories = self._observe(at + 1, past[at + 1][rows], memories)
        return rows, self._begin(hands) if self.at == 0 else memories

    def _past(self, hands: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
        """What these hands of now were at every moment."""
        past = [hands]
        for at in range(self.at, 0, -1):
            slot, card = self._lost(at - 1)
            count = int(self.moments[at - 1].state.hand_count[self.player])
            hands = hands[:, : count - (slot is not None)]  # without the card that was drawn
            hands = hands if slot is None else np.insert(hands, slot, np.uint8(card), axis=1)
            past.append(hands)
        return past[::-1]

    def _begin(self, hands: NDArray[np.uint8]) -> NDArray[Any] | None:
        """What all remember (n, ...) when the cards have been dealt."""
        parts = []
        for _, count, room in self._rooms(0, hands, None):
            room.begin(without=self.player)
            parts.append(self._remembered(room, count))
        return joined(parts)

    def _level_0(self) -> tuple[NDArray[np.uint8], NDArray[np.float64]] | None:
        """All hands that the rules alone allow now and in how many ways, if they are no more than the limit."""
        studio, table = self.studio, self.moments[-1].table
        slots = int(self.moments[-1].state.hand_count[self.player])
        hands, ways = np.zeros((self.limit, slots), np.uint8), np.zeros(self.limit)
        listed = studio.belief.list(studio.game.rules_array, table, 0, self.player, studio.scratch, hands, ways)
        return None if listed > self.limit else (hands[:listed], ways[:listed])

    def _join(self, rng: np.random.Generator) -> None:
        """Draw `limit` fresh hands of the level-0 belief, and add those that fit to the set, as equals among equals."""
        studio, table = self.studio, self.moments[-1].table
        slots = int(self.moments[-1].state.hand_count[self.player])
        dealt = np.zeros((1, self.limit, slots), np.uint8)
        keys = rng.integers(0, 2**64, 1, np.uint64)
        studio.belief.draw(studio.game.rules_array, table, self.player, keys, studio.scratch, dealt)
        hands, times = np.unique(dealt[0], axis=0, return_counts=True)
        alive, memories = self._replay(hands)
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


def drawn(
    request: Request, weights: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """What each roll-out of a request meets: a row by its weight, and the key of a deck; all actions meet the same."""
    rows, keys = systematic(weights, request.deals, rng), rng.integers(0, 2**64, request.deals, np.uint64)
    return np.repeat(rows, len(request.actions)), np.repeat(keys, len(request.actions))


def systematic(weights: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw ``count`` rows by their weights, evenly spread: a row of weight w is drawn w / sum times, rounded."""
    points = (np.arange(count) + rng.random()) * (weights.sum() / count)
    return np.minimum(np.searchsorted(np.cumsum(weights), points, side="right"), len(weights) - 1)


def joined(parts: list[NDArray[Any] | None]) -> NDArray[Any] | None:
    """The chunks of what is remembered, one array; None where nobody remembers anything."""
    present = [part for part in parts if part is not None]
    return np.concatenate(present) if present else None
