"""The orders in which the cards of a game may come: as dealt, and after a shuffle by tile (e) (V4).

All random events are known here: the deck, the order of the bonus tiles, and the result of a shuffle, which depends
only on how many cards have been drawn. The card that tile (e) takes back from the discard is shuffled into the deck, so
an order is numbered by the cards drawn and the card taken back. There is one tile of each kind, so there is at most one
shuffle. Without bonus tiles there is one order.
"""

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.jit import interned, rule
from hanabi_env.engine.state import TILE_PLAY_DISCARD, TILE_TAKE_BACK, TILES

__all__ = [
    "FIRST_ORDER",
    "MOST_DECK",
    "ORDERS",
    "SPARE",
    "TAKEN_BACK",
    "deck_size",
    "empty_orders",
    "forget_orders",
    "is_turned",
    "lay_shuffled",
    "order_after",
    "tiles_ahead",
    "turned_by",
]

MOST_ORDERS, MOST_CARDS, MOST_DECK = 2048, 35, 71
FIRST_ORDER, SPARE = 0, MOST_ORDERS - 1
"""The numbers of the order as dealt, and of a spare one that belongs to no card."""
TAKEN_BACK = -1
"""Stands for the card that tile (e) takes back."""

ORDERS = np.dtype(
    [
        # cards as in `benchmarks.strength.solvers.ceiling.decks`, and suits * ranks for any card that is useless
        ("tiles", np.int64, (TILES,)),  # the bonus tiles, next first
        ("shuffled", np.int8, (MOST_DECK, MOST_DECK)),  # by cards drawn: the others and `TAKEN_BACK` shuffled, top last
        ("numbers", np.int16, (MOST_DECK, MOST_CARDS + 1)),  # of orders, by cards drawn and card taken back; 0: none
        ("count", np.int64),  # orders made so far
        # for each order; the last two fields also for each index in the order:
        ("decks", np.int8, (MOST_ORDERS, MOST_DECK)),  # its cards, from the top card of the deal on
        ("next", np.uint8, (MOST_ORDERS, MOST_DECK + 1, MOST_CARDS)),  # next index of each card, or the deck's size
        ("rest", np.int64, (MOST_ORDERS, MOST_DECK + 1)),  # the set of cards still to come
    ],
    align=True,
)
"""The cards of one game in all their orders."""


def empty_orders() -> NDArray[np.void]:
    """Return an array (1,) of `ORDERS` for one game."""
    return np.zeros(1, interned(ORDERS))


@rule
def survey(rules, orders, order):
    """Fill in ``next`` and ``rest`` of an order."""
    cards = rules.suits * rules.ranks
    size = deck_size(rules, order)
    for card in range(cards):
        orders.next[order, size, card] = size
    orders.rest[order, size] = 0
    for k in range(size):
        at = size - 1 - k
        for card in range(cards):
            orders.next[order, at, card] = orders.next[order, at + 1, card]
        orders.rest[order, at] = orders.rest[order, at + 1]
        here = np.int64(orders.decks[order, at])
        if here < cards:
            orders.next[order, at, here] = at
            orders.rest[order, at] |= np.int64(1) << here


@rule
def forget_orders(rules, orders):
    """Reset the orders after a new deck was dealt: no other order has been made."""
    for drawn in range(rules.deck_size + 1):
        for card in range(rules.suits * rules.ranks + 1):
            orders.numbers[drawn, card] = FIRST_ORDER
    orders.count = 1
    survey(rules, orders, FIRST_ORDER)


@rule
def deck_size(rules, order):
    """Return the number of cards in an order, including drawn ones; tile (e) adds the one that it takes back."""
    return rules.deck_size + (order != FIRST_ORDER)


@rule
def lay_shuffled(rules, orders, drawn, card, order):
    """Set an order: the first ``drawn`` cards as dealt, then the shuffled rest with ``card``."""
    size = deck_size(rules, order)
    for at in range(drawn):
        orders.decks[order, at] = orders.decks[FIRST_ORDER, at]
    for at in range(drawn, size):
        shuffled = orders.shuffled[drawn, size - 1 - at]
        orders.decks[order, at] = card if shuffled == TAKEN_BACK else shuffled
    survey(rules, orders, order)


@rule
def order_after(rules, orders, drawn, card):
    """Return the number of the order after tile (e) took a card back, or -1 if there is no room for another."""
    number = np.int64(orders.numbers[drawn, card])
    if number == FIRST_ORDER and orders.count < SPARE:
        number = orders.count
        orders.count += 1
        orders.numbers[drawn, card] = number
        lay_shuffled(rules, orders, drawn, card, number)
    return number if number != FIRST_ORDER else -1


@rule
def turned_by(rules, played):
    """Return how many complete fireworks turned up a tile."""
    whole = (np.int64(1) << rules.ranks) - 1
    tiles = 0
    for suit in range(rules.suits):
        tiles += suit != rules.black_suit and (played >> (suit * rules.ranks)) & whole == whole
    return tiles


@rule
def tiles_turned(rules, target):
    """Return how many tiles are turned up by playing exactly the target: one per complete suit except black.

    The card that completes everything turns none up (E4); it may be black (V3).
    """
    everything = (np.int64(1) << (rules.suits * rules.ranks)) - 1
    return turned_by(rules, target) - (rules.black_suit < 0 and target == everything)


@rule
def is_turned(rules, orders, target, first, tile):
    """Whether the tile is turned up by playing exactly the target, and is not among the ``first`` ones."""
    if rules.flamboyants:
        for k in range(first, min(tiles_turned(rules, target), TILES)):
            if orders.tiles[k] == tile:
                return True
    return False


@rule
def tiles_ahead(rules, orders, target, first):
    """Return how many of the tiles (e) and (f) are turned up after the ``first`` ones."""
    plays = np.int64(is_turned(rules, orders, target, first, TILE_PLAY_DISCARD))
    return plays + is_turned(rules, orders, target, first, TILE_TAKE_BACK)
