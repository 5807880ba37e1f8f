"""What every Hanabi bot asks of its view: sets of cards that are dead, critical or playable, and legal actions by kind.

Cards are sets of bits as in `hanabi_env.engine.rules`; all functions are `rule`: plain Python, inlined into compiled loops.
They hold for every variant: black powder runs downwards (V3), multicolor cards may be single (V1).
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
from hanabi_env.engine.cards import copies, hand_set, rank_of, suit_of, suit_set, thermometer_of, touched_by_rank
from hanabi_env.engine.rules import is_all_discarded
from hanabi_env.engine.state import CHOICE_OF_E, NO_TILE, TILE_TAKE_BACK
from hanabi_env.engine.tiles import choosable_cards

# --- Sets of cards ----------------------------------------------------------------------------------------------------


@rule
def card_at(rules, suit, k):
    """The ``k``-th card (0-based) that a firework takes. V3: black begins with the highest rank."""
    return suit * rules.ranks + (rules.ranks - 1 - k if suit == rules.black_suit else k)


@rule
def steps_away(rules, view, card):
    """How many cards its firework lacks below ``card``: 0 is playable, negative is on the firework already."""
    suit = suit_of(rules, card)
    rank = rank_of(rules, card)
    place = rules.ranks - 1 - rank if suit == rules.black_suit else rank
    return place - np.int64(view.fireworks[suit])


@subroutine
def needed_set(rules, view):
    """Cards that can still be played, now or later; all others are dead.

    They are not on a firework, and no card below them is lost in all its copies.
    """
    cards = ZERO
    for suit in range(rules.suits):
        for k in range(np.int64(view.fireworks[suit]), rules.ranks):
            card = card_at(rules, suit, k)
            if is_all_discarded(rules, view, card):
                break
            cards |= bit(card)
    return cards


@rule
def copies_left(rules, view, card):
    """Copies of a card that are not in the discard (one of them may be on its firework)."""
    suit = suit_of(rules, card)
    gone = popcount(view.discarded[suit] & thermometer_of(rules, card))
    return copies(rules, suit, rank_of(rules, card)) - gone


@subroutine
def critical_set(rules, view, needed):
    """Cards among ``needed`` of which one copy is left: their discard costs points."""
    cards = ZERO
    for card in range(rules.suits * rules.ranks):
        if has_bit(needed, card) != ZERO and copies_left(rules, view, card) == 1:
            cards |= bit(card)
    return cards


@rule
def hand_count(view, player):
    """Cards in a hand, as a signed number: a range over an unsigned one makes its slots unsigned too."""
    return np.int64(view.hand_count[player])


@rule
def hand_without(rules, view, player, slot):
    """The set of cards in a hand but for the one in ``slot``."""
    cards = ZERO
    for k in range(hand_count(view, player)):
        if k != slot:
            cards |= bit(view.hands[player, k])
    return cards & low_bits(rules.suits * rules.ranks)


@rule
def hands_of_others(rules, view, player):
    """The set of cards in all hands but the one of ``player``."""
    cards = ZERO
    for other in range(rules.players):
        if other != player:
            cards |= hand_set(rules, view, other)
    return cards


@subroutine
def count_unseen(rules, view, player, unseen):
    """Write to ``unseen`` (suits * ranks,) how many copies of every card ``player`` sees nowhere: own hand and deck."""
    for card in range(rules.suits * rules.ranks):
        unseen[card] = copies_left(rules, view, card) - (1 if steps_away(rules, view, card) < 0 else 0)
    for other in range(rules.players):
        if other != player:
            for slot in range(hand_count(view, other)):
                unseen[view.hands[other, slot]] -= 1


# --- What hints have told ---------------------------------------------------------------------------------------------


@rule
def known_suit(rules, plausible):
    """The suit that all ``plausible`` cards have, or -1."""
    for suit in range(rules.suits):
        if np.uint64(plausible) & ~suit_set(rules, suit) == ZERO:
            return suit
    return -1


@rule
def known_rank(rules, plausible):
    """The rank that all ``plausible`` cards have, or -1."""
    for rank in range(rules.ranks):
        if np.uint64(plausible) & ~touched_by_rank(rules, rank) == ZERO:
            return rank
    return -1


@rule
def color_to_tell(rules, view, player, slot):
    """The color that a hint can name to tell a card's suit, or -1 (V3).

    V2: multicolor takes two colors, so the lowest that has not been named yet, or -1.
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
    """``action`` is legal."""
    return has_bit(mask[action >> 6], action & 63) != ZERO


@rule
def first_allowed(mask, begin, end):
    """The lowest legal action from ``begin`` to ``end`` - 1, or -1."""
    for action in range(begin, end):
        if is_allowed(mask, action):
            return action
    return -1


@rule
def any_hint(rules, mask):
    """A legal hint, or -1."""
    return first_allowed(mask, first_color_hint(rules), first_announced_play(rules))


@rule
def any_action(rules, mask):
    """A legal action: what remains where a convention has nothing to say."""
    return first_allowed(mask, 0, rules.num_actions)


@rule
def color_hint(rules, offset, color):
    """The action that names a color to the player ``offset`` seats to the left."""
    return first_color_hint(rules) + (offset - 1) * rules.colors + color


@rule
def rank_hint(rules, offset, rank):
    """The action that names a rank to the player ``offset`` seats to the left."""
    return first_rank_hint(rules) + (offset - 1) * rules.ranks + rank


@rule
def play_action(rules, slot, card):
    """Play the card in a slot. V6: announce its suit where ``card`` is known (from 0; -1: say nothing)."""
    if rules.choreography and card >= 0:
        return first_announced_play(rules) + slot * rules.suits + suit_of(rules, card)
    return first_play(rules) + slot


# --- Bonus tiles (V4) -------------------------------------------------------------------------------------------------


@rule
def is_choice_pending(rules, view):
    """V4: a tile asks for a card of the discard, or for what tile (e) shall be on an empty deck."""
    return rules.flamboyants and view.pending != NO_TILE and (view.pending == CHOICE_OF_E or asks_for_card(view))


@rule
def asks_for_card(view):
    """V4: a card of the discard is to be chosen."""
    return view.pending >= TILE_TAKE_BACK


@subroutine
def choose_for_tile(rules, view, mask):
    """V4: play from the discard rather than shuffle back; of the cards on offer the one that is needed most.

    That is: one of which no copy is left elsewhere, and which is the fewest steps away from its firework.
    """
    if view.pending == CHOICE_OF_E:
        action = shuffle_back(rules)
        return action + 1 if is_allowed(mask, action + 1) else action
    cards = choosable_cards(rules, view)
    best = nth_set_bit(cards, 0)
    best_worth = -1000
    for card in range(rules.suits * rules.ranks):
        if has_bit(cards, card) != ZERO:
            worth = worth_of_return(rules, view, card)
            if worth > best_worth:
                best_worth = worth
                best = card
    return first_choice(rules) + best


@rule
def worth_of_return(rules, view, card):
    """How good it is to have a discarded card back, for comparison."""
    away = steps_away(rules, view, card)
    if away < 0:
        return -100
    return (20 if is_all_discarded(rules, view, card) else 0) - away
