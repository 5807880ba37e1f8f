"""What a bouquet in the making is worth: the odds of the cards to come, and when to stop refusing them.

A turn is a problem of optimal stopping. Let a card c have the worth X(c), let the k-th refusal have the price p(k), and
let at most K refusals be affordable. Then the turn is worth f(0), where

    f(K) = E[X]                                  the card must be kept,
    f(k) = E[max(X, f(k + 1) - p(k + 1))]        keep it, or refuse it and go on.

`stopping_worth` computes this with the odds of the cards that the player has not seen. `BOUQUET_WORTHS` holds the same
recursion carried through a whole round, as if every card came from the whole box: for every bouquet of up to four
cards, by its values and its numbers of colors and jokers.
"""

from itertools import combinations_with_replacement

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, has_bit, popcount
from ikebana_env.engine.cards import color_set, copies, first_copy, value_set
from ikebana_env.engine.state import BOUQUET_SIZE, COLORS, DECK_SIZE, JOKER, KINDS, NO_CARD, VALUES

MOST_PLAYERS = 5
MOST_REFUSALS = 8  # the most per turn that a florist considers: they cost 36
COLOR_CLASSES = 5 * 5  # by the numbers of colors and of jokers among up to four cards


# --- Counting ---------------------------------------------------------------------------------------------------------


@rule
def count_unseen(rules, memory, view):
    """Count the cards that this seat cannot see, by kind: bouquets, top discards and its drawn card are seen.

    J3: or all discards are; where nothing else is left to draw, what lies below their tops is counted, for that is the
    next deck (I9, J1).
    """
    left = 0
    for card in range(KINDS):
        seen = 0
        for player in range(rules.players):
            for k in range(copies(card)):
                seen += np.int64(has_bit(view.bouquets[player], first_copy(card) + k))
        memory.unseen[card] = copies(card) - seen
    for player in range(rules.players):
        for k in range(view.discard_count[player]):
            see(memory, np.int64(view.discards[player, k]))
    see(memory, np.int64(view.drawn))
    for card in range(KINDS):
        left += memory.unseen[card]
    if left == 0:
        for player in range(rules.players):
            for k in range(np.int64(view.discard_count[player]) - 1):
                memory.unseen[np.int64(view.discards[player, k])] += 1


@rule
def see(memory, card):
    """A card is seen; `NO_CARD` is none."""
    if card != NO_CARD:
        memory.unseen[card] -= 1


# --- A turn -----------------------------------------------------------------------------------------------------------


@rule
def stopping_worth(memory, level, refusals, most, prestige, factor):
    """F of the module's docstring, after that many refusals, with the worths of ``level`` in ``memory``.

    Up to ``most`` refusals per turn are considered, as far as ``prestige`` pays for them; ``factor`` is what a point
    paid counts for. There must be a card that is not seen.
    """
    last, _ = payable(prestige, refusals, most)
    worth = mean_of_best(memory, level, -np.inf)
    for refusal in range(last, refusals, -1):
        worth = mean_of_best(memory, level, worth - factor * refusal)
    return worth


@rule
def payable(prestige, refusals, most):
    """The last refusal of a turn that ``prestige`` pays for after ``refusals``, up to ``most``, and what these cost."""
    last, paid = refusals, 0
    while last < most and prestige - paid > last:
        last += 1
        paid += last
    return last, paid


@rule
def mean_of_best(memory, level, other):
    """E[max(X, other)] over the unseen cards."""
    total = 0.0
    count = 0
    for card in range(KINDS):
        number = memory.unseen[card]
        if number > 0:
            total += number * max(memory.worths[level, card], other)
            count += number
    return total / count


# --- Classes of bouquets ----------------------------------------------------------------------------------------------


@rule
def value_class(cards):
    """The number of a bouquet's class by its values, for up to four cards: see `VALUE_CLASSES`."""
    code = 0
    for value in range(VALUES, 0, -1):
        code = code * BOUQUET_SIZE + popcount(cards & value_set(value))
    return np.int64(VALUE_CLASSES[code])


@rule
def color_class(cards):
    """The numbers of colors and of jokers, as one number."""
    colors = 0
    for color in range(COLORS):
        colors += np.int64(cards & color_set(color) != ZERO)
    return colors * BOUQUET_SIZE + popcount(cards & color_set(JOKER))


ALL_VALUES = [values for size in range(BOUQUET_SIZE) for values in combinations_with_replacement(range(1, 6), size)]
VALUE_CLASS_INDEX = {values: index for index, values in enumerate(ALL_VALUES)}
"""The values of every bouquet of up to four cards, small bouquets first, and the index of each: its class by values."""

VALUE_CLASSES = np.full(BOUQUET_SIZE**VALUES, -1, np.int16)
"""The index of some values, by a code whose digits are the count of each value: int16 (5^5,)."""
for _values, _index in VALUE_CLASS_INDEX.items():
    VALUE_CLASSES[sum(_values.count(value) * BOUQUET_SIZE ** (value - 1) for value in range(1, 6))] = _index


# --- Worths -----------------------------------------------------------------------------------------------------------

Class = tuple[tuple[int, ...], int, int]
"""The values of a bouquet in ascending order, the number of its colors, and of its jokers."""


def points_of_values(values: tuple[int, ...]) -> int:
    """I10, on values alone."""
    sums = sum(value for value in values if values.count(value) > 1)
    straights = (((1, 2, 3, 4), 8), ((2, 3, 4, 5), 12), ((1, 2, 3, 4, 5), 15))
    return max([sums, *(points for straight, points in straights if set(straight) <= set(values))])


def multiplier_of_colors(colors: int, jokers: int) -> int:
    """I11, on numbers alone."""
    if colors <= 1:
        return 4
    return 3 if colors + jokers == COLORS else 2 if colors == 2 else 1


def next_classes(values: tuple[int, ...], colors: int, jokers: int) -> list[tuple[Class, float]]:
    """The classes that one more card from the whole box leads to, with their probabilities."""
    odds: list[tuple[Class, float]] = []
    for value in range(1, VALUES + 1):
        grown = tuple(sorted((*values, value)))
        in_a_color = int(copies(value - 1))
        odds.append(((grown, colors, jokers + 1), 1 / DECK_SIZE))
        odds.append(((grown, colors, jokers), in_a_color * colors / DECK_SIZE))
        odds.append(((grown, colors + 1, jokers), in_a_color * (COLORS - colors) / DECK_SIZE))
    return [(after, probability) for after, probability in odds if probability > 0]


def worths_of_classes(factor: float, refusals: int) -> dict[Class, float]:
    """What every bouquet of up to four cards is worth once a turn is over, by its class.

    Args:
        factor: what a point of prestige paid counts for.
        refusals: the most per turn.
    """
    worths: dict[Class, float] = {}

    def worth_of(after: Class) -> float:
        values, colors, jokers = after
        if len(values) == BOUQUET_SIZE:
            return points_of_values(values) * multiplier_of_colors(colors, jokers)
        if after not in worths:
            outcomes = [(worth_of(grown), probability) for grown, probability in next_classes(*after)]
            worth = sum(x * probability for x, probability in outcomes)
            for refusal in range(refusals, 0, -1):
                other = worth - factor * refusal
                worth = sum(max(x, other) * probability for x, probability in outcomes)
            worths[after] = worth
        return worths[after]

    worth_of(((), 0, 0))
    return worths


def make_worths(factor: float, refusals: int) -> np.ndarray:
    """`worths_of_classes` by `value_class` and `color_class`: float64 (classes, COLOR_CLASSES)."""
    by_class = np.zeros((len(VALUE_CLASS_INDEX), COLOR_CLASSES))
    for (values, colors, jokers), worth in worths_of_classes(factor, refusals).items():
        by_class[VALUE_CLASS_INDEX[values], colors * BOUQUET_SIZE + jokers] = worth
    return by_class


BOUQUET_WORTHS = np.stack(
    [make_worths(players / (players - 1), MOST_REFUSALS) for players in range(2, MOST_PLAYERS + 1)]
)
"""The worth of a bouquet whose owner goes on to choose well: float64 (players - 2, value class, color class)."""

KEEPING_WORTHS = make_worths(0.0, 0)
"""The worth of a bouquet whose owner will keep whatever comes: float64 (value class, color class)."""
