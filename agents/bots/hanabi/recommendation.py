"""``recommendation``: hat guessing where a hat is advice, "play this slot" or "discard that slot".

The first strategy of Cox, De Silva, DeOrsey, Kenter, Retter, Tobin (2015), for five players. The convention:

1. Advice for a hand, in this order: play the playable card, a complete firework's last one first and else the lowest;
   discard the dead card of highest rank; discard the card of highest rank that has copies left; discard the newest.
   As a number: slots to play first, then slots to discard. Where there are fewer messages (with less than four
   players) only the oldest slots can be named, and at least one message is a discard.
2. A hint says the sum of the advice for all others, modulo the number of messages (`agents.bots.hanabi.messages`). Everybody
   subtracts the advice for the hands in sight; what remains is for the own hand. Nobody listens to the words.
3. To move: if the last advice was a play and no card has joined a firework since that hint, follow it; likewise if one
   has and two lives or more are left. Else hint if there is a token. Else discard as advised, or the newest card.
"""

from typing import Any

import numpy as np

from hanabako.compiler.jit import interned, rule, subroutine
from hanabako.engine.bits import ZERO, has_bit
from hanabi_env.engine.cards import rank_of
from hanabi_env.engine.state import EVENT_PLAY

from ..bot import Bot
from .hats import begin_public, fields, is_hint, learn_event, reset_draft
from .knowledge import (
    any_action,
    any_hint,
    choose_for_tile,
    is_allowed,
    is_choice_pending,
    play_action,
)
from .messages import hint_for_message, make_alphabets, message_of

NO_ADVICE = -1


def memory_dtype(rules: Any) -> np.dtype:
    """What everybody knows, and the last advice."""
    own = [("advice", np.int64), ("plays", np.int64), ("plays_since", np.int64)]
    return interned(np.dtype([*fields(rules), *own], align=True))


@rule
def begin(rules, memory, view, player, style):
    """Nobody has been advised."""
    begin_public(rules, memory, view, player, style)
    memory.advice = NO_ADVICE


@rule
def observe(rules, memory, view, event):
    """A hint is advice to all but its giver; a card that is played may make it void."""
    m = memory
    giver = np.int64(event.player)
    if is_hint(event):
        messages = number_of_messages(rules, m, giver)
        m.plays = slots_to_play(rules, messages)
        m.plays_since = 0
        said = message_of(rules, m, event)
        m.advice = (
            NO_ADVICE if giver == m.player else (said - sum_of_advice(rules, m, view, giver, messages)) % messages
        )
    elif giver == m.player:
        m.advice = NO_ADVICE
    if event.kind == EVENT_PLAY and event.scored:
        m.plays_since += 1
    learn_event(rules, m, view, event)


@rule
def act(rules, memory, view, mask, chance):
    """The action of the player to move."""
    m = memory
    if is_choice_pending(rules, view):
        return choose_for_tile(rules, view, mask)
    if 0 <= m.advice < m.plays and m.plays_since + (1 if view.life_tokens < 2 else 0) < 2:
        action = play_action(rules, m.advice, -1)
        if is_allowed(mask, action):
            return action
    if any_hint(rules, mask) >= 0:
        reset_draft(rules, m)
        messages = number_of_messages(rules, m, m.player)
        hint = hint_for_message(rules, m, view, mask, sum_of_advice(rules, m, view, m.player, messages))
        return hint if hint >= 0 else any_hint(rules, mask)
    slot = m.advice - m.plays if m.advice >= m.plays else m.count[m.player] - 1
    return slot if is_allowed(mask, slot) else any_action(rules, mask)


@rule
def number_of_messages(rules, m, giver):
    """As many as there is different advice, or as can be said."""
    return min(make_alphabets(rules, m, giver), 2 * rules.hand_size)


@rule
def slots_to_play(rules, messages):
    """How many slots can be named to be played."""
    return min(rules.hand_size, messages - 1)


@subroutine
def sum_of_advice(rules, m, view, giver, messages):
    """The sum of the advice for all hands in sight but the giver's, modulo ``messages``."""
    total = 0
    for p in range(rules.players):
        if p not in (giver, m.player):
            total += min(advice_for(rules, m, view, p, slots_to_play(rules, messages)), messages - 1)
    return total % messages


@subroutine
def advice_for(rules, m, view, p, plays):
    """What ``p`` is to do, as a number: to play one of the first ``plays`` slots, or to discard."""
    play = -1
    dead = -1
    spare = -1
    play_rank = 100
    dead_rank = -1
    spare_rank = -1
    for slot in range(m.count[p]):
        card = view.hands[p, slot]
        rank = rank_of(rules, card)
        if has_bit(m.playable, card) != ZERO and slot < plays:
            order = -1 if rank == rules.ranks - 1 else rank
            if order < play_rank:
                play_rank = order
                play = slot
        elif has_bit(m.needed, card) == ZERO:
            if rank > dead_rank:
                dead_rank = rank
                dead = slot
        elif has_bit(m.left[1], card) != ZERO and rank > spare_rank:
            spare_rank = rank
            spare = slot
    if play >= 0:
        return play
    if dead >= 0:
        return plays + dead
    return plays + (spare if spare >= 0 else m.count[p] - 1)


RECOMMENDATION = Bot(
    "recommendation",
    memory_dtype,
    begin,
    observe,
    act,
)
