"""What the rule lists share: fixed places of cards in a hand, and the literal hint that each rule would give, or -1.

A drawn card takes the place of the card that left, and *first* refers to these places. The game itself moves newer
cards up (slot 0 is the oldest card).
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, has_bit
from hanabako.engine.rng import random_below
from hanabi_env.engine.cards import playable_set, player_at, rank_of, suit_of
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY

from .knowledge import (
    color_hint,
    color_to_tell,
    hand_count,
    is_allowed,
    is_rank_over,
    known_rank,
    known_suit,
    nth_hint,
    rank_hint,
    steps_away,
)

NO_SLOT = -1  # at a place without a card

# --- Fixed places -----------------------------------------------------------------------------------------------------


@rule
def lay_out(rules, memory, view):
    """Assign places after the deal, the oldest card first."""
    for player in range(rules.players):
        for place in range(rules.hand_size):
            memory.slots[player, place] = place if place < hand_count(view, player) else NO_SLOT


@rule
def keep_places(rules, memory, view, event):
    """``observe``: a card that leaves its hand frees its place, and a drawn card takes the first free place."""
    if event.kind == EVENT_PLAY or event.kind == EVENT_DISCARD:
        free_place(rules, memory, np.int64(event.player), np.int64(event.slot))
    for player in range(rules.players):
        fill_places(rules, memory, player, hand_count(view, player))


@rule
def free_place(rules, memory, player, slot):
    """Free the place of the card in ``slot``, which has left the hand, and renumber the slots of newer cards."""
    for place in range(rules.hand_size):
        if memory.slots[player, place] == slot:
            memory.slots[player, place] = NO_SLOT
        elif memory.slots[player, place] > slot:
            memory.slots[player, place] -= 1


@rule
def fill_places(rules, memory, player, count):
    """Give places to the newest of the ``count`` cards in a hand, those that have none yet."""
    placed = 0
    for place in range(rules.hand_size):
        placed += 1 if memory.slots[player, place] != NO_SLOT else 0
    for place in range(rules.hand_size):
        if memory.slots[player, place] == NO_SLOT and placed < count:
            memory.slots[player, place] = placed
            placed += 1


# --- A hint about one card --------------------------------------------------------------------------------------------


@rule
def name_color(rules, view, offset, slot, mask):
    """Return a legal hint about the color of a card, or -1."""
    color = color_to_tell(rules, view, player_at(rules, view.current_player, offset), slot)
    action = color_hint(rules, offset, color)
    return action if color >= 0 and is_allowed(mask, action) else -1


@rule
def name_rank(rules, view, offset, slot, mask):
    """Return a legal hint about the rank of a card, or -1."""
    action = rank_hint(rules, offset, rank_of(rules, view.hands[player_at(rules, view.current_player, offset), slot]))
    return action if is_allowed(mask, action) else -1


@rule
def name_either(rules, view, offset, slot, rank_first, only_new, mask):
    """Return a legal hint about a card's rank or color, or -1; ``only_new``: only about what its holder does not know.

    It is about the rank if ``rank_first``, or if no color can be named.
    """
    plausible = view.plausible[player_at(rules, view.current_player, offset), slot]
    names_rank = not only_new or known_rank(rules, plausible) < 0
    names_color = not only_new or known_suit(rules, plausible) < 0
    rank = name_rank(rules, view, offset, slot, mask) if names_rank else -1
    color = name_color(rules, view, offset, slot, mask) if names_color else -1
    first, second = (rank, color) if rank_first else (color, rank)
    return first if first >= 0 else second


# --- The rules --------------------------------------------------------------------------------------------------------


@rule
def tell_playable(rules, memory, view, offset, at_random, mask, key):
    """Return a hint about a player's first playable card; unless ``at_random``, the first that is not fully known."""
    player = player_at(rules, view.current_player, offset)
    playable = playable_set(rules, view)
    for place in range(rules.hand_size):
        slot = memory.slots[player, place]
        if slot != NO_SLOT and has_bit(playable, view.hands[player, slot]) != ZERO:
            rank_first = not at_random or random_below(key, 0, 2) == 0
            action = name_either(rules, view, offset, slot, rank_first, not at_random, mask)
            if at_random or action >= 0:
                return action
    return -1


@rule
def tell_unknown(rules, memory, view, mask):
    """Return a hint that tells the next player something new, about the first card possible."""
    for place in range(rules.hand_size):
        slot = memory.slots[player_at(rules, view.current_player, 1), place]
        action = name_either(rules, view, 1, slot, False, True, mask) if slot != NO_SLOT else -1
        if action >= 0:
            return action
    return -1


@rule
def tell_at_random(rules, view, mask, key):
    """Return a hint about the color or rank of a random card of the next player."""
    count = hand_count(view, player_at(rules, view.current_player, 1))
    if count == 0:
        return -1
    return name_either(rules, view, 1, random_below(key, 1, count), random_below(key, 0, 2) == 0, False, mask)


@rule
def tell_dispensable(rules, memory, view, mask):
    """Return a hint that shows a player that a card is useless: its color, its rank, or the one not known yet."""
    for other in range(rules.players):
        offset = (other - memory.player) % rules.players
        if offset == 0:
            continue
        for place in range(rules.hand_size):
            slot = memory.slots[other, place]
            action = show_useless(rules, view, offset, slot, mask) if slot != NO_SLOT else -1
            if action >= 0:
                return action
    return -1


@rule
def show_useless(rules, view, offset, slot, mask):
    """Return the hint of `tell_dispensable` for one card, or -1."""
    player = player_at(rules, view.current_player, offset)
    card = view.hands[player, slot]
    suit = known_suit(rules, view.plausible[player, slot])
    rank = known_rank(rules, view.plausible[player, slot])
    if suit < 0 and view.fireworks[suit_of(rules, card)] == rules.ranks:
        return name_color(rules, view, offset, slot, mask)
    if rank < 0 and is_rank_over(rules, view, rank_of(rules, card)):
        return name_rank(rules, view, offset, slot, mask)
    if (suit < 0) != (rank < 0) and steps_away(rules, view, card) < 0:
        return name_either(rules, view, offset, slot, True, True, mask)
    return -1


@rule
def tell_most(rules, memory, view, mask):
    """Return the hint that is new for the most touched cards; ranks before colors, player 0 first."""
    best, best_count = -1, 0
    for other in range(rules.players):
        offset = (other - memory.player) % rules.players
        if offset == 0:
            continue
        for value in range(rules.ranks + rules.colors):
            is_rank = value < rules.ranks
            action, touched = nth_hint(rules, offset, (rules.colors + value) % (rules.colors + rules.ranks))
            count = count_news(rules, view, other, touched, is_rank)
            if count > best_count and is_allowed(mask, action):
                best, best_count = action, count
    return best


@rule
def count_news(rules, view, player, touched, is_rank):
    """Return the number of ``touched`` cards in a hand whose rank (or color) is not known."""
    count = 0
    for slot in range(hand_count(view, player)):
        plausible = view.plausible[player, slot]
        is_known = (known_rank(rules, plausible) if is_rank else known_suit(rules, plausible)) >= 0
        if not is_known and has_bit(touched, view.hands[player, slot]) != ZERO:
            count += 1
    return count
