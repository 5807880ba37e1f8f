"""Kinds of bouquets, by what can become of them, and the value of each kind by itself.

Two bouquets of the same size are of the same *kind* if they lead to the same gains with the same probabilities,
whatever is kept and refused, when cards are drawn from the whole box. So values, colors and jokers matter only as far
as they can still earn something. There are 1, 10, 60, 210 and 560 kinds of bouquets of 0 to 4 cards, and 60 gains of
complete ones; they are numbered consecutively in this order.
"""

from collections import defaultdict
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.jit import subroutine
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


class Growth(NamedTuple):
    """The kinds that bouquets of one size become with one more card.

    The i-th kind becomes ``kinds[j]`` (counted from the first one of the next size) with probability ``odds[j]``, for j
    from ``begins[i]`` to ``begins[i + 1]`` - 1.
    """

    begins: NDArray[np.int64]
    kinds: NDArray[np.int64]
    odds: NDArray[np.float64]


class BouquetValues(NamedTuple):
    """The values of bouquets for a player who maximizes points: the gain minus what refusals cost in lead.

    Both arrays are float64 (kinds, MOST_LEFT + 1), by kind and by the prestige that the owner has left.
    """

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


def classes_by_size() -> list[list[Class]]:
    """Return all possible classes of bouquets, by size."""
    sizes: list[list[Class]] = [[((), 0, 0)]]
    for _ in range(BOUQUET_SIZE):
        sizes.append(sorted({after for before in sizes[-1] for after, _ in next_classes(*before)}))
    return sizes


def make_kinds() -> tuple[list[Growth], NDArray[np.int64], NDArray[np.int16]]:
    """Return the growth of bouquets of 0 to 4 cards, the gains of complete ones, and the kind of each class.

    The last is an int16 array (value classes, COLOR_CLASSES), with kinds counted from the first one of that size.
    """
    sizes = classes_by_size()
    earned = {one: points_of_values(one[0]) * multiplier_of_colors(*one[1:]) for one in sizes[-1]}
    gains = sorted(set(earned.values()))
    kind_of_class = {one: gains.index(gain) for one, gain in earned.items()}
    by_class = np.full((len(VALUE_CLASS_INDEX), COLOR_CLASSES), -1, np.int16)
    growths: list[Growth] = []
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
        growths.append(Growth(begins, np.array([kind for kind, _ in pairs]), np.array([odd for _, odd in pairs])))
    return growths[::-1], np.array(gains), by_class


GROWTHS, GAINS, KIND_OF_CLASS = make_kinds()
BEGINS = np.cumsum([0, *(len(growth.begins) - 1 for growth in GROWTHS), len(GAINS)])
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
def bouquet_values(factor: int) -> BouquetValues:
    """Return the values of all kinds, for two players, if gains count ``factor`` times (I15).

    Every card comes from the whole box; a point paid reduces the lead by two.
    """
    mean, square = np.zeros((BEGINS[-1], MOST_LEFT + 1)), np.zeros((BEGINS[-1], MOST_LEFT + 1))
    mean[BEGINS[BOUQUET_SIZE] :] = factor * GAINS[:, None]
    square[BEGINS[BOUQUET_SIZE] :] = mean[BEGINS[BOUQUET_SIZE] :] ** 2
    for size in range(BOUQUET_SIZE - 1, -1, -1):
        growth = GROWTHS[size]
        for i in range(len(growth.begins) - 1):
            ways = slice(growth.begins[i], growth.begins[i + 1])
            kinds, odds = BEGINS[size + 1] + growth.kinds[ways], growth.odds[ways]
            value, spread = odds @ mean[kinds], odds @ square[kinds]
            for price in range(MOST_REFUSALS, 0, -1):
                again, again_square = np.full(MOST_LEFT + 1, -np.inf), np.zeros(MOST_LEFT + 1)
                again[price:] = value[:-price] - 2 * price
                again_square[price:] = spread[:-price] - 4 * price * value[:-price] + 4 * price**2
                value = odds @ np.maximum(mean[kinds], again)
                spread = odds @ np.where(mean[kinds] >= again, square[kinds], again_square)
            mean[BEGINS[size] + i], square[BEGINS[size] + i] = value, spread
    return BouquetValues(mean, np.maximum(0.0, square - mean**2))
