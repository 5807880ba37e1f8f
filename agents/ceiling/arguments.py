"""Why a target is out of reach: arguments that take a moment to find and that a second program can check.

``late``: too much must be played after a card of the deck is drawn. Each play costs a turn, and from there on there are
only so many turns (H14): one per draw to come and the last round, and after the last draw, whose card is played in the
last turn of all, no other. Beside the name stands the place of that card in the deck.

``crowded``: even if all players held one common hand, chose who acts and had any number of tokens, it would run full
of cards that must be kept. In that game a playable card may always be played at once, and a useless card is dropped
before a needed one, so it branches only where neither is there; it is searched to the end.

``out_of_turn``: see `agents.ceiling.out_of_turn`. Beside the name stands the place of the card from whose draw on the
turns that are left do not come to those who hold the cards.

``searched``: see `agents.ceiling.search`. What checks all four is `agents.ceiling.checking`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import popcount
from hanabi_env.engine.state import Rules

from .out_of_turn import MOST_DRAWS, is_out_of_turn, waiting_cards
from .positions import note, playable_cards, survey, turns_after

__all__ = ["Arguments"]

MOST_POSITIONS = 1 << 15
"""Of a common hand, before the search for ``crowded`` gives up."""
MOST_AT_THE_END = 1 << 12
"""Positions at the end of the deck, before the search for ``out_of_turn`` gives up."""
NONE, LATE, CROWDED, OUT_OF_TURN = range(4)


@rule
def late_card(rules, deck, target, coming):
    """The last place of the deck after which too much must be played, or -1."""
    for k in range(len(deck) - rules.players * rules.hand_size):
        at = len(deck) - 1 - k
        if popcount(waiting_cards(rules, target, coming, at)) > turns_after(rules, k):
            return at
    return -1


@rule
def out_of_turn_card(rules, deck, target, coming, stack, seen):
    """The last place of the deck for which `is_out_of_turn` holds, or -1."""
    for k in range(min(MOST_DRAWS, len(deck) - rules.players * rules.hand_size)):
        at = len(deck) - 1 - k
        is_first = (target >> deck[at]) & 1 and coming[0, deck[at]] == at
        if is_first and is_out_of_turn(rules, deck, target, coming, at, stack, seen) == 1:
            return at
    return -1


@rule
def run_on(rules, deck, target, drawn, pool, played):
    """Play and drop what costs nothing until the common hand must drop a needed card or its fate is known.

    Returns the position, and 1 if it gets through, 0 if it cannot, -1 if a needed card must go.
    """
    one = np.int64(1)
    room = rules.players * rules.hand_size
    while True:
        needed = target & ~played
        if not rules.final_bouquet and popcount(needed) > len(deck) - drawn + rules.players:
            return drawn, pool, played, 0
        if drawn == len(deck):
            return drawn, pool, played, np.int64(needed & ~pool == 0)
        fitting = pool & playable_cards(rules, needed)
        if fitting:
            first = fitting & -fitting
            played |= first
            pool &= ~first
        elif popcount(pool) >= room:
            return drawn, pool, played, -1
        pool |= (one << deck[drawn]) & target & ~played
        drawn += 1


@rule
def fills_up(rules, deck, target, coming, stack, seen):
    """1 if the common hand cannot get through, 0 if it can, -1 if there are too many positions.

    ``stack`` (n, 3) and ``seen`` (2^n, 3) are room for positions: cards drawn, needed cards in hand, cards played.
    """
    cards = rules.suits * rules.ranks
    one = np.int64(1)
    seen[:] = 0
    height, positions = 1, 0
    stack[0, 0] = rules.players * rules.hand_size
    stack[0, 1] = 0
    stack[0, 2] = 0
    for at in range(rules.players * rules.hand_size):
        stack[0, 1] |= (one << deck[at]) & target
    while height > 0:
        height -= 1
        drawn, pool, played, fate = run_on(rules, deck, target, stack[height, 0], stack[height, 1], stack[height, 2])
        if fate == 1:
            return 0
        if fate == 0 or not note(seen, drawn, pool, played):
            continue
        positions += 1
        if 2 * positions > len(seen) or height + cards > len(stack):
            return -1
        for card in range(cards):
            if (pool & coming[drawn, cards]) >> card & 1:
                stack[height, 0] = drawn + 1
                stack[height, 1] = (pool & ~(one << card)) | ((one << deck[drawn]) & target & ~played)
                stack[height, 2] = played
                height += 1
    return 1


@cache
def argument_loop() -> Callable[..., Any]:
    """See `Arguments.find`."""
    digest = digest_of(survey, late_card, fills_up, out_of_turn_card, argument_loop)

    @kernel
    def argue(rules, deck, target, coming, stack, seen, few_seen):
        survey(rules, deck, coming)
        if not rules.final_bouquet:
            place = late_card(rules, deck, target, coming)
            if place >= 0:
                return LATE, place
        if fills_up(rules, deck, target, coming, stack, seen) == 1:
            return CROWDED, -1
        if not rules.final_bouquet:
            place = out_of_turn_card(rules, deck, target, coming, stack, few_seen)
            if place >= 0:
                return OUT_OF_TURN, place
        return keyed(NONE, digest), -1

    return argue


class Arguments:
    """Room for the search for arguments, used for one deck after the other."""

    def __init__(self, rules: Rules) -> None:
        cards = rules.suits * rules.ranks
        self.rules = rules
        self.room = (
            np.zeros((rules.deck_size + 1, cards + 1), np.int64),
            np.zeros((64 * cards, 3), np.int64),
            np.zeros((2 * MOST_POSITIONS, 3), np.int64),
            np.zeros((2 * MOST_AT_THE_END, 3), np.int64),
        )

    def find(self, deck: np.ndarray, target: int) -> str | None:
        """Why the target is out of reach: ``late:PLACE``, ``crowded``, ``out_of_turn:PLACE``, or None if none holds."""
        reason, place = argument_loop()(self.rules, deck, np.int64(target), *self.room)
        return {NONE: None, LATE: f"late:{place}", CROWDED: "crowded", OUT_OF_TURN: f"out_of_turn:{place}"}[reason]
