"""Common parts of the hat-guessing conventions: the common knowledge of every card.

A hat is a number that everyone except its wearer can see. Here a player's hat is a number computed from the player's
hand. The player who gives a hint announces the sum of the hats in sight, modulo the number of different hints. Every
other player subtracts the hats in sight and learns their own, so one hint informs every player (Cox, De Silva, DeOrsey,
Kenter, Retter, Tobin 2015, "How to make the perfect fireworks display").

Every seat keeps the *common knowledge* in ``memory.possible``: for each player and slot, the set of cards that it may
be, given hints, hats and counting. It is computed from public facts only, so all seats have the same sets.
"""

from typing import Any

import numpy as np

from hanabako.compiler.jit import interned, rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, popcount
from hanabi_env.engine.cards import following, playable_set
from hanabi_env.engine.state import EVENT_DISCARD, EVENT_HINT_COLOR, EVENT_HINT_RANK, EVENT_PLAY, NO_TILE

from .knowledge import copies_left, hand_count, needed_set, steps_away

ALPHABET = np.dtype(  # the messages that hints to one receiver can carry, see `messages.py`
    [
        ("rank_anchors", np.int64),  # slots, one bit each
        ("color_anchors", np.int64),
        ("rank_messages", np.int64),
        ("color_messages", np.int64),
        ("others", np.int64),  # 1 if hints that touch no anchor are a separate message
        ("before", np.int64),  # the messages of the receivers before this one
    ],
    align=True,
)


def fields(rules: Any) -> list[tuple]:
    """Return the memory fields of this module, with sizes from ``rules``."""
    players, hand = rules.players, rules.hand_size
    return [
        ("style", np.int64),
        ("player", np.int64),
        ("pending", np.int64),  # the tile that waited for a choice before the last step (V4)
        ("information_tokens", np.int64),  # before the last step
        ("deck_count", np.int64),  # before the last step
        ("tolerance", np.float64),  # messages are used if the probability that no hint carries them is at most this
        ("possible", np.uint64, (players, hand)),  # common knowledge; 0 in an empty slot
        ("draft", np.uint64, (players, hand)),  # the same while a message is computed
        ("saved", np.uint64, (players, hand)),  # the same before a move is tried
        ("mine", np.uint64, (hand,)),  # the seat's knowledge of its own cards, when it is to move
        ("hand_count", np.int64, (players,)),
        ("left", np.uint64, (3,)),  # cards of which more than 0, 1, 2 copies are neither played nor discarded
        ("unseen", np.uint64, (3,)),  # the same, without the hands that the seat sees
        ("playable", np.uint64),  # cards that are playable now
        ("needed", np.uint64),  # cards that can still be played
        ("alphabet", ALPHABET, (players,)),
        ("kinds", np.uint64, (hand,)),  # scratch: the ranks or suits that each card of a hand may have
        ("order", np.int64, (2 * hand,)),  # scratch: the subjects of a question, see `asking.py`
    ]


def memory_dtype(rules: Any) -> np.dtype:
    """Return the dtype of the common knowledge."""
    return interned(np.dtype(fields(rules), align=True))


# --- Public facts -----------------------------------------------------------------------------------------------------


@rule
def begin_public(rules, memory, view, player, style):
    """Begin with the deck list as common knowledge, and earlier hints if the game starts midway."""
    memory.style = style
    memory.player = player
    learn_state(rules, memory, view)


@rule
def learn_state(rules, memory, view):
    """Update the public facts: piles, tokens, new cards, hints."""
    read_piles(rules, memory, view)
    read_hands(rules, memory, view)
    count_copies(rules, memory)


@subroutine
def read_piles(rules, memory, view):
    """Compute ``left``, ``playable`` and ``needed`` from fireworks and discards; copy tokens, deck and tile."""
    memory.needed = needed_set(rules, view)
    memory.playable = playable_set(rules, view) & memory.needed
    for k in range(3):
        memory.left[k] = ZERO
    for card in range(rules.suits * rules.ranks):
        is_played = steps_away(rules, view, card) < 0
        for k in range(copies_left(rules, view, card) - (1 if is_played else 0)):
            memory.left[k] |= bit(card)
    memory.pending = view.pending if rules.flamboyants else NO_TILE
    memory.information_tokens = view.information_tokens
    memory.deck_count = view.deck_count


@rule
def remove_card(rules, memory, player, slot):
    """Remove a card that has left its hand, and move newer cards up."""
    for k in range(slot, rules.hand_size - 1):
        memory.possible[player, k] = memory.possible[player, k + 1]
    memory.possible[player, rules.hand_size - 1] = ZERO
    memory.hand_count[player] -= 1


@subroutine
def read_hands(rules, memory, view):
    """Apply the literal meaning of all hints, also to new cards. It counts alone if conventions contradict it."""
    for player in range(rules.players):
        for slot in range(hand_count(view, player)):
            plausible = np.uint64(view.plausible[player, slot]) & memory.left[0]
            both = plausible & memory.possible[player, slot] if slot < memory.hand_count[player] else plausible
            memory.possible[player, slot] = both if both != ZERO else plausible
        memory.hand_count[player] = hand_count(view, player)


@subroutine
def count_copies(rules, memory):
    """If all copies of a card are known to be in certain slots, remove it from all other slots."""
    is_new = True
    while is_new:
        is_new = False
        once, twice, thrice = ZERO, ZERO, ZERO
        for player in range(rules.players):
            for slot in range(memory.hand_count[player]):
                possible = memory.possible[player, slot]
                if is_known(possible):
                    thrice |= twice & possible
                    twice |= once & possible
                    once |= possible
        full = (once & ~memory.left[1]) | (twice & ~memory.left[2]) | thrice
        for player in range(rules.players):
            for slot in range(memory.hand_count[player]):
                if not is_known(memory.possible[player, slot]):
                    narrow(memory.possible, player, slot, ~full)
                    is_new = is_new or is_known(memory.possible[player, slot])


@subroutine
def deduce_own_hand(rules, memory, view):
    """Compute the seat's knowledge of its own cards: ``unseen`` and ``mine``."""
    for k in range(3):
        memory.unseen[k] = memory.left[k]
    for player in range(rules.players):
        if player != memory.player:
            for slot in range(memory.hand_count[player]):
                take_copy(memory.unseen, bit(view.hands[player, slot]))
    for slot in range(memory.hand_count[memory.player]):
        possible = memory.possible[memory.player, slot] & memory.unseen[0]
        memory.mine[slot] = possible if possible != ZERO else memory.possible[memory.player, slot]
    for _ in range(2):
        for slot in range(memory.hand_count[memory.player]):
            for other in range(memory.hand_count[memory.player]):
                sure = memory.mine[other]
                is_last = is_known(sure) and sure & memory.mine[slot] & ~memory.unseen[1] != ZERO
                if other != slot and is_last:
                    rest = memory.mine[slot] & ~sure
                    memory.mine[slot] = rest if rest != ZERO else memory.mine[slot]


@rule
def take_copy(left, card):
    """Remove one copy of ``card`` (a set of one) from those ``left``."""
    for k in range(2, -1, -1):
        gone = left[k] & card
        left[k] &= ~gone
        card &= ~gone


@rule
def is_known(possible):
    """Whether at most one card is possible."""
    return possible & (possible - ONE) == ZERO


@rule
def copies_in(left, cards):
    """Return how many copies of ``cards`` are ``left``."""
    return popcount(cards & left[0]) + popcount(cards & left[1]) + popcount(cards & left[2])


@rule
def probability_of(left, possible, cards):
    """Return the probability that a card is one of ``cards``, if each ``left`` copy of ``possible`` is equally likely.

    The sets ``left`` are the cards with more than 0, 1, 2 copies left.
    """
    return copies_in(left, possible & cards) / max(1, copies_in(left, possible))


@rule
def after_play(rules, memory, playable, card):
    """Return the playable cards after ``card`` (a set of one of them) has been played."""
    return (playable & ~card) | (following(rules, card) & memory.needed)


@rule
def is_hint(event):
    """Whether the step was a hint."""
    return event.kind == EVENT_HINT_COLOR or event.kind == EVENT_HINT_RANK


@rule
def learn_event(rules, memory, view, event):
    """Update the public facts after a step; a card that was played or discarded has left its hand."""
    if event.kind == EVENT_PLAY or event.kind == EVENT_DISCARD:
        remove_card(rules, memory, np.int64(event.player), np.int64(event.slot))
    learn_state(rules, memory, view)


# --- Drafts -----------------------------------------------------------------------------------------------------------


@rule
def copy_hands(rules, source, target):
    """Copy sets per player and slot, for example from ``possible`` to ``draft`` or ``saved`` and back."""
    for player in range(rules.players):
        for slot in range(rules.hand_size):
            target[player, slot] = source[player, slot]


@rule
def narrow(hands, player, slot, meant):
    """Restrict a card in ``hands``, sets per player and slot, to ``meant``, unless nothing would be left."""
    possible = hands[player, slot] & meant
    if possible != ZERO:
        hands[player, slot] = possible


@rule
def slots_within(memory, cards):
    """Return the seat's own slots whose card is certainly one of ``cards``, one bit each."""
    slots = ZERO
    for slot in range(memory.hand_count[memory.player]):
        slots |= bit(slot) if memory.mine[slot] & ~cards == ZERO else ZERO
    return slots
