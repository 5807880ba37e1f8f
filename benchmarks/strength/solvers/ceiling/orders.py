"""The orders in which the cards of a game may come: as the deck was shuffled, and as tile (e) shuffles it again (V4).

All of chance is known here: the deck, the order of the bonus tiles, and what a shuffle would make of the deck, which
depends on how many cards are drawn by then and on nothing else. The card that tile (e) takes back from the discard is
shuffled with the deck, so an order has its number by both: cards drawn, and card taken back. There is one tile of each
kind, so there is one shuffle at most. Without bonus tiles there is one order.
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
"""The numbers of the order as it was dealt, and of one that belongs to no card."""
TAKEN_BACK = -1
"""Stands for the card that tile (e) takes back."""

ORDERS = np.dtype(
    [
        # cards as in `benchmarks.strength.solvers.ceiling.decks`, and suits * ranks for any card that is useless
        ("tiles", np.int64, (TILES,)),  # the bonus tiles, next first
        ("shuffled", np.int8, (MOST_DECK, MOST_DECK)),  # by cards drawn: the others and `TAKEN_BACK` shuffled, top last
        ("numbers", np.int16, (MOST_DECK, MOST_CARDS + 1)),  # of orders, by cards drawn and card taken back; 0: none
        ("count", np.int64),  # orders met so far
        # of each order, and the next two from each place of it on:
        ("decks", np.int8, (MOST_ORDERS, MOST_DECK)),  # its cards, from the top card of the deal on
        ("next", np.uint8, (MOST_ORDERS, MOST_DECK + 1, MOST_CARDS)),  # where each card comes, or the deck's size
        ("rest", np.int64, (MOST_ORDERS, MOST_DECK + 1)),  # the set of the cards that come
    ],
    align=True,
)
"""What is known of the cards of one game."""


def empty_orders() -> NDArray[np.void]:
    """Room for one game: an array (1,) of `ORDERS`."""
    return np.zeros(1, interned(ORDERS))


@rule
def survey(rules, orders, order):
    """Fill in what comes from each place of an order on."""
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
    """A new deck lies there as it was dealt: no other order has been met."""
    for drawn in range(rules.deck_size + 1):
        for card in range(rules.suits * rules.ranks + 1):
            orders.numbers[drawn, card] = FIRST_ORDER
    orders.count = 1
    survey(rules, orders, FIRST_ORDER)


@rule
def deck_size(rules, order):
    """Cards of an order, those included that are drawn: tile (e) adds the one that it takes back."""
    return rules.deck_size + (order != FIRST_ORDER)


@rule
def lay_shuffled(rules, orders, drawn, card, order):
    """Let an order be the deal, whose first cards are ``drawn``, and what a shuffle makes of the rest and a card."""
    size = deck_size(rules, order)
    for at in range(drawn):
        orders.decks[order, at] = orders.decks[FIRST_ORDER, at]
    for at in range(drawn, size):
        shuffled = orders.shuffled[drawn, size - 1 - at]
        orders.decks[order, at] = card if shuffled == TAKEN_BACK else shuffled
    survey(rules, orders, order)


@rule
def order_after(rules, orders, drawn, card):
    """The number of the order after tile (e) took a card back, or -1 if there is no room for one more."""
    number = np.int64(orders.numbers[drawn, card])
    if number == FIRST_ORDER and orders.count < SPARE:
        number = orders.count
        orders.count += 1
        orders.numbers[drawn, card] = number
        lay_shuffled(rules, orders, drawn, card, number)
    return number if number != FIRST_ORDER else -1


@rule
def turned_by(rules, played):
    """How many fireworks are complete that turn a tile up."""
    whole = (np.int64(1) << rules.ranks) - 1
    tiles = 0
    for suit in range(rules.suits):
        tiles += suit != rules.black_suit and (played >> (suit * rules.ranks)) & whole == whole
    return tiles


@rule
def tiles_turned(rules, target):
    """How many tiles are turned up by those who play just the target: one a suit, but none for black or by the end.

    E4: what completes everything turns none up; it may be black (V3).
    """
    everything = (np.int64(1) << (rules.suits * rules.ranks)) - 1
    return turned_by(rules, target) - (rules.black_suit < 0 and target == everything)


@rule
def is_turned(rules, orders, target, first, tile):
    """The tile is turned up, by those who play just the target, and is not among the ``first`` ones."""
    if rules.flamboyants:
        for k in range(first, min(tiles_turned(rules, target), TILES)):
            if orders.tiles[k] == tile:
                return True
    return False


@rule
def tiles_ahead(rules, orders, target, first):
    """How many of the tiles (e) and (f) are turned up after the ``first`` ones."""
    plays = np.int64(is_turned(rules, orders, target, first, TILE_PLAY_DISCARD))
    return plays + is_turned(rules, orders, target, first, TILE_TAKE_BACK)
