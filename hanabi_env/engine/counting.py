"""Card counting: the dead cards, and the cards whose copies have all been seen by all players or by one player.

Three sets hold the counts: the cards of which at least one, two and three copies have been seen.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, bit
from hanabi_env.engine.cards import (
    all_cards,
    copies,
    first_copy,
    following,
    is_all_discarded,
    played_set,
    player_at,
)


@rule
def dead_set(rules, s):
    """Return the cards that can never be played: on a firework, or blocked by a card whose copies are all discarded."""
    played = played_set(rules, s)
    lost = all_discarded_set(rules, s) & ~played
    for _ in range(rules.ranks - 1):
        lost |= following(rules, lost)
    return played | (lost & all_cards(rules))


@rule
def all_discarded_set(rules, s):
    """Return the set of cards whose copies are all in the discard."""
    cards = ZERO
    for card in range(rules.suits * rules.ranks):
        if is_all_discarded(rules, s, card):
            cards |= bit(card)
    return cards


@rule
def discarded_sets(rules, s):
    """Return three sets: the cards with at least one, two and three copies in the discard."""
    one, two, three = ZERO, ZERO, ZERO
    for suit in range(rules.suits):
        pile = np.uint64(s.discarded[suit])
        for rank in range(rules.ranks):
            thermometer = pile >> np.uint64(first_copy(rules, suit, rank))
            card = np.uint64(suit * rules.ranks + rank)
            number = copies(rules, suit, rank)
            one |= (thermometer & ONE) << card
            if number > 1:
                two |= ((thermometer >> ONE) & ONE) << card
            if number > 2:
                three |= ((thermometer >> np.uint64(2)) & ONE) << card
    return one, two, three


@rule
def see(sets, cards):
    """Return the three sets after one more copy of each of ``cards`` was seen."""
    one, two, three = sets
    return one | cards, two | (one & cards), three | (two & cards)


@rule
def public_sets(rules, s):
    """Return three sets: the cards with at least one, two and three copies that all players see."""
    return see(discarded_sets(rules, s), played_set(rules, s))


@rule
def seen_sets(rules, s, observer):
    """Return three sets: the cards with at least one, two and three copies that the observer sees."""
    sets = public_sets(rules, s)
    for offset in range(1, rules.players):
        player = player_at(rules, observer, offset)
        for slot in range(rules.hand_size):
            sets = see(sets, bit(s.hands[player, slot]) & all_cards(rules))
    return sets


@rule
def all_copies_in(rules, sets):
    """Return the set of cards whose copies are all counted in ``sets``."""
    cards = ZERO
    for suit in range(rules.suits):
        for rank in range(rules.ranks):
            cards |= sets[copies(rules, suit, rank) - 1] & bit(suit * rules.ranks + rank)
    return cards
