"""Positions with all cards known, reduced to what matters, and the moves worth trying.

A position consists of the needed cards in each hand, the hand sizes, the number of cards drawn, the fireworks and the
tokens. All other cards in a hand are useless and equal, and so is a second copy in the same hand. With bonus tiles (V4)
a position also has the needed cards with a copy in the discard, and the order of the deck.

Moves that are left out lose no solution. A useless card is dropped before a needed one, as its holder may treat the
needed one as useless. The last copy of a needed card is never dropped. A card is misplayed only while all information
tokens are available, because a discard is better. (With V6, plays are announced if that gains a token; it is not proven
that this is always right.)
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import popcount
from hanabi_env.engine.state import TILE_LIFE, TILE_PLAY_DISCARD, TILE_TAKE_BACK, TILE_TOKEN, TILES

from .cards import playable_cards
from .orders import FIRST_ORDER, deck_size, order_after, tiles_ahead

__all__ = [
    "NODE",
    "begin",
    "choices",
    "held_cards",
    "is_possible",
    "rescues",
    "take_turn",
]

NODE = np.dtype(
    [
        ("hands", np.int64, (5,)),  # needed cards in each hand, a bit each
        ("played", np.int64),  # cards on the fireworks, a bit each
        ("discards", np.int64),  # needed cards of which a copy was dropped, a bit each; 0 without bonus tiles
        ("sizes", np.uint8, (5,)),  # cards in each hand
        ("drawn", np.uint8),  # cards drawn from the deck, including the deal
        ("tokens", np.uint8),
        ("lives", np.uint8),
        ("turns", np.int8),  # turns left in the last round, or -1
        ("tiles", np.uint8),  # tiles turned up so far
        ("order", np.int16),  # order of the deck, see `benchmarks.strength.solvers.ceiling.orders`
    ],
    align=True,
)
"""One position."""

NOTHING, NOT_ALLOWED = -1, -2
"""Values used instead of the card that tile (f) plays."""


# --- Cards ------------------------------------------------------------------------------------------------------------


@rule
def held_cards(rules, node):
    """Return the needed cards in all hands."""
    held = np.int64(0)
    for player in range(rules.players):
        held |= node.hands[player]
    return held


# --- Turns ------------------------------------------------------------------------------------------------------------


@rule
def begin(rules, orders, target, node):
    """Set the position after the deal (H2, H3), with player 0 to move."""
    node.played = 0
    node.discards = 0
    node.tokens = rules.max_information_tokens
    node.lives = rules.max_life_tokens
    node.drawn = rules.players * rules.hand_size
    node.turns = rules.players if node.drawn == rules.deck_size and not rules.final_bouquet else -1
    node.tiles = 0
    node.order = FIRST_ORDER
    for player in range(rules.players):
        node.hands[player] = 0
        node.sizes[player] = rules.hand_size
        for slot in range(rules.hand_size):
            node.hands[player] |= (
                np.int64(1) << np.int64(orders.decks[FIRST_ORDER, player * rules.hand_size + slot])
            ) & target


@rule
def rescues(rules, orders, target, node):
    """Return how many lost cards tiles (e) and (f) may still bring back; none with V5."""
    return np.int64(0) if rules.final_bouquet else tiles_ahead(rules, orders, target, np.int64(node.tiles))


@rule
def is_possible(rules, orders, target, node, player, playable, move):
    """Whether the player to move can make this move, and it is not left out (see the module's docstring)."""
    cards = rules.suits * rules.ranks
    hand = node.hands[player]
    if move < cards:
        return (hand & playable) >> move & 1 != 0
    if move == 2 * cards + 1:
        others = np.int64(0)
        for other in range(rules.players):
            others += np.int64(node.sizes[other]) if other != player else 0
        return node.tokens > 0 and (others > 0 or rules.empty_hints != 0)
    useless = np.int64(node.sizes[player]) - popcount(hand)
    if move == 2 * cards:
        return useless > 0
    if useless > 0 or (hand >> (move - cards)) & 1 == 0:
        return False
    if node.tokens >= rules.max_information_tokens and (playable >> (move - cards)) & 1:
        return False  # it would be a play
    elsewhere = orders.rest[node.order, node.drawn]
    for other in range(rules.players):
        elsewhere |= node.hands[other] if other != player else 0
    return (elsewhere >> (move - cards)) & 1 != 0 or rescues(rules, orders, target, node) > 0


@rule
def take_turn(rules, orders, target, node, player, move, choice):
    """Make a move with its choice for a tile (see `decks.py`), and return whether the choice is possible."""
    cards = rules.suits * rules.ranks
    one = np.int64(1)
    passes = move == 2 * cards + 1
    is_allowed = True
    if passes:
        node.tokens -= 1
    elif move < cards:
        if rules.choreography:
            gain_token(rules, node)
        put_down(rules, node, move)
        if is_complete(rules, node, move):
            is_allowed = complete(rules, orders, target, node, move, choice)
    else:
        if move < 2 * cards:
            node.hands[player] &= ~(one << (move - cards))
            node.discards |= (one << (move - cards)) * rules.flamboyants
        if node.tokens < rules.max_information_tokens:
            node.tokens += 1
        else:
            node.lives -= 1
    if node.turns > 0:
        node.turns -= 1
    if not passes:
        draw_next(rules, orders, target, node, player)
    return is_allowed


@rule
def put_down(rules, node, card):
    """H10: play the card on its firework; its copies are useless from now on."""
    node.played |= np.int64(1) << card
    node.discards &= ~(np.int64(1) << card)
    for other in range(rules.players):
        node.hands[other] &= ~(np.int64(1) << card)


@rule
def is_complete(rules, node, card):
    """H11: whether the firework of the card is complete."""
    whole = ((np.int64(1) << rules.ranks) - 1) << (card // rules.ranks * rules.ranks)
    return node.played & whole == whole


@rule
def gain_token(rules, node):
    """Return one information token, unless all are available."""
    if node.tokens < rules.max_information_tokens:
        node.tokens += 1


@rule
def draw_next(rules, orders, target, node, player):
    """Replace a card that left the hand by the next one of the deck; the last one begins the last round (H14)."""
    size = deck_size(rules, np.int64(node.order))
    if node.drawn == size:
        node.sizes[player] -= 1
        return
    card = np.int64(1) << np.int64(orders.decks[node.order, node.drawn])
    if target & ~node.played & card:
        node.hands[player] |= card
    node.drawn += 1
    if node.drawn == size and node.turns < 0 and not rules.final_bouquet:
        node.turns = rules.players


# --- Bonus tiles (V4) -------------------------------------------------------------------------------------------------


@rule
def choices(rules, orders, move, node):
    """Return the number of choices to try at a move; 1 if it turns up no tile with a choice."""
    cards = rules.suits * rules.ranks
    if not rules.flamboyants or move >= cards or node.tiles == TILES:
        return 1
    if move % rules.ranks < rules.ranks - 1 or move // rules.ranks == rules.black_suit:
        return 1
    tile = orders.tiles[node.tiles]
    return 2 * cards + 1 if tile == TILE_TAKE_BACK else cards + 1 if tile == TILE_PLAY_DISCARD else 1


@rule
def complete(rules, orders, target, node, card, choice):
    """Give a token (H11, V3) or apply a tile (V4) for a complete firework; return whether the choice is possible.

    A tile may complete another firework.
    """
    is_allowed = True
    while True:
        if not rules.flamboyants or card // rules.ranks == rules.black_suit:
            gain_token(rules, node)
            return is_allowed
        if node.tiles == TILES or target & ~node.played == 0:
            return is_allowed
        tile = orders.tiles[node.tiles]
        node.tiles += 1
        card = NOTHING
        if tile == TILE_LIFE and node.lives < rules.max_life_tokens:
            node.lives += 1
        if tile in (TILE_TOKEN, TILE_LIFE):
            gain_token(rules, node)
        elif tile == TILE_TAKE_BACK and not plays_instead(rules, node, choice):
            is_allowed &= take_back(rules, orders, target, node, choice)
        elif tile in (TILE_TAKE_BACK, TILE_PLAY_DISCARD):
            card = played_discard(rules, target, node, choice)
            is_allowed &= card != NOT_ALLOWED
        if card < 0 or not is_complete(rules, node, card):
            return is_allowed
        choice = np.int64(0)


@rule
def plays_instead(rules, node, choice):
    """E10: whether tile (e) is applied as (f), which is allowed on an empty deck."""
    is_empty = np.int64(node.drawn) == deck_size(rules, np.int64(node.order))
    return is_empty and choice > rules.suits * rules.ranks


@rule
def take_back(rules, orders, target, node, choice):
    """Apply tile (e): shuffle the chosen needed card, or a useless one, into the deck; return whether that can be."""
    cards = rules.suits * rules.ranks
    held = np.int64(0)
    for player in range(rules.players):
        held += np.int64(node.sizes[player])
    needed = node.discards & target
    dropped = np.int64(node.drawn) + 1 - held - popcount(node.played)  # the completing card has left its hand
    if dropped == 0:
        return choice == 0  # nothing to take back: the effect is lost
    if choice == 0:
        card = cards
        if dropped == popcount(needed):
            return False
    else:
        card = choice - 1
        if choice > cards or (needed >> card) & 1 == 0:
            return False
        node.discards &= ~(np.int64(1) << card)
    order = order_after(rules, orders, np.int64(node.drawn), card)
    if order < 0:
        return False
    node.order = order
    return True


@rule
def played_discard(rules, target, node, choice):
    """Apply tile (f): play the chosen card of the discard and return it; or `NOTHING`, or `NOT_ALLOWED`."""
    fitting = node.discards & playable_cards(rules, target & ~node.played)
    if choice == 0:
        return NOT_ALLOWED if fitting else NOTHING
    card = (choice - 1) % (rules.suits * rules.ranks)
    if (fitting >> card) & 1 == 0:
        return NOT_ALLOWED
    put_down(rules, node, card)
    return card
