"""Where cards lie in hands that do not close up: a card that is drawn takes the place of the one that left.

The game itself moves the newer cards up (slot 0 is the oldest card). Programs that say "the first card" may mean the
first in such a hand: the fields and functions here keep its order.
"""

from typing import Any

import numpy as np

from hanabako.compiler.jit import rule
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_PLAY

from .knowledge import hand_count

NO_SLOT = -1


def places(rules: Any) -> list[tuple]:
    """The field of a memory that this module keeps: the slot of the card at every place of a hand, or `NO_SLOT`."""
    return [("slots", np.int64, (rules.players, rules.hand_size))]


@rule
def lay_out(rules, memory, view):
    """The cards are dealt: the oldest lies first."""
    for p in range(rules.players):
        for place in range(rules.hand_size):
            memory.slots[p, place] = place if place < hand_count(view, p) else NO_SLOT


@rule
def keep_places(rules, memory, view, event):
    """``observe``: a card that leaves its hand frees its place, and what is drawn takes the first free one."""
    if event.kind == EVENT_PLAY or event.kind == EVENT_DISCARD:
        free_place(rules, memory, np.int64(event.player), np.int64(event.slot))
    for p in range(rules.players):
        fill_places(rules, memory, p, hand_count(view, p))


@rule
def free_place(rules, memory, p, slot):
    """The card in a slot has left the hand; the slots of newer ones are one less now."""
    for place in range(rules.hand_size):
        if memory.slots[p, place] == slot:
            memory.slots[p, place] = NO_SLOT
        elif memory.slots[p, place] > slot:
            memory.slots[p, place] -= 1


@rule
def fill_places(rules, memory, p, count):
    """Lay out the newest of the ``count`` cards of a hand that have no place yet."""
    placed = 0
    for place in range(rules.hand_size):
        placed += 1 if memory.slots[p, place] != NO_SLOT else 0
    for place in range(rules.hand_size):
        if memory.slots[p, place] == NO_SLOT and placed < count:
            memory.slots[p, place] = placed
            placed += 1
