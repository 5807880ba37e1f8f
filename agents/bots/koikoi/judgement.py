"""What captured cards are worth: the questions that Koi-Koi's heuristic players share."""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, bit, popcount
from hanafuda_env.engine.cards import ALL_CARDS, BRIGHT, month_of, month_set
from hanafuda_env.engine.yaku import (
    AKATAN,
    AMESHIKO,
    AOTAN,
    GOKO,
    HANAMI,
    INOSHIKACHO,
    KASU,
    SANKO,
    SHIKO,
    TAN,
    TANE,
    TSUKIMI,
    YAKU_MUST,
    YAKU_NEED,
    base_of,
    cards_of,
    yaku_of,
)

POINT = 64.0  # the worth of a point that is sure, in the units of `worth`


@rule
def hope(rules, pile, theirs, k):
    """What yaku ``k`` is worth to a pile: its points by the cube of the part that is there, nothing out of reach."""
    cards = cards_of(rules, k)
    need = YAKU_NEED[k]
    if popcount(cards & ~theirs) < need or YAKU_MUST[k] & theirs != ZERO:
        return 0.0
    have = min(popcount(pile & cards), need)
    part = have / need
    return POINT * rules.points[k] * part * part * part


@rule
def worth(rules, pile, theirs):
    """What a pile is worth against the other: hopes of all yaku and the points that are there; every bright helps."""
    total = hope(rules, pile, theirs, GOKO) + hope(rules, pile, theirs, SHIKO) + hope(rules, pile, theirs, AMESHIKO)
    total += hope(rules, pile, theirs, SANKO) + hope(rules, pile, theirs, HANAMI) + hope(rules, pile, theirs, TSUKIMI)
    total += hope(rules, pile, theirs, INOSHIKACHO) + hope(rules, pile, theirs, AKATAN)
    total += hope(rules, pile, theirs, AOTAN) + hope(rules, pile, theirs, TANE) + hope(rules, pile, theirs, TAN)
    total += hope(rules, pile, theirs, KASU)
    held = yaku_of(rules, pile)
    return total + POINT * base_of(rules, pile, held, False) + 4.0 * popcount(pile & BRIGHT) + popcount(pile)


@rule
def best_capture(rules, pile, theirs, field, card):
    """What ``card`` captures from the field: the set with the card in it, the worthiest choice; nothing where it lies.

    Three matching cards are taken all.
    """
    matching = field & month_set(month_of(card))
    count = popcount(matching)
    if count == 0:
        return ZERO
    if count != 2:
        return matching | bit(card)
    first = matching & (ALL_CARDS - matching + ONE)  # the lower of the two
    second = matching ^ first
    one, other = pile | first | bit(card), pile | second | bit(card)
    return (first if worth(rules, one, theirs) >= worth(rules, other, theirs) else second) | bit(card)


@rule
def lowest_card(cards):
    """The number of the lowest card of a set that is not empty."""
    below = (cards & (~cards + ONE)) - ONE
    return popcount(below)


@rule
def hand_left(view, player):
    """Cards in the hand of the player who is not to move, which a view does not show."""
    return 8 - (np.int64(view.turn) // 2)
