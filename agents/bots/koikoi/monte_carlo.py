"""A bot that plays each action out many times: it deals the unseen cards again and finishes the round at random.

For each roll-out the unseen cards are dealt uniformly at random to the other hand and the deck, without inference from
the other player's actions. One of the actions is made, and the round is played to its end by players who capture at
random and stop at every yaku. The action with the best mean points is played. The number of roll-outs per decision is
the bot's ``style``; they are shared evenly among the actions, which use the same deals.
"""

from typing import Any

import numpy as np

from hanabako.compiler.jit import interned, rule
from hanabako.engine.bits import ZERO, bit, nth_set_bit, popcount
from hanabako.engine.rng import random_below, random_word
from hanafuda_env.engine.actions import KEEP_HANDS, STOP
from hanafuda_env.engine.cards import ALL_CARDS, CARDS, months_of
from hanafuda_env.engine.private_view import unseen
from hanafuda_env.engine.rules import legal_actions, step
from hanafuda_env.engine.state import PHASE_END, PHASE_KOI, PHASE_PLAY, PHASE_SWAP, state_dtype

from ..bot import Bot
from .judgement import hand_left, lead_in, lowest_card

ROLL_OUTS = 1000
ACTIONS = 64


def memory_dtype(rules: Any) -> np.dtype:
    """Return the dtype of the bot's style and seat, and of scratch space for one roll-out."""
    state = state_dtype(rules.rounds, rules.history)
    memory = [("style", np.int64), ("player", np.int64), ("state", state, (1,)), ("points", np.int64, (ACTIONS,))]
    return interned(np.dtype(memory, align=True))


@rule
def act(rules, memory, view, mask, key):
    """Return the action with the best mean points."""
    if view.phase == PHASE_SWAP:
        return KEEP_HANDS
    actions = mask[0]
    count = popcount(actions)
    if count == 1:
        return lowest_card(actions)
    memory.points[:] = 0
    for deal in range(max(1, memory.style // count)):
        deal_key = random_word(key, deal)
        for k in range(count):
            memory.points[k] += roll_out(rules, memory, view, nth_set_bit(actions, k), deal_key)
    return nth_set_bit(actions, np.argmax(memory.points[:count]))


@rule
def roll_out(rules, memory, view, action, key):
    """Return the points that the bot wins (negative: loses) in one roll-out."""
    memory.state[0] = view
    s = memory.state[0]
    player = memory.player
    s.finished = rules.rounds - 1  # the game ends with this round
    deal_unseen(s, unseen(view), hand_left(view), 1 - player, key)
    step(rules, s, action)
    counter = CARDS
    while s.phase != PHASE_END:
        step(rules, s, random_move(rules, s, key, counter))
        counter += 1
    return lead_in(s.results[rules.rounds - 1], player)


@rule
def deal_unseen(s, hidden, held, other, key):
    """Deal the unseen cards at random: first to the unknown part of the other hand, the rest to the deck."""
    missing = held - popcount(s.hand[other])
    place = np.int64(s.drawn)
    left = popcount(hidden)
    while left > 0:
        card = nth_set_bit(hidden, random_below(key, left, left))
        hidden &= ~bit(card)
        left -= 1
        if missing > 0:
            s.hand[other] |= bit(card)
            missing -= 1
        else:
            s.deck[place] = card
            place += 1


@rule
def random_move(rules, s, key, counter):
    """Return a random action of a player who captures whenever possible, and stops at every yaku."""
    if s.phase == PHASE_KOI:
        return STOP
    actions = legal_actions(rules, s)
    if s.phase == PHASE_PLAY:
        matching = actions & months_of(s.field) & ALL_CARDS
        actions = matching if matching != ZERO else actions
    return nth_set_bit(actions, random_below(key, counter, popcount(actions)))


MONTE_CARLO = Bot(
    name="monte_carlo", memory_dtype=memory_dtype, act=act, style=ROLL_OUTS, counts="roll-outs per decision"
)
