"""Values of captured cards, shared by the heuristic bots for Koi-Koi."""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, bit, popcount
from hanafuda_env.engine.cards import ALL_CARDS, BRIGHT, month_of, month_set
from hanafuda_env.engine.yaku import (
    AMESHIKO,
    AOTAN,
    GOKO,
    INOSHIKACHO,
    KASU,
    SANKO,
    YAKU,
    YAKU_MUST,
    YAKU_NEED,
    base_of,
    cards_of,
    yaku_of,
)

POINT = 64.0  # the value of a point already made, in the units of `pile_value`
GROUPS = np.array([GOKO, AMESHIKO, SANKO, INOSHIKACHO, AOTAN, KASU, YAKU])  # yaku whose values are summed first


@rule
def yaku_value(rules, pile, theirs, k):
    """Return the value of yaku ``k`` for a pile: points times the cube of the fraction it has; 0 if out of reach."""
    cards = cards_of(rules, k)
    need = YAKU_NEED[k]
    if popcount(cards & ~theirs) < need or YAKU_MUST[k] & theirs != ZERO:
        return 0.0
    have = min(popcount(pile & cards), need)
    part = have / need
    return POINT * rules.points[k] * part * part * part


@rule
def pile_value(rules, pile, theirs):
    """Return the value of a pile against the other's: yaku within reach, points made, brights and cards."""
    total = 0.0
    for group in range(len(GROUPS) - 1):
        part = 0.0
        for k in range(GROUPS[group], GROUPS[group + 1]):
            part += yaku_value(rules, pile, theirs, k)
        total += part
    total += POINT * base_of(rules, pile, yaku_of(rules, pile), False)
    return total + 4.0 * popcount(pile & BRIGHT) + popcount(pile)


@rule
def best_capture(rules, pile, theirs, field, card):
    """Return the set of cards captured by playing ``card``, including itself; empty if nothing matches.

    Of two matching cards the better one is taken; three are taken together.
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
    return (first if pile_value(rules, one, theirs) >= pile_value(rules, other, theirs) else second) | bit(card)


@rule
def lowest_card(cards):
    """Return the number of the lowest card in a non-empty set."""
    return popcount((cards & (~cards + ONE)) - ONE)


@rule
def lead_in(result, player):
    """Return the points that ``player`` won in the round of this result, negative if the other won."""
    points = np.int64(result.points)
    return points if result.winner == player else -points if result.winner == 1 - player else 0


@rule
def hand_left(view):
    """Return the number of cards in the other player's hand, which the view does not show, when the viewer moves."""
    return 8 - (np.int64(view.turn) // 2)
