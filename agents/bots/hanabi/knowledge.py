"""Helpers of all Hanabi bots: which cards are needed or critical, what hints have shown, legal actions.

Sets of cards are bits, as in `hanabi_env.engine.cards`. All functions work for every variant: the black firework runs
down (V3), and multicolor cards may exist once each (V1).

All bots name their arguments in the same way and order: ``rules, memory, view, player`` (or ``offset``), ``slot,
card``, other arguments, then ``mask, key``. ``plausible`` and ``possible`` are the sets of cards that one card may be:
by hints alone, and by conventions too.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ZERO, bit, has_bit, low_bits, nth_set_bit, popcount
from hanabi_env.engine.actions import (
    first_announced_play,
    first_choice,
    first_color_hint,
    first_play,
    first_rank_hint,
    shuffle_back,
)
from hanabi_env.engine.cards import (
    copies,
    place_of,
    played_set,
    rank_at,
    rank_of,
    suit_of,
    suit_set,
    thermometer_of,
    touched_by_color,
    touched_by_rank,
)
from hanabi_env.engine.rules import is_all_discarded
from hanabi_env.engine.state import CHOICE_OF_E, NO_TILE, TILE_TAKE_BACK
from hanabi_env.engine.tiles import choosable_cards

# --- Cards ------------------------------------------------------------------------------------------------------------


@rule
def card_at(rules, suit, place):
    """Return the card of ``suit`` at a place on its firework, 0 for the first."""
    return suit * rules.ranks + rank_at(rules, suit, place)


@rule
def place_of_card(rules, card):
    """Return the place of a card on its firework, 0 for the first."""
    return place_of(rules, suit_of(rules, card), rank_of(rules, card))


@rule
def rest_of_firework(rules, card):
    """Return the set of ``card`` and all cards after it on its firework."""
    cards = ZERO
    for place in range(place_of_card(rules, card), rules.ranks):
        cards |= bit(card_at(rules, suit_of(rules, card), place))
    return cards


@rule
def steps_away(rules, view, card):
    """Return how many cards must be played before ``card``: 0 if it is playable, negative if it has been played."""
    return place_of_card(rules, card) - np.int64(view.fireworks[suit_of(rules, card)])


@rule
def is_rank_over(rules, view, rank):
    """Whether the cards of this rank have been played on all fireworks."""
    return touched_by_rank(rules, rank) & ~played_set(rules, view) == ZERO


@subroutine
def needed_set(rules, view):
    """Return the cards that can still be played, now or later; all others are dead.

    They are not on a firework, and at least one copy is left of them and of every card that must come before them.
    """
    cards = ZERO
    for suit in range(rules.suits):
        for place in range(np.int64(view.fireworks[suit]), rules.ranks):
            card = card_at(rules, suit, place)
            if is_all_discarded(rules, view, card):
                break
            cards |= bit(card)
    return cards


@rule
def copies_left(rules, view, card):
    """Return the number of copies of a card that are not discarded (one of them may be on its firework)."""
    suit = suit_of(rules, card)
    gone = popcount(view.discarded[suit] & thermometer_of(rules, card))
    return copies(rules, suit, rank_of(rules, card)) - gone


@subroutine
def count_to_come(rules, view, counts):
    """Write to ``counts`` (suits * ranks,) how many copies of each card are neither discarded nor on its firework."""
    for suit in range(rules.suits):
        gone = np.uint64(view.discarded[suit])
        for rank in range(rules.ranks):
            number = copies(rules, suit, rank)
            counts[suit * rules.ranks + rank] = number - popcount(gone & low_bits(number))
            gone >>= np.uint64(number)
        for place in range(np.int64(view.fireworks[suit])):
            counts[card_at(rules, suit, place)] -= 1


@rule
def used_up(rules, counts):
    """Return the cards of which ``counts`` (suits * ranks,) has none left."""
    cards = ZERO
    for card in range(rules.suits * rules.ranks):
        cards |= bit(card) if counts[card] <= 0 else ZERO
    return cards


@rule
def hand_count(view, player):
    """Return the number of cards in a hand, signed: a range over an unsigned number would make slots unsigned too."""
    return np.int64(view.hand_count[player])


@subroutine
def count_unseen(rules, view, player, unseen):
    """Write to ``unseen`` (suits * ranks,) how many copies of each card are in the hand of ``player`` or the deck."""
    count_to_come(rules, view, unseen)
    for other in range(rules.players):
        if other != player:
            for slot in range(hand_count(view, other)):
                unseen[view.hands[other, slot]] -= 1


# --- What hints have shown --------------------------------------------------------------------------------------------


@rule
def known_suit(rules, plausible):
    """Return the suit that all ``plausible`` cards share, or -1."""
    for suit in range(rules.suits):
        if np.uint64(plausible) & ~suit_set(rules, suit) == ZERO:
            return suit
    return -1


@rule
def known_rank(rules, plausible):
    """Return the rank that all ``plausible`` cards share, or -1."""
    for rank in range(rules.ranks):
        if np.uint64(plausible) & ~touched_by_rank(rules, rank) == ZERO:
            return rank
    return -1


@rule
def color_to_tell(rules, view, player, slot):
    """Return the color to name in a hint about a card's suit, or -1: no hint names black (V3).

    With V2, two different colors show that a card is multicolor, so the result is the lowest color not named yet, or
    -1.
    """
    suit = suit_of(rules, view.hands[player, slot])
    if suit < rules.colors:
        return suit
    if suit == rules.multicolor_suit:
        for color in range(rules.colors):
            if has_bit(view.hinted[player, slot], color) == ZERO:
                return color
    return -1


# --- Legal actions by kind --------------------------------------------------------------------------------------------


@rule
def is_allowed(mask, action):
    """Whether ``action`` is legal."""
    return has_bit(mask[action >> 6], action & 63) != ZERO


@rule
def first_allowed(mask, begin, end):
    """Return the lowest legal action in ``range(begin, end)``, or -1."""
    for action in range(begin, end):
        if is_allowed(mask, action):
            return action
    return -1


@rule
def any_hint(rules, mask):
    """Return the lowest legal hint, or -1."""
    return first_allowed(mask, first_color_hint(rules), first_announced_play(rules))


@rule
def any_action(rules, mask):
    """Return the lowest legal action, for positions that a convention does not cover."""
    return first_allowed(mask, 0, rules.num_actions)


@rule
def color_hint(rules, offset, color):
    """Return the action that hints a color to the player ``offset`` seats to the left."""
    return first_color_hint(rules) + (offset - 1) * rules.colors + color


@rule
def rank_hint(rules, offset, rank):
    """Return the action that hints a rank to the player ``offset`` seats to the left."""
    return first_rank_hint(rules) + (offset - 1) * rules.ranks + rank


@rule
def nth_hint(rules, offset, k):
    """Return the action of the ``k``-th hint to a receiver, and the cards it touches; colors first, then ranks."""
    if k < rules.colors:
        return color_hint(rules, offset, k), touched_by_color(rules, k)
    rank = k - rules.colors
    return rank_hint(rules, offset, rank), touched_by_rank(rules, rank)


@rule
def play_action(rules, slot, suit):
    """Return the action that plays a slot; with V6 it announces ``suit`` unless that is negative."""
    if rules.choreography and suit >= 0:
        return first_announced_play(rules) + slot * rules.suits + suit
    return first_play(rules) + slot


# --- Bonus tiles (V4) -------------------------------------------------------------------------------------------------


@rule
def is_choice_pending(rules, view):
    """Whether a tile (V4) asks for a discarded card, or tile (e) asks what to do with an empty deck."""
    asks = view.pending == CHOICE_OF_E or view.pending >= TILE_TAKE_BACK  # these tiles and later ones ask for a card
    return rules.flamboyants and view.pending != NO_TILE and asks


@subroutine
def choose_for_tile(rules, view, mask):
    """Choose for a tile (V4): play from the discards rather than shuffle back; choose the card that is needed most.

    That is a card with no other copy left, if there is one, and among those the one closest to being playable.
    """
    if view.pending == CHOICE_OF_E:
        action = shuffle_back(rules)
        return action + 1 if is_allowed(mask, action + 1) else action
    cards = choosable_cards(rules, view)
    best, best_value = nth_set_bit(cards, 0), -1000
    for card in range(rules.suits * rules.ranks):
        if has_bit(cards, card) != ZERO:
            away = steps_away(rules, view, card)
            value = (20 if is_all_discarded(rules, view, card) else 0) - away if away >= 0 else -100
            if value > best_value:
                best, best_value = card, value
    return first_choice(rules) + best
