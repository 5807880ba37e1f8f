"""The belief of a seat: the hands that it may hold, and its partners' memories under each of them.

The set of hands is kept from one decision to the next, and updated for every step in between:

* If a partner acted, hands under which the blueprint would have done something else are removed.
* If the seat itself played or discarded, hands with another card in that slot are removed, and each remaining hand is
  split by the card that the seat may have drawn.
* Hands are removed if the step's hint excludes them, or if they need a copy that another player has drawn.
* Under each remaining hand, the partners observe the step.

A hand's weight is the number of ways in which the unseen cards make it up, with copies distinct. So a set that was
never sampled is the *exact* belief: all hands consistent with what was seen and with the partners' actions, with their
probabilities. The seat's own actions remove no hands: partners take them for the blueprint's, but the seat knows that
they are not.

As long as there are at most `Belief.limit` hands, the set is exact (`Belief.exact`). Otherwise it is a sample: hands
are drawn from the level-0 belief of `hanabi_env.engine.belief`, which uses the rules alone; each hand is replayed from
the first step, and dropped at a partner's first action that does not fit. Too many hands are resampled by weight; if a
sample becomes small, new hands are added. Once the level-0 belief fits the limit, all of it is replayed, and the set is
exact again. A sample may miss the true hand; an exact set contains it if the partners play the blueprint.

The players' random key is common knowledge: it says nothing about the cards.
"""

from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabi_env.engine.private_view import last_event
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY
from hanabi_env.words.positions import action_of

from ...playing.block import GAMES_AT_ONCE
from ..choosing import systematic
from .hands import EarlierHands, fit, in_order, kinds_of, unseen, ways_among
from .rollouts import Asking, HanabiRollouts, Question, Simulator, Snapshot

FEW = 8
"""New hands are added to a sample with fewer than 1 / ``FEW`` of the limit."""
BATCHES = 4
"""The most batches of new hands, each as large as the limit: few of them may fit what partners did."""
ROWS_A_ROUND = 64
"""Positions about which a blueprint without memory is asked before hands that do not fit are removed."""


class Belief:
    """One seat's belief in one real game: at most ``limit`` hands. ``key`` is the random key of the game's players."""

    def __init__(self, simulator: Simulator, player: int, limit: int, key: Any) -> None:
        self.simulator, self.player, self.limit, self.key = simulator, player, limit, key
        self.history: list[Snapshot] = []
        """The game at every step so far."""
        self.at = -1
        """The step to which the set belongs; -1 at first."""
        self._acts: list[tuple[int, int | None, int]] = []
        self._forget()

    def _forget(self) -> None:
        self.hands = np.zeros((0, 0), np.uint8)
        """(n, slots): the hands, all different."""
        self.weights: NDArray[np.float64] = np.zeros(0)
        """(n,): the hands' weights, above 0."""
        self.memories = self.simulator.rollouts(1).memories[:0]
        """(n, players, size): the blueprint's memories under each hand; this seat's is empty."""
        self.exact = False
        """Whether the set is the whole belief with exact weights."""

    def note(self, snapshot: Snapshot) -> None:
        """Add the game's next step."""
        self.history.append(snapshot)

    def following(self, rng: np.random.Generator) -> Asking[None]:
        """Update the set to the last step of `history`. It becomes empty if no hand fits."""
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
        """Add new hands to a sample that has become small."""
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
        rows, hands, weights, memories = rows[fits], hands[fits], weights[fits], self.memories
        if len(rows) and before.player != self.player:
            acted, memories = yield from self._acts_as_seen(self.at, self.hands, self.memories)
            kept = acted[rows]
            rows, hands, weights = rows[kept], hands[kept], weights[kept]
        if len(rows) > self.limit:
            chosen, times = np.unique(systematic(weights, self.limit, rng), return_counts=True)
            rows, hands, weights, self.exact = rows[chosen], hands[chosen], times.astype(np.float64), False
        self.memories = self._observe(self.at + 1, hands, memories[rows])
        self.hands, self.weights = hands, weights
        self.at += 1

    def _split(self, after: Snapshot) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Return the row of each hand before the step, and the hand after it."""
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
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any]
    ) -> Asking[tuple[NDArray[np.bool_], NDArray[Any]]]:
        """Whether the blueprint acts as it was seen to at a step, under each hand (n,); and the memories after that."""
        if self.simulator.has_no_memory:
            (actions,) = yield [self._question(at, hands)]
        else:
            actions, _, memories = self.choices(at, hands, memories)
        return self._is_as_seen(at, hands, actions), memories

    def _is_as_seen(self, at: int, hands: NDArray[np.uint8], actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether these actions of the blueprint under each hand (n,) equal the action at a step, (n,) bool."""
        return actions == self._act(at)[0]

    def _question(self, at: int, hands: NDArray[np.uint8]) -> Question:
        return Question(partial(self._deal, self.history[at]), hands)

    def _act(self, at: int) -> tuple[int, int | None, int]:
        """Return the action at a step, the slot of a card that was played or discarded (None: a hint), and the card."""
        rules = self.simulator.game.rules
        for k in range(len(self._acts), at + 1):
            event = last_event(rules, self.history[k + 1].state)
            slot = int(event.slot) if event.kind in (EVENT_PLAY, EVENT_DISCARD) else None
            self._acts.append((action_of(rules, event), slot, int(event.card)))
        return self._acts[at]

    def _lost(self, at: int) -> tuple[int | None, int]:
        """Return the slot from which the belief's player played or discarded at a step, or None, and the card."""
        _, slot, card = self._act(at)
        return (slot, card) if self.history[at].player == self.player else (None, 0)

    def choices(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[Any]]:
        """Return the blueprint's actions at a step under each hand (n,), masks of legal ones, and memories after it."""
        actions, parts = np.zeros(len(hands), np.int64), [memories[:0]]
        masks = np.zeros((len(hands), *self.history[at].table["mask"].shape[1:]), np.uint64)
        for chunk, count, copies in self._copies(at, hands, memories):
            actions[chunk] = copies.choose(without=self.player)[:count]
            masks[chunk] = copies.tables["mask"][:count]
            parts.append(copies.memories[:count].copy())
        return actions, masks, np.concatenate(parts)

    def _observe(self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any]) -> NDArray[Any]:
        """Return the memories (n, ...) of all seats at the beginning of step ``at``; at step 0, after the deal."""
        if self.simulator.has_no_memory:
            return memories
        parts = [memories[:0]]
        for _, count, copies in self._copies(at, hands, memories):
            partners = copies.blueprint(without=self.player)
            (partners.observe if at else partners.begin)()
            parts.append(copies.memories[:count].copy())
        return np.concatenate(parts)

    def _copies(
        self, at: int, hands: NDArray[np.uint8], memories: NDArray[Any]
    ) -> Iterator[tuple[slice, int, HanabiRollouts]]:
        """Yield copies of the game at a step, for a chunk of ``hands`` at a time: the chunk, its size, the copies."""
        for start in range(0, len(hands), GAMES_AT_ONCE):
            chunk = slice(start, min(start + GAMES_AT_ONCE, len(hands)))
            count = chunk.stop - start
            copies = self.simulator.rollouts(count)
            self._deal(self.history[at], copies, hands[chunk], 0)
            copies.memories[:count] = memories[chunk]
            yield chunk, count, copies

    def _deal(self, snapshot: Snapshot, copies: HanabiRollouts, hands: NDArray[np.uint8], first: int) -> slice:
        """Deal hands (n, slots) to copies of the game from row ``first`` on, and return their rows."""
        keys = np.zeros(len(hands), np.uint64)
        return copies.deal_hands(snapshot, self.player, hands, keys, self.key, first)

    # --- From the start -----------------------------------------------------------------------------------------------

    def _replay(self, hands: NDArray[np.uint8]) -> Asking[tuple[NDArray[np.int64], NDArray[Any]]]:
        """Return the rows of the present hands (n, slots) that fit all actions of partners, and all seats' memories."""
        counts = [snapshot.held[self.player] for snapshot in self.history[: self.at]]
        earlier = EarlierHands(hands.shape[1], [self._lost(at) for at in range(self.at)], counts)
        rows, memories = in_order(hands), np.zeros((len(hands), *self.memories.shape[1:]), self.memories.dtype)
        if self.simulator.has_no_memory:
            rows = np.sort((yield from self._in_any_order(earlier, hands, rows)))
            return rows, memories[rows]
        for held, steps in earlier.eras():
            firsts, kinds = kinds_of(hands[rows], held)
            left, memories = self._follow(steps, earlier, hands[rows[firsts]], memories[firsts])
            stay = np.isin(kinds, left)
            rows, memories = rows[stay], memories[np.searchsorted(left, kinds[stay])]
        order = np.argsort(rows)
        return rows[order], memories[order]

    def _follow(
        self, steps: list[int], earlier: EarlierHands, hands: NDArray[np.uint8], memories: NDArray[Any]
    ) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the rows of the present hands that fit the partners' actions at a run of steps, and the memories."""
        rows = np.arange(len(hands))
        for at in steps:
            if not len(rows):
                break
            then = earlier.at(at, hands[rows])
            memories = self._observe(at, then, memories)
            if at < self.at and self.history[at].player != self.player:
                actions, _, memories = self.choices(at, then, memories)
                alike = self._is_as_seen(at, then, actions)
                rows, memories = rows[alike], memories[alike]
        return rows, memories

    def _in_any_order(
        self, earlier: EarlierHands, hands: NDArray[np.uint8], rows: NDArray[np.int64]
    ) -> Asking[NDArray[np.int64]]:
        """Return those of ``rows`` that fit, asking a blueprint without memory about several steps at once.

        The last steps come first, as they say the most about the present cards: for five players this takes 550
        positions per decision, the other order 700.
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
        """Return all hands of the level-0 belief and their weights, or None if there are more than the limit."""
        simulator, table = self.simulator, self.history[-1].table
        slots = self.history[-1].held[self.player]
        hands, ways = np.zeros((self.limit, slots), np.uint8), np.zeros(self.limit)
        work = simulator.scratch, hands, ways
        listed = simulator.belief.list(simulator.game.rules_array, table, 0, self.player, *work)
        return None if listed > self.limit else (hands[:listed], ways[:listed])

    def _join(self, rng: np.random.Generator) -> Asking[None]:
        """Draw `limit` new hands from the level-0 belief, and add those that fit, weighted like an equal sample."""
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
        size = total**2 / float((self.weights**2).sum()) if total else 0.0  # effective sample size (Kish)
        added = times[alive].astype(np.float64)
        weights: NDArray[np.float64] = np.concatenate([self.weights * (size / total if total else 1.0), added])
        together = np.concatenate([self.hands, hands[alive]]) if len(self.hands) else hands[alive]
        _, firsts, kinds = np.unique(together, axis=0, return_index=True, return_inverse=True)
        order = np.argsort(firsts)
        rows = firsts[order]
        self.hands, self.weights = together[rows], np.bincount(kinds.ravel(), weights)[order].astype(np.float64)
        self.memories = np.concatenate([self.memories, memories])[rows]
