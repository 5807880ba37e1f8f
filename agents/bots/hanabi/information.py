"""``information``: hat guessing in which a hat says to which part of its possible cards one card belongs.

The second strategy of Cox, De Silva, DeOrsey, Kenter, Retter, Tobin (2015), which is for five players; here it is for
any number. The convention:

1. In each hand the *target* is the unknown card that is most likely to be playable, by common knowledge. Its possible
   cards are divided into eight blocks (or as many as there are messages). All dead cards are the first block. Then as
   many cards as possible have a block each, in the order of their places on the fireworks, and the rest share the last
   blocks, eight per block.
2. A hint announces the sum of the blocks of all other players' targets, modulo eight. So every player learns the block
   of each target, including their own. With five players the number is given by the receiver and by whether a rank or a
   color is named; with fewer, see `messages.py`. Among hints with the same message, the one with the most informative
   literal meaning is given.
3. Moves. Play a certainly playable card. Discard a certainly dead card while few cards have been discarded. Give a hint
   if there is a token. Otherwise discard, in this order, a dead card, one that is held twice or seen in another hand,
   one that is certainly not the last copy, one that may not be the last copy (a step of the authors' program,
   rjtobin/HanSim, that the paper lacks), the oldest.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, has_bit, nth_set_bit, popcount
from hanabi_env.engine.cards import others_set, suit_of

from ..bot import Bot
from .hats import (
    begin_public,
    copy_hands,
    deduce_own_hand,
    is_hint,
    is_known,
    learn_event,
    memory_dtype,
    narrow,
    probability_of,
    slots_within,
)
from .knowledge import any_action, any_hint, card_at, choose_for_tile, is_allowed, is_choice_pending, play_action
from .messages import TWO_PER_RECEIVER, hint_for_message, make_alphabets, message_of
from .silence import useless_slots

BLOCKS = 8


@rule
def begin(rules, memory, view, player, style):
    """Begin with the deck list as the only knowledge."""
    begin_public(rules, memory, view, player, style)
    memory.tolerance = TWO_PER_RECEIVER if 2 * (rules.players - 1) >= BLOCKS else 0.0


@rule
def observe(rules, memory, view, event):
    """Update the common knowledge after a step; a hint announces the blocks of the targets."""
    giver = np.int64(event.player)
    if is_hint(event):
        messages = min(BLOCKS, make_alphabets(rules, memory, giver))
        sum_of_blocks(rules, memory, view, giver, messages, message_of(memory, event))
        copy_hands(rules, memory.draft, memory.possible)
    learn_event(rules, memory, view, event)


@subroutine
def sum_of_blocks(rules, memory, view, giver, messages, said):
    """Return the sum of the blocks in sight, modulo ``messages``; a receiver also learns its own block from ``said``.

    The new common knowledge is written to ``memory.draft``.
    """
    copy_hands(rules, memory.possible, memory.draft)
    if messages < 2:  # a tile's free hint may have its literal meaning only
        return 0
    total = 0
    for player in range(rules.players):
        if player not in (giver, memory.player):
            slot = target_of(memory, player)
            if slot >= 0:
                block = block_of(rules, memory, view.hands[player, slot], memory.possible[player, slot], messages)
                total += block
                learn_block(rules, memory, player, slot, block, messages)
    if giver != memory.player:
        slot = target_of(memory, memory.player)
        if slot >= 0:
            learn_block(rules, memory, memory.player, slot, (said - total) % messages, messages)
    return total % messages


@rule
def learn_block(rules, memory, player, slot, block, blocks):
    """Restrict a target in the draft to the cards of a block."""
    narrow(memory.draft, player, slot, cards_of_block(rules, memory, memory.possible[player, slot], block, blocks))


@rule
def target_of(memory, player):
    """Return the slot of a hand's target, or -1 if all its cards are known."""
    best, most = -1, -1.0
    for slot in range(memory.hand_count[player]):
        possible = memory.possible[player, slot]
        if not is_known(possible):
            probability = probability_of(memory.left, possible, memory.playable)
            if probability > most:
                best, most = slot, probability
    return best


@rule
def block_of(rules, memory, card, possible, blocks):
    """Return the block of a card among ``possible`` cards."""
    live = possible & memory.needed
    if has_bit(live, card) == ZERO:
        return 0
    order = 0
    for place in range(rules.ranks):
        for suit in range(rules.suits):
            other = card_at(rules, suit, place)
            if other == card:
                return block_at(memory, possible, order, blocks)
            order += np.int64(has_bit(live, other))
    return 0


@rule
def cards_of_block(rules, memory, possible, block, blocks):
    """Return the ``possible`` cards that are in a block."""
    cards = ZERO
    for card in range(rules.suits * rules.ranks):
        if has_bit(possible, card) != ZERO and block_of(rules, memory, card, possible, blocks) == block:
            cards |= bit(card)
    return cards


@rule
def block_at(memory, possible, order, blocks):
    """Return the block of the ``order``-th card that is not dead; as many cards as possible are alone in a block."""
    live = popcount(possible & memory.needed)
    first = 1 if possible & ~memory.needed != ZERO else 0
    alone = blocks - first
    share = max(BLOCKS, -(-live // alone))  # more than `BLOCKS` only if there are few blocks
    while alone > 0 and alone + share * (blocks - first - alone) < live:
        alone -= 1
    return first + (order if order < alone else alone + (order - alone) // share)


# --- Decisions --------------------------------------------------------------------------------------------------------


@rule
def act(rules, memory, view, mask, key):  # noqa: ARG001 - the protocol of bots
    """Return the action of the player to move."""
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    deduce_own_hand(rules, memory, view)
    slots = slots_within(memory, memory.playable)
    if slots != ZERO and is_allowed(mask, play_action(rules, 0, -1)):
        slot = nth_set_bit(slots, 0)
        suit = suit_of(rules, nth_set_bit(memory.mine[slot], 0)) if is_known(memory.mine[slot]) else -1
        return play_action(rules, slot, suit)
    dead = slots_within(memory, ~memory.needed)
    may_discard = is_allowed(mask, 0)
    few = rules.deck_size - rules.suits * rules.ranks - rules.players * rules.hand_size
    if dead != ZERO and may_discard and np.int64(view.discard_count) < few:
        return nth_set_bit(dead, 0)
    if any_hint(rules, mask) >= 0:
        messages = min(BLOCKS, make_alphabets(rules, memory, memory.player))
        message = sum_of_blocks(rules, memory, view, memory.player, messages, 0)
        hint = hint_for_message(rules, memory, view, message, mask)
        return hint if hint >= 0 else any_hint(rules, mask)
    return slot_to_discard(rules, memory, view, dead) if may_discard else any_action(rules, mask)


@rule
def slot_to_discard(rules, memory, view, dead):
    """Return the slot of a dead card, one held twice or elsewhere, or one that is not (may not be) a last copy."""
    slots = dead
    if slots == ZERO:
        held_twice = useless_slots(memory, memory.mine, memory.hand_count[memory.player])
        slots = slots_within(memory, others_set(rules, view)) | held_twice
    if slots == ZERO:
        slots = slots_within(memory, ~memory.needed | memory.left[1])
    if slots == ZERO:
        slots = ~slots_within(memory, memory.needed & ~memory.left[1]) & (bit(memory.hand_count[memory.player]) - ONE)
    return nth_set_bit(slots, 0) if slots != ZERO else 0


INFORMATION = Bot(name="information", memory_dtype=memory_dtype, begin=begin, observe=observe, act=act)
