"""A deck that is shuffled as it is drawn.

The record ``s`` of a game has the random stream ``key`` and the array ``cards``, whose first ``deck_count`` cards are
the deck. Each draw takes a random card and moves the last card to its index, which is one step of a Fisher-Yates
shuffle. So a game spends time only on the cards that it draws, not on those that stay in the deck.

The *index* of a draw depends only on the stream, the shuffle (a number that separates its counters from those of other
shuffles of the same stream) and the number of cards left, not on the cards. So no order needs to be stored: drawing
ahead finds the coming cards (`coming_cards`), and `arrange_deck` arranges the cards so that they are drawn in a given
order.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.rng import random_below

__all__ = ["arrange_deck", "coming_cards", "draw", "draw_place"]


@rule
def draw(s, shuffle):
    """Remove and return the next card of a deck that is not empty."""
    place = draw_place(s.key, shuffle, s.deck_count)
    s.deck_count -= 1
    card = s.cards[place]
    s.cards[place] = s.cards[s.deck_count]
    return card


@rule
def draw_place(key, shuffle, count):
    """Return the index of the next card in a deck of ``count`` cards."""
    return random_below(key, shuffle + np.int64(count), count)


def coming_cards(key: Any, shuffle: int, cards: np.ndarray) -> list[int]:
    """Return the order in which the deck ``cards`` will be drawn, the next card first."""
    left, coming = cards.tolist(), []
    for place in _draw_places(key, shuffle, len(left)):
        coming.append(left[place])
        left[place] = left[-1]
        left.pop()
    return coming


def arrange_deck(key: Any, shuffle: int, deck: Sequence[int]) -> list[int]:
    """Return ``cards`` that will be drawn in the order of ``deck``: the inverse of `coming_cards`.

    The draws are undone, the last one first. Each draw moved the last card to its index; that card returns to the end.
    """
    cards: list[int] = []
    for card, place in zip(reversed(deck), reversed(_draw_places(key, shuffle, len(deck))), strict=True):
        cards.append(cards[place] if place < len(cards) else card)
        cards[place] = card
    return cards


def _draw_places(key: Any, shuffle: int, count: int) -> list[int]:
    """Return the indices of all draws from a deck of ``count`` cards."""
    with np.errstate(over="ignore"):  # random numbers are computed modulo 2^64
        return [int(draw_place(key, shuffle, left)) for left in range(count, 0, -1)]
