"""The 12 yaku and their points, and the two kinds of lucky hands. Rule numbers refer to ``hanafuda_env/README.md``.

A yaku is a row of numbers: the cards that count, how many of them are needed, and one card that must be among them.
Only two rules treat single yaku differently: only one yaku of brights counts (K25), and a named set pays instead of its
kind (L2). A month is four neighboring bits of a set of cards, so months are compared by shifting the whole set.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, popcount
from hanafuda_env.engine.cards import (
    ANIMAL,
    BLUE_RIBBONS,
    BOAR_DEER_BUTTERFLIES,
    BRIGHT,
    CHAFF,
    CUP,
    DRY,
    HANAMI_CARDS,
    LOWEST,
    RAIN,
    RED_RIBBONS,
    RIBBON,
    THREE,
    TSUKIMI_CARDS,
    TWO,
)

YAKU_NAMES = (
    "goko",
    "shiko",
    "ameshiko",
    "sanko",
    "hanami",
    "tsukimi",
    "inoshikacho",
    "akatan",
    "aotan",
    "tane",
    "tan",
    "kasu",
)
YAKU = len(YAKU_NAMES)
GOKO, SHIKO, AMESHIKO, SANKO, HANAMI, TSUKIMI, INOSHIKACHO, AKATAN, AOTAN, TANE, TAN, KASU = range(YAKU)

COUNTED = (
    BRIGHT,
    DRY,
    BRIGHT,
    DRY,
    HANAMI_CARDS,
    TSUKIMI_CARDS,
    BOAR_DEER_BUTTERFLIES,
    RED_RIBBONS,
    BLUE_RIBBONS,
    ANIMAL,
    RIBBON,
)
YAKU_CARDS = np.array([(*COUNTED, CHAFF), (*COUNTED, CHAFF | CUP)])
"""The cards that count for each yaku, uint64 (2, 12); in row 1 the sake cup is also chaff, see `cards_of`."""

YAKU_NEED = np.array((5, 4, 4, 3, 2, 2, 3, 3, 3, 5, 5, 10), np.int64)
"""The number of these cards that each yaku needs, int64 (12,)."""

YAKU_MUST = np.array((ZERO, ZERO, RAIN, *(ZERO,) * 9))
"""The card that must be among them, as a set; 0 if none, uint64 (12,)."""

BRIGHT_YAKU = np.uint64(0b1111)  # the first four yaku; each one contains all later ones


@rule
def cards_of(rules, k):
    """Return the cards that count for yaku ``k`` in these rules."""
    return YAKU_CARDS[rules.cup_is_chaff, k]


@rule
def made_of(rules, cards):
    """Return all yaku in a set of cards, as bits in the order of `YAKU_NAMES`, including those that do not count."""
    held = ZERO
    for k in range(YAKU):
        is_enough = popcount(cards & cards_of(rules, k)) >= YAKU_NEED[k]
        held |= np.uint64(is_enough & (YAKU_MUST[k] & ~cards == ZERO)) << np.uint64(k)
    return held


@rule
def yaku_of(rules, pile):
    """Return the yaku of a pile that count, as bits in the order of `YAKU_NAMES`."""
    held = made_of(rules, pile)
    if rules.bright_exclusive:  # K25: only the highest yaku of brights, which has the lowest bit
        brights = held & BRIGHT_YAKU
        held &= ~(((brights << ONE) | (brights << TWO) | (brights << THREE)) & BRIGHT_YAKU)
    if rules.extra_named:  # L2: a named set pays instead of its kind
        if holds(held, INOSHIKACHO):
            held &= ~(ONE << np.uint64(TANE))
        if holds(held, AKATAN) or holds(held, AOTAN):
            held &= ~(ONE << np.uint64(TAN))
    return held


@rule
def holds(held, k):
    """Whether yaku ``k`` is in the set."""
    return (held >> np.uint64(k)) & ONE != ZERO


@rule
def pay(rules, pile, held, has_called, k):
    """Return the points of yaku ``k`` with its further cards; 0 if it is not ``held``."""
    points = rules.points_after_koi[k] if has_called else rules.points[k]
    further = popcount(pile & cards_of(rules, k)) - YAKU_NEED[k]
    return (points + rules.extra[k] * further) * np.int64(holds(held, k))


@rule
def base_of(rules, pile, held, has_called):
    """K25: the points of all yaku of a pile together, before any multiplier.

    ``held`` is `yaku_of` the pile. ``has_called`` is whether this player has called Koi, which in some rules changes
    the points of hanami and tsukimi. The lines are not a loop, so that each row's points are constants to the compiler.
    """
    if held == ZERO:
        return 0
    total = 0
    total += pay(rules, pile, held, has_called, GOKO) + pay(rules, pile, held, has_called, SHIKO)
    total += pay(rules, pile, held, has_called, AMESHIKO) + pay(rules, pile, held, has_called, SANKO)
    total += pay(rules, pile, held, has_called, HANAMI) + pay(rules, pile, held, has_called, TSUKIMI)
    total += pay(rules, pile, held, has_called, INOSHIKACHO)
    total += pay(rules, pile, held, has_called, AKATAN) + pay(rules, pile, held, has_called, AOTAN)
    total += pay(rules, pile, held, has_called, TANE) + pay(rules, pile, held, has_called, TAN)
    total += pay(rules, pile, held, has_called, KASU)
    named = np.int64(holds(held, AKATAN)) + np.int64(holds(held, AOTAN))
    if named == 2:
        total += rules.red_and_blue  # K39, L2
    if rules.extra_named:
        if named:
            total += popcount(pile & RIBBON) - 3 * named
        if holds(held, INOSHIKACHO):
            total += popcount(pile & ANIMAL) - 3
    return total


@rule
def has_teshi(cards):
    """K8: four cards of one month."""
    x = cards & (cards >> ONE)
    return x & (x >> TWO) & LOWEST != ZERO


@rule
def has_kuttsuki(cards):
    """K8: four pairs: four months with exactly two cards each, of eight cards."""
    ones = cards - ((cards >> ONE) & np.uint64(0x555555555555))
    counts = (ones & np.uint64(0x333333333333)) + ((ones >> TWO) & np.uint64(0x333333333333))
    return popcount((counts >> ONE) & ~counts & LOWEST) == 4
