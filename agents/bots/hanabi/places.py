"""Fixed places of cards in a hand: a drawn card takes the place of the card that left.

The game itself moves newer cards up (slot 0 is the oldest card). But "the first card" of a published bot may refer to
fixed places. The fields and functions here keep track of them.
"""

from typing import Any

import numpy as np

from hanabako.compiler.jit import rule
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY

from .knowledge import hand_count

NO_SLOT = -1


def places(rules: Any) -> list[tuple]:
    """Return the memory field of this module: the slot of the card at each place of a hand, or `NO_SLOT`."""
    return [("slots", np.int64, (rules.players, rules.hand_size))]


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
