"""What matters of a position whose cards everybody knows, and the moves that are worth a try.

That is: which needed cards are in which hand, how many cards that is, how far the deck is drawn, the fireworks and the
tokens. Everything else in a hand is useless, one such card is like another, and a second copy in one hand is useless
too.

Moves that are left out cost no solution. A useless card is dropped before a needed one, since whoever holds the needed
one may treat it as useless. The last copy of a needed card is never dropped. A card is misplayed only while all
information tokens are there, because a discard does more. (With V6 plays are announced where that brings a token; that
this is always right is not shown.)
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import popcount

__all__ = ["NODE", "begin", "held_cards", "is_possible", "note", "playable_cards", "survey", "take_turn", "turns_after"]

NODE = np.dtype(
    [
        ("hands", np.int64, (5,)),  # needed cards in each hand, a bit each
        ("played", np.int64),  # cards on the fireworks, a bit each
        ("sizes", np.uint8, (5,)),  # cards in each hand
        ("drawn", np.uint8),  # cards of the deck that are in hands or were
        ("tokens", np.uint8),
        ("lives", np.uint8),
        ("turns", np.int8),  # of the last round, or -1
    ],
    align=True,
)
"""One position."""


# --- Cards ------------------------------------------------------------------------------------------------------------


@rule
def survey(rules, deck, coming):
    """Fill ``coming`` (deck + 1, cards + 1) with what comes from each place of the deck on.

    It is where each card comes next, or the deck's size, and in the last column the set of the cards.
    """
    cards = rules.suits * rules.ranks
    size = len(deck)
    for card in range(cards):
        coming[size, card] = size
    coming[size, cards] = 0
    for k in range(size):
        at = size - 1 - k
        for card in range(cards + 1):
            coming[at, card] = coming[at + 1, card]
        coming[at, deck[at]] = at
        coming[at, cards] |= np.int64(1) << deck[at]


@rule
def playable_cards(rules, needed):
    """The lowest needed card of every suit."""
    whole = (np.int64(1) << rules.ranks) - 1
    cards = np.int64(0)
    for suit in range(rules.suits):
        missing = (needed >> (suit * rules.ranks)) & whole
        cards |= (missing & -missing) << (suit * rules.ranks)
    return cards


@rule
def held_cards(rules, node):
    """The needed cards in all hands."""
    held = np.int64(0)
    for player in range(rules.players):
        held |= node.hands[player]
    return held


@rule
def turns_after(rules, draws):
    """H14: in how many turns cards can be played for which one was missing that is drawn before the last ``draws``.

    One a draw, and the last round; but whoever draws the last card has the last turn of all.
    """
    return draws + rules.players if draws > 0 else 1


@rule
def note(seen, drawn, pool, played):
    """A position of three numbers is new; it is noted. ``seen`` (2^n, 3) begins as zeros, ``drawn`` is none."""
    size = len(seen)
    key = (np.uint64(pool) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(played) * np.uint64(0xBF58476D1CE4E5B9))
    at = np.int64((key ^ (key >> np.uint64(31))) & np.uint64(size - 1))
    while seen[at, 0] != 0:
        if seen[at, 0] == drawn and seen[at, 1] == pool and seen[at, 2] == played:
            return False
        at = (at + 1) & (size - 1)
    seen[at, 0] = drawn
    seen[at, 1] = pool
    seen[at, 2] = played
    return True


# --- Turns ------------------------------------------------------------------------------------------------------------


@rule
def begin(rules, deck, target, node):
    """H2, H3: the position after the deal, player 0 to move."""
    node.played = 0
    node.tokens = rules.max_information_tokens
    node.lives = rules.max_life_tokens
    node.drawn = rules.players * rules.hand_size
    node.turns = rules.players if node.drawn == len(deck) and not rules.final_bouquet else -1
    for player in range(rules.players):
        node.hands[player] = 0
        node.sizes[player] = rules.hand_size
        for slot in range(rules.hand_size):
            node.hands[player] |= (np.int64(1) << deck[player * rules.hand_size + slot]) & target


@rule
def is_possible(rules, coming, node, player, playable, move):
    """The player to move can make this move, and it is not one of those that the module's text leaves out."""
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
        return False  # it would be played
    elsewhere = coming[node.drawn, cards]
    for other in range(rules.players):
        elsewhere |= node.hands[other] if other != player else 0
    return (elsewhere >> (move - cards)) & 1 != 0


@rule
def take_turn(rules, deck, target, node, player, move):
    """A move (see `agents.ceiling.decks`) of the player to move."""
    cards = rules.suits * rules.ranks
    one = np.int64(1)
    passes = move == 2 * cards + 1
    if passes:
        node.tokens -= 1
    elif move < cards:
        if rules.choreography:
            gain_token(rules, node)
        node.played |= one << move
        for other in range(rules.players):
            node.hands[other] &= ~(one << move)
        whole = ((one << rules.ranks) - 1) << (move // rules.ranks * rules.ranks)
        if node.played & whole == whole:
            gain_token(rules, node)
    else:
        if move < 2 * cards:
            node.hands[player] &= ~(one << (move - cards))
        if node.tokens < rules.max_information_tokens:
            node.tokens += 1
        else:
            node.lives -= 1
    if node.turns > 0:
        node.turns -= 1
    if not passes:
        draw_next(rules, deck, target, node, player)


@rule
def gain_token(rules, node):
    """One token back, if there is room."""
    if node.tokens < rules.max_information_tokens:
        node.tokens += 1


@rule
def draw_next(rules, deck, target, node, player):
    """A card has left the hand: the next one of the deck replaces it. H14: the last one begins the last round."""
    if node.drawn == len(deck):
        node.sizes[player] -= 1
        return
    card = np.int64(1) << deck[node.drawn]
    if target & ~node.played & card:
        node.hands[player] |= card
    node.drawn += 1
    if node.drawn == len(deck) and not rules.final_bouquet:
        node.turns = rules.players
