"""Values of incomplete bouquets: the odds of the cards to come, and when to stop refusing them.

A turn is an optimal stopping problem. Let card c have the value X(c), let the k-th refusal have the price p(k), and let
at most K refusals be affordable. Then the value of the turn is f(0), where

    f(K) = E[X]                                  the card must be kept,
    f(k) = E[max(X, f(k + 1) - p(k + 1))]        keep it, or refuse it and go on.

`stopping_worth` computes this with the odds of the cards that the player has not seen. `BOUQUET_WORTHS` is the same
recursion over a whole round, as if every card were drawn from the whole box: for every bouquet of up to four cards, by
its values and its numbers of colors and jokers.
"""

from itertools import combinations_with_replacement

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, popcount
from ikebana_env.engine.cards import all_copies, color_set, copies, value_set
from ikebana_env.engine.state import BOUQUET_SIZE, COLORS, DECK_SIZE, JOKER, KINDS, NO_CARD, VALUES

MOST_PLAYERS = 5
MOST_REFUSALS = 8  # the most refusals per turn that a bot considers: together they cost 36
COLOR_CLASSES = 5 * 5  # by the numbers of colors and of jokers among up to four cards


# --- Counting ---------------------------------------------------------------------------------------------------------


@rule
def count_unseen(rules, memory, view):
    """Count the cards that this seat cannot see, by kind: it sees bouquets, top discards and its drawn card.

    With J3 it sees all discards. If nothing else is left to draw, the cards below the top discards are counted, as they
    become the next deck (I9, J1).
    """
    for card in range(KINDS):
        memory.unseen[card] = copies(card)
        for player in range(rules.players):
            memory.unseen[card] -= popcount(view.bouquets[player] & all_copies(card))
    for player in range(rules.players):
        for k in range(view.discard_count[player]):
            see(memory, np.int64(view.discards[player, k]))
    see(memory, np.int64(view.drawn))
    if nothing_unseen(memory):
        count_buried(rules, memory, view)


@rule
def nothing_unseen(memory):
    """Whether no card is left to draw."""
    left = 0
    for card in range(KINDS):
        left += memory.unseen[card]
    return left == 0


@rule
def count_buried(rules, memory, view):
    """Add the cards below the top discards to the unseen cards."""
    for player in range(rules.players):
        for k in range(np.int64(view.discard_count[player]) - 1):
            memory.unseen[np.int64(view.discards[player, k])] += 1


@rule
def see(memory, card):
    """Remove a card that is seen from ``memory.unseen``; `NO_CARD` is ignored."""
    if card != NO_CARD:
        memory.unseen[card] -= 1


# --- A turn -----------------------------------------------------------------------------------------------------------


@rule
def stopping_worth(memory, level, refusals, most, prestige, factor):
    """Return f of the module's docstring after ``refusals`` refusals, with the values in row ``level`` of ``worths``.

    Up to ``most`` refusals per turn are considered, as far as ``prestige`` pays for them; ``factor`` is the cost of a
    point paid. At least one card must be unseen.
    """
    last, _ = payable(prestige, refusals, most)
    worth = mean_of_best(memory, level, -np.inf)
    for refusal in range(last, refusals, -1):
        worth = mean_of_best(memory, level, worth - factor * refusal)
    return worth


@rule
def payable(prestige, refusals, most):
    """Return the last refusal, at most ``most``, that ``prestige`` pays for after ``refusals``, and the cost so far."""
    last, paid = refusals, 0
    while last < most and prestige - paid > last:
        last += 1
        paid += last
    return last, paid


@rule
def mean_of_best(memory, level, other):
    """Return E[max(X, other)] over the unseen cards."""
    total, count = 0.0, 0
    for card in range(KINDS):
        number = memory.unseen[card]
        if number > 0:
            total += number * max(memory.worths[level, card], other)
            count += number
    return total / count


# --- Classes of bouquets ----------------------------------------------------------------------------------------------


@rule
def value_class(cards):
    """Return the number of a bouquet's class by its values, for up to four cards; see `VALUE_CLASSES`."""
    code = 0
    for value in range(VALUES, 0, -1):
        code = code * BOUQUET_SIZE + popcount(cards & value_set(value))
    return np.int64(VALUE_CLASSES[code])


@rule
def color_class(cards):
    """Return a bouquet's numbers of colors and of jokers, combined into one number."""
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
"""The values of a bouquet in ascending order, its number of colors, and its number of jokers."""


def points_of_values(values: tuple[int, ...]) -> int:
    """Return the points by I10, computed from the values alone."""
    sums = sum(value for value in values if values.count(value) > 1)
    straights = (((1, 2, 3, 4), 8), ((2, 3, 4, 5), 12), ((1, 2, 3, 4, 5), 15))
    return max([sums, *(points for straight, points in straights if set(straight) <= set(values))])


def multiplier_of_colors(colors: int, jokers: int) -> int:
    """Return the multiplier by I11, computed from the numbers alone."""
    if colors <= 1:
        return 4
    return 3 if colors + jokers == COLORS else 2 if colors == 2 else 1


def next_classes(values: tuple[int, ...], colors: int, jokers: int) -> list[tuple[Class, float]]:
    """Return the classes after one more card from the whole box, with their probabilities."""
    odds: list[tuple[Class, float]] = []
    for value in range(1, VALUES + 1):
        grown = tuple(sorted((*values, value)))
        in_a_color = int(copies(value - 1))
        odds.append(((grown, colors, jokers + 1), 1 / DECK_SIZE))
        odds.append(((grown, colors, jokers), in_a_color * colors / DECK_SIZE))
        odds.append(((grown, colors + 1, jokers), in_a_color * (COLORS - colors) / DECK_SIZE))
    return [(after, probability) for after, probability in odds if probability > 0]


def worths_of_classes(factor: float, refusals: int) -> dict[Class, float]:
    """Return the value of every bouquet of up to four cards at the end of a turn, by its class.

    Args:
        factor: the cost of a point of prestige paid.
        refusals: the most refusals per turn.
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
    """Return `worths_of_classes` as an array by `value_class` and `color_class`: float64 (classes, COLOR_CLASSES)."""
    by_class = np.zeros((len(VALUE_CLASS_INDEX), COLOR_CLASSES))
    for (values, colors, jokers), worth in worths_of_classes(factor, refusals).items():
        by_class[VALUE_CLASS_INDEX[values], colors * BOUQUET_SIZE + jokers] = worth
    return by_class


BOUQUET_WORTHS = np.stack(
    [make_worths(players / (players - 1), MOST_REFUSALS) for players in range(2, MOST_PLAYERS + 1)]
)
"""Values of bouquets whose owner chooses well from then on: float64 (players - 2, value class, color class)."""

KEEPING_WORTHS = make_worths(0.0, 0)
"""Values of bouquets whose owner keeps every card from then on: float64 (value class, color class)."""
