"""Hands that a seat may hold: what they were at earlier steps, and in how many ways the unseen cards make them up.

A seat keeps its cards in the order in which it drew them. So at an earlier step it held a prefix of the present hand,
and cards that it has played or discarded since, which everyone has seen. Present hands with the same prefix were the
same hand until the other cards were drawn, so the blueprint is asked once for all of them.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray


class EarlierHands:
    """Maps a hand of now, which has ``slots`` cards, to the hand held at an earlier step.

    For every step so far, ``lost`` has the slot from which the seat played or discarded, or None, and the card, and
    ``counts`` how many cards it held before.
    """

    def __init__(self, slots: int, lost: Sequence[tuple[int | None, int]], counts: Sequence[int]) -> None:
        self._slots = slots
        hand = list(range(slots))  # slots of the present hand; numbers beyond are lost cards
        hands = [hand]
        for (slot, card), count in zip(reversed(lost), reversed(counts), strict=True):
            hand = hand[: count - (slot is not None)]  # without the card that was drawn
            if slot is not None:
                hand.insert(slot, slots + card)
            hands.append(hand)
        self._hands = hands[::-1]
        self.held = [sum(card < slots for card in hand) for hand in self._hands]
        """For every step, how many of the present cards were held: the length of the prefix."""

    def at(self, step: int, hands: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the hands held at ``step``, (n, slots then), if the present ones are ``hands`` (n, slots)."""
        then = np.empty((len(hands), len(self._hands[step])), np.uint8)
        for slot, card in enumerate(self._hands[step]):
            then[:, slot] = hands[:, card] if card < self._slots else card - self._slots
        return then

    def eras(self) -> Iterator[tuple[int, list[int]]]:
        """Yield runs of steps with the same prefix length: the length, and the steps in order."""
        for held, steps in groupby(range(len(self.held)), lambda step: self.held[step]):
            yield held, list(steps)


def in_order(hands: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the rows of hands (n, slots) in lexicographic order, so that equal prefixes are adjacent."""
    return np.lexsort((np.arange(len(hands)), *hands.T[::-1]))


def kinds_of(hands: NDArray[np.uint8], held: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first row of each group of hands with the same first ``held`` cards, and the group of each row (n,).

    The hands (n, slots) are sorted by `in_order`.
    """
    new = np.ones(len(hands), np.bool_)
    new[1:] = (hands[1:, :held] != hands[:-1, :held]).any(axis=1)
    return np.flatnonzero(new), np.cumsum(new) - 1


def unseen(state: Any, player: int) -> NDArray[np.int64]:
    """Return how many copies of each card the player does not see, (64,): those in the deck and in its hand."""
    held = state.hands[player, : int(state.hand_count[player])]
    return np.bincount(np.concatenate([state.cards[: int(state.deck_count)], held]), minlength=64)


def ways_among(hands: NDArray[np.uint8], copies: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return in how many ways each hand (n, slots) can be drawn from ``copies`` of each card, copies distinct: (n,)."""
    ways = np.ones(len(hands))
    for slot in range(hands.shape[1]):
        taken = (hands[:, :slot] == hands[:, slot : slot + 1]).sum(axis=1)
        ways *= np.maximum(copies[hands[:, slot]] - taken, 0)
    return ways


def fit(hands: NDArray[np.uint8], state: Any, player: int) -> NDArray[np.bool_]:
    """Whether the hints allow each hand (n, slots), (n,) bool."""
    allowed = state.plausible[player, : hands.shape[1]].astype(np.uint64)
    return ((allowed >> hands.astype(np.uint64)) & np.uint64(1) != 0).all(axis=1)
