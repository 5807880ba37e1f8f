"""The argument ``out_of_turn``: at the end of the deck the players who hold the cards do not get the turns.

After the draw of a card the number of turns is limited (H14), and after the last draw each player has one, in turn
order. A card that was dealt is played from the hand to which it was dealt. Everything else is made easier: hands have
no limit, tokens never run out, any player may act next until the last draw, a card drawn before may be in any hand, and
all cards that need not wait for the draw are already played. Even so, there are too few turns.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import popcount

from .cards import note, playable_cards
from .orders import FIRST_ORDER

__all__ = ["MOST_DRAWS", "is_out_of_turn", "waiting_cards"]

MOST_DRAWS = 16
"""The argument considers at most this many last draws: three bits per draw store the player who drew."""


@rule
def waiting_cards(rules, orders, order, target, at):
    """Return the cards of the target that cannot be played before the card at index ``at`` of the order is drawn."""
    cards = np.int64(0)
    for suit in range(rules.suits):
        latest = -1
        for place in range(rules.ranks):
            card = suit * rules.ranks + place
            if (target >> card) & 1:
                latest = max(latest, np.int64(orders.next[order, 0, card]))
                cards |= np.int64(latest >= at) << card
    return cards


@rule
def may_hold(rules, orders, at, owners, drawn, player, card):
    """Whether the player may hold the card: it was dealt to them, drawn before index ``at``, or drawn by them since."""
    dealt = rules.players * rules.hand_size
    for k in range(min(drawn, rules.deck_size)):
        if orders.decks[FIRST_ORDER, k] == card:
            if k >= at:
                owner = (owners >> (3 * (k - at))) & 7
            elif k >= dealt:
                owner = player + 1
            else:
                owner = k // rules.hand_size + 1
            if owner == player + 1:
                return True
    return False


@rule
def owners_after(rules, orders, at, waiting, owners, drawn, player):
    """Return ``owners`` after the player's next draw, recorded only for waiting cards and for the last card."""
    size = rules.deck_size
    if drawn < size and ((waiting >> np.int64(orders.decks[FIRST_ORDER, drawn])) & 1 or drawn == size - 1):
        return owners | np.int64(player + 1) << (3 * (drawn - at))
    return owners


@rule
def is_out_of_turn(rules, orders, target, at, stack, seen):
    """Return 1 if the cards waiting for index ``at`` cannot be played in time, 0 if they can, -1 after giving up.

    ``stack`` (n, 3) and ``seen`` (2^n, 3) are work arrays for positions: cards drawn (and, beyond the deck, turns of
    the last round), owners of drawn cards, cards played.
    """
    size = rules.deck_size
    waiting = waiting_cards(rules, orders, FIRST_ORDER, target, at)
    seen[:] = 0
    height, positions = rules.players, 0
    for player in range(rules.players):
        stack[player, 0] = at + 1
        stack[player, 1] = owners_after(rules, orders, at, waiting, np.int64(0), at, player)
        stack[player, 2] = 0
    while height > 0:
        height -= 1
        drawn, owners, played = stack[height, 0], stack[height, 1], stack[height, 2]
        missing = waiting & ~played
        if missing == 0:
            return 0
        if popcount(missing) > size + rules.players - drawn or not note(seen, drawn, owners, played):
            continue
        positions += 1
        if 2 * positions > len(seen) or height + rules.players * (rules.suits + 1) > len(stack):
            return -1
        first, count = np.int64(0), rules.players
        if drawn >= size:
            first, count = (owners >> (3 * (size - 1 - at))) + drawn - size, 1
        for k in range(count):
            player = (first + k) % rules.players
            after = owners_after(rules, orders, at, waiting, owners, drawn, player)
            playable = playable_cards(rules, missing)
            stack[height, 0] = drawn + 1
            stack[height, 1] = after
            stack[height, 2] = played
            height += 1
            while playable:
                card = popcount((playable & -playable) - 1)
                playable &= playable - 1
                if may_hold(rules, orders, at, owners, drawn, player, card):
                    stack[height, 0] = drawn + 1
                    stack[height, 1] = after
                    stack[height, 2] = played | np.int64(1) << card
                    height += 1
    return 1
