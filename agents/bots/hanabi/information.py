"""``information``: hat guessing where a hat tells of which part of its possible cards one card is.

The second strategy of Cox, De Silva, DeOrsey, Kenter, Retter, Tobin (2015), for five players; here for any number. The
convention:

1. In every hand the *target* is the card, not known yet, that is most likely playable as far as everybody knows. Its
   possible cards are dealt out to eight blocks (or as many as there are messages): all dead cards are the first one,
   then as many cards as can be have a block of their own, those that come first on their fireworks before the others,
   and the rest share the last blocks, eight to a block.
2. A hint says the sum of the targets' blocks of all others, modulo eight; everybody learns the own target's block, and
   that of everybody else. With five players the receiver and whether it is a rank or a color that is named are the
   number; with fewer see `agents.bots.hanabi.messages`. Its words are true as well, and those are chosen that tell most.
3. To move: play a card that is surely playable. Discard a surely dead one while few have been discarded. Hint if there
   is a token. Else discard a dead card, one that is held twice or seen in another hand, one that is surely not the last
   copy, one that may not be, the oldest.
"""

import numpy as np

from hanabako.compiler.jit import rule, subroutine
from hanabako.engine.bits import ONE, ZERO, bit, has_bit, nth_set_bit, popcount

from ..bot import Bot
from .hats import (
    begin_public,
    is_hint,
    is_known,
    keep_draft,
    learn_event,
    look_at_hands,
    memory_dtype,
    narrow,
    reset_draft,
    slots_within,
    weight,
)
from .knowledge import (
    any_action,
    any_hint,
    card_at,
    choose_for_tile,
    hands_of_others,
    is_allowed,
    is_choice_pending,
    play_action,
)
from .messages import TWO_A_RECEIVER, hint_for_message, make_alphabets, message_of

BLOCKS = 8


@rule
def begin(rules, memory, view, player, style):
    """Nothing is known."""
    begin_public(rules, memory, view, player, style)
    memory.rarely = TWO_A_RECEIVER if 2 * (rules.players - 1) >= BLOCKS else 0.0


@rule
def observe(rules, memory, view, event):
    """A hint tells everybody the block of the target."""
    m = memory
    giver = np.int64(event.player)
    if is_hint(event):
        messages = min(BLOCKS, make_alphabets(rules, m, giver))
        sum_of_blocks(rules, m, view, giver, messages, message_of(rules, m, event))
        keep_draft(rules, m)
    learn_event(rules, m, view, event)


@subroutine
def sum_of_blocks(rules, m, view, giver, messages, said):
    """The sum of the blocks in sight, modulo ``messages``; a receiver then learns the own block from what was ``said``.

    What everybody will know is written to ``m.draft``.
    """
    reset_draft(rules, m)
    if messages < 2:  # a tile's free hint has words alone to say
        return 0
    total = 0
    for p in range(rules.players):
        if p not in (giver, m.player):
            slot = target_of(rules, m, p)
            if slot >= 0:
                block = block_of(rules, m, m.possible[p, slot], view.hands[p, slot], messages)
                total += block
                narrow(m, p, slot, cards_of_block(rules, m, m.possible[p, slot], block, messages))
    if giver != m.player:
        slot = target_of(rules, m, m.player)
        if slot >= 0:
            block = (said - total) % messages
            narrow(m, m.player, slot, cards_of_block(rules, m, m.possible[m.player, slot], block, messages))
    return total % messages


@rule
def target_of(rules, m, p):
    """The slot of the card that is told of, or -1 if all are known."""
    best = -1
    most = -1.0
    for slot in range(m.count[p]):
        table = m.possible[p, slot]
        if not is_known(table):
            chance = weight(m.left, table & m.playable) / max(1, weight(m.left, table))
            if chance > most:
                most = chance
                best = slot
    return best


@rule
def block_of(rules, m, table, card, blocks):
    """The block of a card among ``table``."""
    live = table & m.needed
    if has_bit(live, card) == ZERO:
        return 0
    place = 0
    for k in range(rules.ranks):
        for suit in range(rules.suits):
            other = card_at(rules, suit, k)
            if other == card:
                return block_at(m, table, place, blocks)
            place += np.int64(has_bit(live, other))
    return 0


@rule
def cards_of_block(rules, m, table, block, blocks):
    """The cards among ``table`` in a block."""
    live = table & m.needed
    cards = table & ~m.needed if block == 0 else ZERO
    place = 0
    for k in range(rules.ranks):
        for suit in range(rules.suits):
            card = card_at(rules, suit, k)
            if has_bit(live, card) != ZERO:
                if block_at(m, table, place, blocks) == block:
                    cards |= bit(card)
                place += 1
    return cards


@rule
def block_at(m, table, place, blocks):
    """The block of the ``place``-th card that is not dead: as many as can be are alone in their block."""
    live = popcount(table & m.needed)
    first = 1 if table & ~m.needed != ZERO else 0
    alone = blocks - first
    share = max(BLOCKS, -(-live // alone))  # where there are few blocks
    while alone > 0 and alone + share * (blocks - first - alone) < live:
        alone -= 1
    return first + (place if place < alone else alone + (place - alone) // share)


# --- Decisions --------------------------------------------------------------------------------------------------------


@rule
def act(rules, memory, view, mask, chance):
    """The action of the player to move."""
    m = memory
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    look_at_hands(rules, m, view)
    slots = slots_within(m, m.playable)
    if slots != ZERO and is_allowed(mask, play_action(rules, 0, -1)):
        slot = nth_set_bit(slots, 0)
        return play_action(rules, slot, nth_set_bit(m.mine[slot], 0) if is_known(m.mine[slot]) else -1)
    dead = slots_within(m, ~m.needed)
    may_discard = is_allowed(mask, 0)
    few = rules.deck_size - rules.suits * rules.ranks - rules.players * rules.hand_size
    if dead != ZERO and may_discard and np.int64(view.discard_count) < few:
        return nth_set_bit(dead, 0)
    if any_hint(rules, mask) >= 0:
        messages = min(BLOCKS, make_alphabets(rules, m, m.player))
        hint = hint_for_message(rules, m, view, mask, sum_of_blocks(rules, m, view, m.player, messages, 0))
        return hint if hint >= 0 else any_hint(rules, mask)
    return slot_to_discard(rules, m, view, dead) if may_discard else any_action(rules, mask)


@rule
def slot_to_discard(rules, m, view, dead):
    """The slot of a dead card, of one that is held elsewhere too, of one that is not or may not be the last copy."""
    slots = dead
    if slots == ZERO:
        slots = slots_within(m, hands_of_others(rules, view, m.player)) | twins(m)
    if slots == ZERO:
        slots = slots_within(m, ~m.needed | m.left[1])
    if slots == ZERO:
        slots = ~slots_within(m, m.needed & ~m.left[1]) & (bit(m.count[m.player]) - ONE)
    return nth_set_bit(slots, 0) if slots != ZERO else 0


@rule
def twins(m):
    """Slots of the own hand whose cards are known and equal to another's, one bit each."""
    slots = ZERO
    for slot in range(m.count[m.player]):
        for other in range(m.count[m.player]):
            if other != slot and is_known(m.mine[slot]) and m.mine[other] == m.mine[slot]:
                slots |= bit(slot)
    return slots


INFORMATION = Bot(
    "information",
    memory_dtype,
    begin,
    observe,
    act,
)
