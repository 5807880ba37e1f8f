"""The cards of Ikebana, and sets of cards: 55 bits, with adjacent bits for the copies of a card."""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, low_bits, popcount
from ikebana_env.engine.state import CARDS_PER_COLOR, COLORS, JOKER, VALUES

# --- One card ---------------------------------------------------------------------------------------------------------


@rule
def value_of(card):
    """Return the value of a card, 1 to 5, which is also its price (I7)."""
    return np.int64(card) % VALUES + 1


@rule
def color_of(card):
    """Return the color of a card, or `JOKER`."""
    return np.int64(card) // VALUES


@rule
def copies(card):
    """I1: three copies of a value 1, one of a value 5, two of the other values; one of each joker."""
    if color_of(card) == JOKER or value_of(card) == VALUES:
        return 1
    return 3 if value_of(card) == 1 else 2


# --- Sets of cards ----------------------------------------------------------------------------------------------------


@rule
def first_copy(card):
    """Return the first bit of a card in a set of cards: a word of `DECK_SIZE` bits, one per copy of each card.

    The number of set bits of a card, from its lowest bit up, is the number of its copies in the set.
    """
    value = value_of(card)
    if color_of(card) == JOKER:
        return COLORS * CARDS_PER_COLOR + value - 1
    return color_of(card) * CARDS_PER_COLOR + (0 if value == 1 else 2 * value - 1)


@rule
def all_copies(card):
    """Return the set of all copies of a card."""
    return low_bits(copies(card)) << np.uint64(first_copy(card))


@rule
def with_card(cards, card):
    """Return the set ``cards`` with one more copy of ``card``."""
    already = popcount(cards & all_copies(card))
    return np.uint64(cards) | bit(first_copy(card) + already)


@rule
def value_set(value):
    """Return the set of all cards of a value, 1 to 5."""
    cards = ZERO
    for color in range(COLORS + 1):
        cards |= all_copies(color * VALUES + value - 1)
    return cards


@rule
def color_set(color):
    """Return the set of all cards of a color."""
    if color == JOKER:
        return low_bits(VALUES) << np.uint64(COLORS * CARDS_PER_COLOR)
    return low_bits(CARDS_PER_COLOR) << np.uint64(color * CARDS_PER_COLOR)
