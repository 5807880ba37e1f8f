"""A deck that is shuffled as it is drawn.

The record ``s`` of a game has its random stream ``key``, and ``cards``, whose first ``deck_count`` are the deck. Their
order is open until a card is drawn: each draw takes one at random and fills its place with the last one, which is one
step of a Fisher-Yates shuffle. So a game pays for the cards that it draws, not for those that it leaves in the deck.

Which *place* a draw takes is fixed by the stream, by the shuffle (a number that sets its counters apart from those of
other shuffles of the same stream) and by how many cards are left, whatever the cards are. That leaves nothing to store
about the order: the coming cards are found by drawing ahead (`coming_cards`), and a deck that is to come in a given
order is laid so that every draw finds its card (`arrange_deck`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.rng import random_below

__all__ = ["arrange_deck", "coming_cards", "draw", "draw_place"]


@rule
def draw(s, shuffle):
    """Take the next card out of a deck that is not empty."""
    place = draw_place(s.key, shuffle, s.deck_count)
    s.deck_count -= 1
    card = s.cards[place]
    s.cards[place] = s.cards[s.deck_count]
    return card


@rule
def draw_place(key, shuffle, count):
    """Where the next card of a deck of ``count`` cards lies."""
    return random_below(key, shuffle + np.int64(count), count)


def coming_cards(key: Any, shuffle: int, cards: np.ndarray) -> list[int]:
    """The order in which a deck that lies as ``cards`` will be drawn, the next card first."""
    left, coming = cards.tolist(), []
    for place in _draw_places(key, shuffle, len(left)):
        coming.append(left[place])
        left[place] = left[-1]
        left.pop()
    return coming


def arrange_deck(key: Any, shuffle: int, deck: Sequence[int]) -> list[int]:
    """The inverse of `coming_cards`: how cards must lie to be drawn in the order of ``deck``.

    The draws are taken back, the last one first. A draw filled its place with the last card, which returns to the end.
    """
    cards: list[int] = []
    for card, place in zip(reversed(deck), reversed(_draw_places(key, shuffle, len(deck))), strict=True):
        cards.append(cards[place] if place < len(cards) else card)
        cards[place] = card
    return cards


def _draw_places(key: Any, shuffle: int, count: int) -> list[int]:
    """The places of all draws from a deck of ``count`` cards."""
    with np.errstate(over="ignore"):  # random numbers are made modulo 2^64
        return [int(draw_place(key, shuffle, left)) for left in range(count, 0, -1)]
