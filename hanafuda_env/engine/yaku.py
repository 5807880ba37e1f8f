"""The 12 yaku and what they pay, and the two kinds of lucky hands. Numbers are those of ``hanafuda_env/README.md``.

A yaku is a row of numbers: the cards that count, how many of them are needed, and one card that must be among them.
Nothing here is a branch over names of yaku, but for the two sentences of the rule card that speak of some of them: only
one yaku of brights counts (K25), and a named set pays instead of its kind (L2). A month is four neighboring bits of a
set of cards, so questions about months are shifts of the whole set.
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
"""The cards that count for every yaku, uint64 (2, 12); in the second row the sake cup is chaff too, see `cards_of`."""

YAKU_NEED = np.array((5, 4, 4, 3, 2, 2, 3, 3, 3, 5, 5, 10), np.int64)
"""How many of them it takes."""

YAKU_MUST = np.array((ZERO, ZERO, RAIN, *(ZERO,) * 9))
"""The card that must be among them."""

BRIGHT_YAKU = np.uint64(0b1111)  # yaku 1 to 4: a later one is contained in every earlier one


@rule
def cards_of(rules, k):
    """The cards that count for yaku ``k`` in these rules."""
    return YAKU_CARDS[rules.cup_is_chaff, k]


@rule
def made_of(rules, cards):
    """All yaku that a set of cards contains, as bits in the order of `YAKU_NAMES`, also if they do not all count."""
    held = ZERO
    for k in range(YAKU):
        is_enough = popcount(cards & cards_of(rules, k)) >= YAKU_NEED[k]
        held |= np.uint64(is_enough & (YAKU_MUST[k] & ~cards == ZERO)) << np.uint64(k)
    return held


@rule
def yaku_of(rules, pile):
    """The yaku of a pile that count, as bits in the order of `YAKU_NAMES`."""
    held = made_of(rules, pile)
    if rules.bright_exclusive:  # K25: of the brights the highest alone, whose bit is the lowest
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
    """Yaku ``k`` is in the set."""
    return (held >> np.uint64(k)) & ONE != ZERO


@rule
def pay(rules, pile, held, has_called, k):
    """The points of yaku ``k``, if it is ``held``, with those of its further cards."""
    points = rules.points_after_koi[k] if has_called else rules.points[k]
    further = popcount(pile & cards_of(rules, k)) - YAKU_NEED[k]
    return (points + rules.extra[k] * further) * np.int64(holds(held, k))


@rule
def base_of(rules, pile, held, has_called):
    """K25: the points of all yaku of a pile together, before any multiplier.

    ``held`` is `yaku_of` the pile; ``has_called``: this player has called Koi (in some rules it changes the points of
    the viewing yaku). A line a row, not a loop: so the points of every row are constants to the compiler.
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
