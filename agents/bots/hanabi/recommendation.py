"""``recommendation``: hat guessing in which a hat is advice, "play this slot" or "discard that slot".

The first strategy of Cox, De Silva, DeOrsey, Kenter, Retter, Tobin (2015), for five players. The convention:

1. The advice for a hand is the first of these that is possible: play a playable card, one of the highest rank first,
   then the lowest; discard the dead card of highest rank; discard the card of highest rank that has copies left;
   discard the newest card. As numbers, slots to play come first, then slots to discard. If there are too few messages
   (with fewer than four players), only the oldest slots can be named, and at least one message is a discard.
2. A hint announces the sum of the advice for all other players, modulo the number of messages (see `messages.py`).
   Every player subtracts the advice for the hands in sight; the rest is the advice for the player's own hand. Literal
   meanings are ignored.
3. Moves. If the last advice was a play, follow it if no card has joined a firework since that hint, or if one card has
   and at least two lives are left. Otherwise give a hint if there is a token. Otherwise discard as advised, or discard
   the newest card.

Where the paper and its authors' program (rjtobin/HanSim) differ, this follows the program. By the paper, the advice
names the dead card with the lowest index, and the first card as a last resort.
"""

from typing import Any

import numpy as np

from hanabako.compiler.jit import interned, rule, subroutine
from hanabako.engine.bits import ZERO, has_bit
from hanabi_env.engine.cards import rank_of
from hanabi_env.engine.state import EVENT_PLAY

from ..bot import Bot
from .hats import begin_public, copy_hands, fields, is_hint, learn_event
from .knowledge import any_action, any_hint, choose_for_tile, is_allowed, is_choice_pending, play_action
from .messages import hint_for_message, make_alphabets, message_of

NO_ADVICE = -1


def memory_dtype(rules: Any) -> np.dtype:
    """Return the dtype of the common knowledge and the last advice."""
    own = [("advice", np.int64), ("plays", np.int64), ("plays_since", np.int64)]
    return interned(np.dtype([*fields(rules), *own], align=True))


@rule
def begin(rules, memory, view, player, style):
    """Begin without advice."""
    begin_public(rules, memory, view, player, style)
    memory.advice = NO_ADVICE


@rule
def observe(rules, memory, view, event):
    """Read a hint as advice for all players but its giver, and count the cards that join fireworks after it."""
    giver = np.int64(event.player)
    if is_hint(event):
        messages = number_of_messages(rules, memory, giver)
        memory.plays = slots_to_play(rules, messages)
        memory.plays_since = 0
        rest = message_of(memory, event) - sum_of_advice(rules, memory, view, giver, messages)
        memory.advice = NO_ADVICE if giver == memory.player else rest % messages
    elif giver == memory.player:
        memory.advice = NO_ADVICE
    if event.kind == EVENT_PLAY and event.scored:
        memory.plays_since += 1
    learn_event(rules, memory, view, event)


@rule
def act(rules, memory, view, mask, key):  # noqa: ARG001 - the protocol of bots
    """Return the action of the player to move."""
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    if 0 <= memory.advice < memory.plays and memory.plays_since + (1 if view.life_tokens < 2 else 0) < 2:
        action = play_action(rules, memory.advice, -1)
        if is_allowed(mask, action):
            return action
    if any_hint(rules, mask) >= 0:
        copy_hands(rules, memory.possible, memory.draft)
        messages = number_of_messages(rules, memory, memory.player)
        message = sum_of_advice(rules, memory, view, memory.player, messages)
        hint = hint_for_message(rules, memory, view, message, mask)
        return hint if hint >= 0 else any_hint(rules, mask)
    slot = memory.advice - memory.plays if memory.advice >= memory.plays else memory.hand_count[memory.player] - 1
    return slot if is_allowed(mask, slot) else any_action(rules, mask)


@rule
def number_of_messages(rules, memory, giver):
    """Return the number of messages: that of the kinds of advice, or fewer if hints cannot carry as many."""
    return min(make_alphabets(rules, memory, giver), 2 * rules.hand_size)


@rule
def slots_to_play(rules, messages):
    """Return how many slots advice to play can name."""
    return min(rules.hand_size, messages - 1)


@subroutine
def sum_of_advice(rules, memory, view, giver, messages):
    """Return the sum of the advice for all hands in sight except the giver's, modulo ``messages``."""
    total = 0
    for player in range(rules.players):
        if player not in (giver, memory.player):
            total += min(advice_for(rules, memory, view, player, slots_to_play(rules, messages)), messages - 1)
    return total % messages


@subroutine
def advice_for(rules, memory, view, player, plays):
    """Return the advice for ``player`` as a number: play one of the first ``plays`` slots, or discard one."""
    play, dead, spare = -1, -1, -1
    play_rank, dead_rank, spare_rank = 100, -1, -1
    for slot in range(memory.hand_count[player]):
        card = view.hands[player, slot]
        rank = rank_of(rules, card)
        if has_bit(memory.playable, card) != ZERO and slot < plays:
            order = -1 if rank == rules.ranks - 1 else rank
            if order < play_rank:
                play, play_rank = slot, order
        elif has_bit(memory.needed, card) == ZERO:
            if rank > dead_rank:
                dead, dead_rank = slot, rank
        elif has_bit(memory.left[1], card) != ZERO and rank > spare_rank:
            spare, spare_rank = slot, rank
    if play >= 0:
        return play
    if dead >= 0:
        return plays + dead
    return plays + (spare if spare >= 0 else memory.hand_count[player] - 1)


RECOMMENDATION = Bot(name="recommendation", memory_dtype=memory_dtype, begin=begin, observe=observe, act=act)
