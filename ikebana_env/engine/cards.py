"""The cards of Ikebana and sets of them: a word of 55 bits, each card's copies side by side."""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, low_bits, popcount
from ikebana_env.engine.state import CARDS_PER_COLOR, COLORS, JOKER, VALUES

# --- One card ---------------------------------------------------------------------------------------------------------


@rule
def value_of(card):
    """The value of a card, 1 to 5, which is also its price (I7)."""
    return np.int64(card) % VALUES + 1


@rule
def color_of(card):
    """The color of a card, or `JOKER`."""
    return np.int64(card) // VALUES


@rule
def copies(card):
    """I1: three of a value 1, one of a value 5, two of the others; one of each joker."""
    if color_of(card) == JOKER or value_of(card) == VALUES:
        return 1
    return 3 if value_of(card) == 1 else 2


# --- Sets of cards ----------------------------------------------------------------------------------------------------


@rule
def first_copy(card):
    """Where the copies of a card begin in a set of cards: a word of `DECK_SIZE` bits, each card's copies side by side.

    As many bits of a card are set as there are copies of it in the set, from the lowest up.
    """
    value = value_of(card)
    if color_of(card) == JOKER:
        return COLORS * CARDS_PER_COLOR + value - 1
    return color_of(card) * CARDS_PER_COLOR + (0 if value == 1 else 2 * value - 1)


@rule
def all_copies(card):
    """The set of all cards of a kind."""
    return low_bits(copies(card)) << np.uint64(first_copy(card))


@rule
def with_card(cards, card):
    """A set of cards and one card more."""
    already = popcount(cards & all_copies(card))
    return np.uint64(cards) | bit(first_copy(card) + already)


@rule
def value_set(value):
    """All cards of a value, 1 to 5."""
    cards = ZERO
    for color in range(COLORS + 1):
        cards |= all_copies(color * VALUES + value - 1)
    return cards


@rule
def color_set(color):
    """All cards of a color."""
    if color == JOKER:
        return low_bits(VALUES) << np.uint64(COLORS * CARDS_PER_COLOR)
    return low_bits(CARDS_PER_COLOR) << np.uint64(color * CARDS_PER_COLOR)
