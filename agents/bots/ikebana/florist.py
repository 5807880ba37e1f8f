"""``greedy`` and ``lookahead``: bots that weigh each card that they may take against its price.

The value of a card is the value of the bouquet with it, minus its price. A card is bought if its value exceeds that of
a draw. A drawn card is refused if another draw, minus the price of refusing, is better. The two bots differ in how far
they plan.

``greedy`` maximizes the immediate expected gain. The value of a bouquet is its mean gain if every card drawn later is
kept, the value of a draw is the mean over the cards that it may bring, and a point paid counts as one point.

``lookahead`` plans its whole turn, and in the last two turns of a round everything to the end, with the exact odds of
the cards that it has not seen (see `odds.py`). The value of a bouquet that lacks two or more cards assumes good choices
and cards from the whole box. The bot also takes into account that its payments go to its rivals: with P players, each
point paid reduces the lead over the mean of the others by P / (P - 1).
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, has_bit, popcount
from ikebana_env.engine.actions import BUY, DRAW, KEEP, REFUSE
from ikebana_env.engine.cards import value_of, with_card
from ikebana_env.engine.rules import bouquet_gain, player_at, top_of_discard
from ikebana_env.engine.state import BOUQUET_SIZE, KINDS, NO_CARD

from ..bot import Bot
from .odds import (
    BOUQUET_WORTHS,
    KEEPING_WORTHS,
    MOST_REFUSALS,
    color_class,
    count_buried,
    count_unseen,
    nothing_unseen,
    stopping_worth,
    value_class,
)

GREEDY, LOOKAHEAD = 0, 1  # styles
NOW, NEXT = 0, 1  # rows of ``worths``: in this turn, and in the last turn


def memory_dtype(rules: object) -> np.dtype:  # noqa: ARG001 - the protocol of bots
    """Return the dtype of a bot's style and seat, and of scratch space."""
    return np.dtype(
        [
            ("style", np.int64),
            ("player", np.int64),
            ("unseen", np.int64, (KINDS,)),  # cards that the seat cannot see, by kind
            ("worths", np.float64, (2, KINDS)),  # the value of each card, for `NOW` and `NEXT`
        ]
    )


@rule
def act(rules, memory, view, mask, key):  # noqa: ARG001 - the protocol of bots
    """Return the action of the player to move."""
    player = memory.player
    cards, refusals, prestige = view.bouquets[player], np.int64(view.refusals), np.int64(view.prestige[player])
    factor = price_factor(rules, memory, view)
    count_unseen(rules, memory, view)
    note_worths(rules, memory, view, cards, prestige, factor)
    if view.drawn != NO_CARD:
        if has_bit(mask[0], REFUSE) == ZERO:
            return KEEP
        kept = bouquet_worth(rules, memory, with_card(cards, np.int64(view.drawn)), prestige, factor)
        price = refusals + 1
        again = turn_worth(memory, price, prestige - price, factor) - factor * price
        return REFUSE if again > kept else KEEP
    best, action = turn_worth(memory, 0, prestige, factor), DRAW
    for offset in range(1, rules.players):
        if has_bit(mask[0], BUY + offset) != ZERO:
            card = top_of_discard(view, player_at(rules, player, offset))
            price = value_of(card)
            worth = bouquet_worth(rules, memory, with_card(cards, card), prestige - price, factor) - factor * price
            if worth > best:
                best, action = worth, BUY + offset
    return action


@rule
def price_factor(rules, memory, view):
    """Return what a point of prestige paid now costs, in points of a bouquet."""
    factor = 1.0 if memory.style == GREEDY else rules.players / (rules.players - 1)
    if rules.final_bouquet and view.round_index == rules.rounds - 1:
        factor /= 2  # I15: a point of a bouquet counts as two of prestige
    return factor


@rule
def note_worths(rules, memory, view, cards, prestige, factor):
    """Write the value of each card that may be drawn now to ``memory.worths``."""
    for card in range(KINDS):
        if memory.unseen[card] > 0:
            memory.unseen[card] -= 1
            is_last = nothing_unseen(memory)
            if is_last:
                count_buried(rules, memory, view)
            memory.worths[NOW, card] = bouquet_worth(rules, memory, with_card(cards, card), prestige, factor)
            if is_last:
                memory.unseen[:] = 0
            memory.unseen[card] += 1


@rule
def turn_worth(memory, refusals, prestige, factor):
    """Return the value of drawing after ``refusals`` refusals."""
    most = refusals if memory.style == GREEDY else max(MOST_REFUSALS, refusals)
    return stopping_worth(memory, NOW, refusals, most, prestige, factor)


@rule
def bouquet_worth(rules, memory, cards, prestige, factor):
    """Return the value of a bouquet at the end of the turn."""
    lacking = BOUQUET_SIZE - popcount(cards)
    if lacking == 0:
        return np.float64(bouquet_gain(cards))
    if memory.style == GREEDY:
        return KEEPING_WORTHS[value_class(cards), color_class(cards)]
    if lacking > 1:
        return BOUQUET_WORTHS[rules.players - 2, value_class(cards), color_class(cards)]
    return last_turn_worth(memory, cards, prestige, factor)


@rule
def last_turn_worth(memory, cards, prestige, factor):
    """Return the value of a bouquet that lacks one card, at the beginning of the last turn."""
    for card in range(KINDS):
        if memory.unseen[card] > 0:
            memory.worths[NEXT, card] = bouquet_gain(with_card(cards, card))
    return stopping_worth(memory, NEXT, 0, MOST_REFUSALS, prestige, factor)


GREEDY_FLORIST = Bot(name="greedy", memory_dtype=memory_dtype, act=act, style=GREEDY)
LOOKAHEAD_FLORIST = Bot(name="lookahead", memory_dtype=memory_dtype, act=act, style=LOOKAHEAD)
