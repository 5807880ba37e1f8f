"""What hands of now were earlier: a seat keeps its cards in the order in which it drew them.

So of today's cards it held, at every moment, the first few, beside cards that it has played or discarded since, which
all know. Hands of now which begin with the same cards were one hand until their other cards were drawn: whoever asks
what a partner did then asks once for all of them.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

__all__ = ["Past", "in_order", "kinds_of"]


class Past:
    """One seat's hand at every moment, in terms of today's.

    Args:
        slots: cards of the hand now.
        lost: at every step so far, the slot from which the seat played or discarded, or None, and the card.
        counts: how many cards it held before each of these steps.
    """

    def __init__(self, slots: int, lost: Sequence[tuple[int | None, int]], counts: Sequence[int]) -> None:
        self._slots = slots
        hand = list(range(slots))  # of today's slots; what is more is a card that was lost
        hands = [hand]
        for (slot, card), count in zip(reversed(lost), reversed(counts), strict=True):
            hand = hand[: count - (slot is not None)]  # without the card that was drawn
            if slot is not None:
                hand.insert(slot, slots + card)
            hands.append(hand)
        self._hands = hands[::-1]
        self.held = [sum(place < slots for place in hand) for hand in self._hands]
        """How many of today's cards at every moment: the first so many."""

    def hands(self, at: int, today: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """What these hands of now (n, slots) were at moment ``at``."""
        then = np.empty((len(today), len(self._hands[at])), np.uint8)
        for slot, place in enumerate(self._hands[at]):
            then[:, slot] = today[:, place] if place < self._slots else place - self._slots
        return then

    def eras(self) -> Iterator[tuple[int, list[int]]]:
        """The moments, in their order, between which as many of today's cards were held; and how many."""
        for held, moments in groupby(range(len(self.held)), lambda at: self.held[at]):
            yield held, list(moments)


def in_order(hands: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The rows of hands (n, slots) by their cards, the first card first: what begins alike lies together."""
    return np.lexsort((np.arange(len(hands)), *hands.T[::-1]))


def kinds_of(hands: NDArray[np.uint8], held: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of the hands (n, slots), `in_order`, begin with the same ``held`` cards.

    Returns:
        The first row of each kind, and the kind of each row (n,).
    """
    new = np.ones(len(hands), np.bool_)
    new[1:] = (hands[1:, :held] != hands[:-1, :held]).any(axis=1)
    return np.flatnonzero(new), np.cumsum(new) - 1
