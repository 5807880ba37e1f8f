"""A relaxed round of Ikebana for two players that can be solved exactly.

The simplifications: every card is drawn from the whole box, so cards that were seen say nothing about the next ones;
nothing is bought; and a turn has at most `MOST_REFUSALS` refusals. The rest is as in the game: both players keep and
refuse in order to win, pay at most what they have, and pay each other. The sum of both players' prestige is constant in
a round, so it is solved backwards, for all kinds of both bouquets and every division of the sum.

Two bouquets of the same size are of the same *kind* if they lead to the same gains with the same probabilities,
whatever is kept and refused, when cards are drawn from the whole box. So values, colors and jokers matter only as far
as they can still earn something. There are 1, 10, 60, 210 and 560 kinds of bouquets of 0 to 4 cards, and 60 gains of
complete ones; they are numbered consecutively in this order.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule, subroutine
from hanabako.engine.bits import popcount
from ikebana_env.engine.rules import bouquet_gain
from ikebana_env.engine.state import BOUQUET_SIZE

from ...bots.ikebana.odds import (
    COLOR_CLASSES,
    MOST_REFUSALS,
    VALUE_CLASS_INDEX,
    Class,
    color_class,
    multiplier_of_colors,
    next_classes,
    points_of_values,
    value_class,
)

MOST_LEFT = 36
"""The most prestige that can be spent on refusals in a turn."""


def make_kinds() -> tuple[list[tuple[NDArray[Any], ...]], NDArray[np.int64], NDArray[np.int16]]:
    """Return the growth of bouquets of 0 to 4 cards, the gains of complete ones, and the kind of each class.

    The growth of a size is ``begins, kinds, odds``: with one more card the i-th kind becomes ``kinds[j]`` of the next
    size with probability ``odds[j]``, for j from ``begins[i]`` to ``begins[i + 1]`` - 1. The last is an int16 array
    (value classes, COLOR_CLASSES). Kinds are counted from the first one of their size.
    """
    sizes: list[list[Class]] = [[((), 0, 0)]]
    for _ in range(BOUQUET_SIZE):
        sizes.append(sorted({after for before in sizes[-1] for after, _ in next_classes(*before)}))
    earned = {one: points_of_values(one[0]) * multiplier_of_colors(*one[1:]) for one in sizes[-1]}
    gains = sorted(set(earned.values()))
    kind_of_class = {one: gains.index(gain) for one, gain in earned.items()}
    by_class = np.full((len(VALUE_CLASS_INDEX), COLOR_CLASSES), -1, np.int16)
    growths: list[tuple[NDArray[Any], ...]] = []
    for classes in reversed(sizes[:-1]):
        kinds: dict[tuple[tuple[int, float], ...], int] = {}
        before = {}
        for values, colors, jokers in classes:
            odds: dict[int, float] = defaultdict(float)
            for after, probability in next_classes(values, colors, jokers):
                odds[kind_of_class[after]] += probability
            grown = tuple(sorted((kind, round(odd, 9)) for kind, odd in odds.items()))
            kind = before[values, colors, jokers] = kinds.setdefault(grown, len(kinds))
            by_class[VALUE_CLASS_INDEX[values], colors * BOUQUET_SIZE + jokers] = kind
        kind_of_class = before
        pairs = [pair for grown in kinds for pair in grown]
        begins = np.cumsum([0, *map(len, kinds)])
        growths.append((begins, np.array([kind for kind, _ in pairs]), np.array([odd for _, odd in pairs])))
    return growths[::-1], np.array(gains), by_class


GROWTHS, GAINS, KIND_OF_CLASS = make_kinds()
BEGINS = np.cumsum([0, *(len(begins) - 1 for begins, _, _ in GROWTHS), len(GAINS)])
"""The number of the first kind of each size, followed by the number of all kinds."""
GAIN_KINDS = np.searchsorted(GAINS, np.arange(GAINS[-1] + 1))
"""The index of a gain in `GAINS`, by the gain."""


@subroutine
def kind_of(cards):
    """Return the number of a bouquet's kind."""
    size = popcount(cards)
    if size == BOUQUET_SIZE:
        return BEGINS[size] + GAIN_KINDS[bouquet_gain(cards)]
    return BEGINS[size] + KIND_OF_CLASS[value_class(cards), color_class(cards)]


@cache
def bouquet_values(factor: int) -> NDArray[np.float64]:
    """Return mean and variance of the values of all kinds, for two players, if gains count ``factor`` times (I15).

    The value is the gain minus what refusals cost in lead, for a player who maximizes points. Every card comes from the
    whole box; a point paid reduces the lead by two. The array (2, kinds, MOST_LEFT + 1) is by kind and by the prestige
    that the owner has left.
    """
    mean, square = np.zeros((BEGINS[-1], MOST_LEFT + 1)), np.zeros((BEGINS[-1], MOST_LEFT + 1))
    mean[BEGINS[BOUQUET_SIZE] :] = factor * GAINS[:, None]
    square[BEGINS[BOUQUET_SIZE] :] = mean[BEGINS[BOUQUET_SIZE] :] ** 2
    for size in range(BOUQUET_SIZE - 1, -1, -1):
        begins, grown, chances = GROWTHS[size]
        for i in range(len(begins) - 1):
            ways = slice(begins[i], begins[i + 1])
            kinds, odds = BEGINS[size + 1] + grown[ways], chances[ways]
            value, spread = odds @ mean[kinds], odds @ square[kinds]
            for price in range(MOST_REFUSALS, 0, -1):
                again, again_square = np.full(MOST_LEFT + 1, -np.inf), np.zeros(MOST_LEFT + 1)
                again[price:] = value[:-price] - 2 * price
                again_square[price:] = spread[:-price] - 4 * price * value[:-price] + 4 * price**2
                value = odds @ np.maximum(mean[kinds], again)
                spread = odds @ np.where(mean[kinds] >= again, square[kinds], again_square)
            mean[BEGINS[size] + i], square[BEGINS[size] + i] = value, spread
    return np.stack([mean, np.maximum(0.0, square - mean**2)])


# --- A round ----------------------------------------------------------------------------------------------------------

ROUND_TURNS = 2 * BOUQUET_SIZE
"""Turns in a round of two players, from 0: before turn t the bouquet of the player to move has ``t // 2`` cards."""


@rule
def won(lead):
    """Return the value of a lead, or of an array of leads, at the end of the game; a tie is half a win."""
    return (lead > 0) + 0.5 * (lead == 0)


@cache
def turn_loop() -> Callable[..., None]:
    """Return the loop over one turn, ``(begins, kinds, odds, after, out)``.

    ``out[mine, theirs, p]`` is the probability that the player to move wins, by the kinds of its bouquet and the
    other's, and by its prestige. ``after[theirs, mine, p]`` is that of the other player, who moves next. ``begins``,
    ``kinds`` and ``odds`` are the growth of ``mine``.
    """
    digest = digest_of(turn_loop)

    @kernel
    def turn(begins, kinds, odds, after, out):
        most = keyed(MOST_REFUSALS, digest)
        total = out.shape[2] - 1
        kept, value, again = np.zeros((64, total + 1)), np.zeros(total + 1), np.zeros(total + 1)
        for mine in range(out.shape[0]):
            first, ways = begins[mine], begins[mine + 1] - begins[mine]
            for theirs in range(out.shape[1]):
                value[:] = 0.0
                for way in range(ways):
                    for p in range(total + 1):
                        kept[way, p] = 1.0 - after[theirs, kinds[first + way], total - p]
                        value[p] += odds[first + way] * kept[way, p]
                for price in range(most, 0, -1):
                    for p in range(total + 1):
                        again[p] = value[p - price] if p >= price else 0.0
                    value[:] = 0.0
                    for way in range(ways):
                        for p in range(total + 1):
                            value[p] += odds[first + way] * max(kept[way, p], again[p])
                out[mine, theirs] = value

    return turn


def solve_round(total: int, ended: Callable[[int, int], NDArray[np.float64]]) -> list[NDArray[np.float32]]:
    """Return the probability that the player to move wins, at the beginning of every turn of a round.

    Args:
        total: the sum of both players' prestige, before the gains.
        ended: a function of the first and the second player's gain; it returns the first player's probability to win
            by its part of ``total``, float64 (total + 1,).

    Returns:
        For each turn, float32 (kinds of the mover's bouquet, of the other's, total + 1), by the mover's prestige.
    """
    solved = [np.array([[ended(int(one), int(other)) for other in GAINS] for one in GAINS], np.float32)]
    counts = np.diff(BEGINS)
    for turn in range(ROUND_TURNS - 1, -1, -1):
        mine, theirs = turn // 2, turn // 2 + turn % 2
        out = np.zeros((counts[mine], counts[theirs], total + 1), np.float32)
        turn_loop()(*GROWTHS[mine], solved[-1], out)
        solved.append(out)
    return solved[:0:-1]


@cache
def last_round(total: int, factor: int, widest: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return `solve_round` of a last round whose gains count ``factor`` times (I15), all turns one after another.

    The probabilities are in 65,535ths, for leads up to ``widest``, of the same parity as ``total``. Also return the
    index at which each turn's begin, (ROUND_TURNS + 1,).
    """
    mine = np.arange(total + 1)
    first = (total - widest) // 2
    solved = solve_round(total, lambda one, other: won(2 * mine - total + factor * (one - other)))
    parts = [np.rint(65535 * turn[..., first : total + 1 - first]).astype(np.uint16).ravel() for turn in solved]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])
