"""The arguments ``crowded`` and ``reshuffled``: even one common hand, as large as all hands together, fills up.

In this easier game any player may act, and tokens never run out. Still only one card is played or dropped per draw, and
the hand fills up with cards that must be kept. A playable card is played at once, and a useless card is dropped before
a needed one, so the search branches only if there is neither. It is complete.

With bonus tiles (V4) it also branches if completing a firework would turn up tile (e) or (f): now or later, and with
any card that was drawn, as it may be in the discard. Tile (f) plays that card, tile (e) shuffles it into the deck. An
order that is then too late (see `benchmarks.strength.solvers.ceiling.arguments`) is not followed.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import popcount
from hanabi_env.engine.state import NO_TILE, TILE_PLAY_DISCARD, TILE_TAKE_BACK, TILES

from .cards import note, playable_cards
from .orders import FIRST_ORDER, deck_size, is_turned, order_after, tiles_ahead, turned_by

__all__ = ["COLUMNS", "fills_up"]

COLUMNS = 5
"""The numbers of a position: order of the deck, cards drawn, needed cards in hand, cards played, needed cards
dropped."""
LOST, GETS_THROUGH, BRANCHES = 0, 1, -1


@rule
def next_tile(rules, orders, target, played):
    """Return tile (e) or (f) if the next complete firework turns it up, else `NO_TILE`."""
    if rules.flamboyants:
        first = turned_by(rules, played)
        if first < TILES:
            tile = orders.tiles[first]
            if tile in (TILE_TAKE_BACK, TILE_PLAY_DISCARD) and is_turned(rules, orders, target, first, tile):
                return tile
    return np.int64(NO_TILE)


@rule
def choosy_cards(rules, orders, target, pool, played):
    """Return the playable cards in hand that turn up tile (e) or (f)."""
    if next_tile(rules, orders, target, played) == NO_TILE:
        return np.int64(0)
    return pool & playable_cards(rules, target & ~played) & last_cards(rules)


@rule
def last_cards(rules):
    """Return the last card of every firework that turns up a tile."""
    cards = np.int64(0)
    for suit in range(rules.suits):
        cards |= np.int64(suit != rules.black_suit) << (suit * rules.ranks + rules.ranks - 1)
    return cards


@rule
def run_on(rules, orders, target, spared, is_late, position):
    """Play and drop cards without loss until there is a choice (`BRANCHES`) or the result is known.

    ``spared`` is the number of cards that need no turn, ``is_late`` whether the deck as dealt is too late.
    """
    one = np.int64(1)
    order, drawn, pool, played, dropped = position
    size, room = deck_size(rules, order), rules.players * rules.hand_size
    while True:
        needed = target & ~played
        if not rules.final_bouquet and popcount(needed) > size - drawn + rules.players + spared:
            return LOST, (order, drawn, pool, played, dropped)
        ahead = tiles_ahead(rules, orders, target, turned_by(rules, played))
        if drawn == size:
            is_lost = popcount(needed & ~pool) > ahead or (is_late and order == FIRST_ORDER)
            return LOST if is_lost else GETS_THROUGH, (order, drawn, pool, played, dropped)
        fitting = pool & playable_cards(rules, needed)
        choosy = choosy_cards(rules, orders, target, pool, played)
        if fitting & ~choosy:
            first = (fitting & ~choosy) & -(fitting & ~choosy)
            played |= first
            pool &= ~first
            dropped &= ~first
        elif choosy or popcount(pool) >= room:
            return BRANCHES, (order, drawn, pool, played, dropped)
        card = (one << np.int64(orders.decks[order, drawn])) & target & ~played
        dropped = (dropped | (pool & card)) if ahead else np.int64(0)
        pool |= card
        drawn += 1


@rule
def push(rules, orders, target, stack, height, position):
    """Push a position after its draw onto the stack, and return the new height."""
    order, drawn, pool, played, dropped = position
    card = (np.int64(1) << np.int64(orders.decks[order, drawn])) & target & ~played
    stack[height, 0] = order
    stack[height, 1] = drawn + 1
    stack[height, 2] = pool | card
    stack[height, 3] = played
    stack[height, 4] = dropped | (pool & card) if tiles_ahead(rules, orders, target, turned_by(rules, played)) else 0
    return height + 1


@rule
def push_drops(rules, orders, target, stack, height, position):
    """Push positions without a needed card that comes again, or that a tile may bring back (with V5 none may)."""
    order, drawn, pool, played, dropped = position
    rest = orders.rest[order, drawn]
    droppable = pool & rest
    if not rules.final_bouquet:
        lost = popcount(target & ~played & ~pool & ~rest)
        if lost < tiles_ahead(rules, orders, target, turned_by(rules, played)):
            droppable = pool
    while droppable:
        card = droppable & -droppable
        droppable &= ~card
        height = push(rules, orders, target, stack, height, (order, drawn, pool & ~card, played, dropped | card))
    return height


@rule
def push_played(rules, orders, target, stack, height, position):
    """Push positions after tile (f) plays any drawn card that is playable, or none; -1 if it completes a firework."""
    order, drawn, pool, played, dropped = position
    height = push(rules, orders, target, stack, height, position)
    fitting = (pool | dropped) & playable_cards(rules, target & ~played)
    while fitting:
        card = fitting & -fitting
        fitting &= ~card
        if card & last_cards(rules):
            return -1
        height = push(
            rules, orders, target, stack, height, (order, drawn, pool & ~card, played | card, dropped & ~card)
        )
    return height


@rule
def push_shuffled(rules, orders, target, late, stack, height, position):
    """Push positions after tile (e) shuffles any needed card that was drawn, or a useless one, into the deck.

    Decks that are then late are skipped. The tile may have no effect if the discard may be empty. Returns -1 if there
    is no room for another order.
    """
    _order, drawn, pool, played, dropped = position
    cards = rules.suits * rules.ranks
    if popcount(played) >= drawn - rules.players * rules.hand_size:
        height = push(rules, orders, target, stack, height, position)
    if late[drawn]:
        return height
    for card in range(cards + 1):
        if card == cards or ((pool | dropped) >> card) & 1:
            shuffled = order_after(rules, orders, drawn, card)
            if shuffled < 0:
                return -1
            left = dropped & ~(np.int64(1) << card)
            height = push(rules, orders, target, stack, height, (shuffled, drawn, pool, played, left))
    return height


@rule
def branch(rules, orders, target, late, stack, height, position):
    """Push all next positions of a position with a choice; return the height of the stack, or -1 to give up."""
    order, drawn, pool, played, dropped = position
    tile = next_tile(rules, orders, target, played)
    choosy = choosy_cards(rules, orders, target, pool, played)
    if popcount(pool) >= rules.players * rules.hand_size:
        height = push_drops(rules, orders, target, stack, height, position)
    else:
        height = push(rules, orders, target, stack, height, position)
    while choosy and height >= 0:
        card = choosy & -choosy
        choosy &= ~card
        after = (order, drawn, pool & ~card, played | card, dropped & ~card)
        if tile == TILE_PLAY_DISCARD:
            height = push_played(rules, orders, target, stack, height, after)
        else:
            height = push_shuffled(rules, orders, target, late, stack, height, after)
    return height


@rule
def fills_up(rules, orders, target, late, stack, seen):
    """Return 1 if the common hand cannot get through, 0 if it can, -1 if there are too many positions.

    ``late`` (deck + 2) says by the number of cards drawn whether a shuffle comes too late, and its last entry whether
    the deck as dealt is too late. ``stack`` (n, `COLUMNS`) and ``seen`` (2^n, 3) are work arrays for positions.
    """
    cards = rules.suits * rules.ranks
    plays = np.int64(is_turned(rules, orders, target, 0, TILE_PLAY_DISCARD))
    takes_back = np.int64(is_turned(rules, orders, target, 0, TILE_TAKE_BACK))
    is_late = late[rules.deck_size + 1] != 0
    seen[:] = 0
    pool = dropped = np.int64(0)
    for at in range(rules.players * rules.hand_size):
        card = (np.int64(1) << np.int64(orders.decks[FIRST_ORDER, at])) & target
        dropped |= pool & card
        pool |= card
    stack[0, 0] = FIRST_ORDER
    stack[0, 1] = rules.players * rules.hand_size
    stack[0, 2] = pool
    stack[0, 3] = 0
    stack[0, 4] = dropped if plays + takes_back else 0
    height, positions = 1, 0
    while height > 0:
        height -= 1
        order = stack[height, 0]
        position = (order, stack[height, 1], stack[height, 2], stack[height, 3], stack[height, 4])
        spared = plays + takes_back * (order == FIRST_ORDER)
        fate, position = run_on(rules, orders, target, spared, is_late, position)
        if fate == GETS_THROUGH:
            return 0
        order, drawn, pool, played, dropped = position
        if fate == LOST or not note(seen, drawn | order << 7 | dropped << 18, pool, played):
            continue
        positions += 1
        if 2 * positions > len(seen) or height + 2 * cards * (rules.suits + 1) > len(stack):
            return -1
        height = branch(rules, orders, target, late, stack, height, position)
        if height < 0:
            return -1
    return 1
