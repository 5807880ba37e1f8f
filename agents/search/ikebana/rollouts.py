"""Roll-outs of Ikebana rounds: deal the unseen cards again, let a bot or a network play on, and value the end."""

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import popcount
from hanabako.engine.loops import reader_of
from hanabako.engine.rng import random_below, random_word
from ikebana_env.engine.cards import all_copies, copies
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.rules import is_terminal
from ikebana_env.engine.state import END_COMPLETE, END_NOT_YET, KINDS, NO_CARD, REWARD_WIN, Rules

from ..rounds import RoundRollouts
from .lookahead import variance_of_rounds
from .relaxed import won


class IkebanaRollouts(RoundRollouts):
    """See `agents.search.rollouts`; deals are game states, and scores are `round_value`."""

    ended = "end_reason", END_COMPLETE

    @override
    def deal_hidden(self, states: NDArray[Any], deals: NDArray[Any]) -> None:
        states[:] = deals

    @override
    def is_over(self, count: int) -> NDArray[np.bool_]:
        states = self.tables["state"][:count]
        return (states["end_reason"] != END_NOT_YET) | (states["round_index"] != self.root["round_index"])

    @override
    def round_scores(self, rows: NDArray[np.int64]) -> NDArray[Any]:
        values = np.zeros(len(rows))
        value_loop()(self.rules_array, self.tables["state"][rows], int(self.root["current_player"]), values)
        return values


@cache
def unseen_loop() -> Callable[..., None]:
    """Return the loop ``(rules_array, root (1,), unseen, key, step, first, states)`` that deals the unseen cards."""
    rules_of = reader_of(Rules, None)
    digest = digest_of(deal_unseen, list_unseen, hide, unseen_loop)

    @kernel
    def hand_out_unseen(rules_array, root, unseen, key, step, first, states):
        rules = keyed(rules_of(rules_array), digest)
        hide(rules, root[0], np.int64(root[0].current_player))
        stream = random_word(key, step)
        for k in range(states.shape[0]):
            states[k] = root[0]
            count = list_unseen(rules, root[0], unseen)  # listed again: it is shuffled
            deal_unseen(rules, states[k], unseen, count, random_word(stream, first + k))

    return hand_out_unseen


@cache
def value_loop() -> Callable[..., None]:
    """Return the loop ``(rules_array, states, player, values)`` that computes `round_value` of every state."""
    rules_of = reader_of(Rules, None)
    digest = digest_of(round_value, value_loop)

    @kernel
    def round_values(rules_array, states, player, values):
        rules = keyed(rules_of(rules_array), digest)
        for k in range(states.shape[0]):
            values[k] = round_value(rules, states[k], player)

    return round_values


@rule
def list_unseen(rules, view, unseen):
    """Write the cards that the view's player has not seen to ``unseen``, and return their number."""
    count = 0
    for card in range(KINDS):
        left = np.int64(copies(card))
        for player in range(rules.players):
            left -= popcount(view.bouquets[player] & all_copies(card))
            for k in range(view.discard_count[player]):
                left -= np.int64(view.discards[player, k] == card)
        left -= np.int64(view.drawn == card)
        for _ in range(left):
            unseen[count] = card
            count += 1
    return count


@rule
def deal_unseen(rules, s, unseen, count, key):
    """Deal the unseen cards again: buried cards at random by ``key``, and the deck, which is drawn from by ``key``."""
    s.key = key
    left = count
    for player in range(rules.players):
        for k in range(s.discard_count[player]):
            if s.discards[player, k] == NO_CARD:
                pick = random_below(key, left, left)
                left -= 1
                unseen[pick], unseen[left] = unseen[left], unseen[pick]
                s.discards[player, k] = unseen[left]
    s.deck_count = left
    for k in range(left):
        s.cards[k] = unseen[k]


@rule
def round_value(rules, s, player):
    """Return the value of the end of a round for ``player``: the probability to win, given all players' prestige.

    The lead in each later round is assumed to be normal with mean 0, see `variance_of_rounds`. If ``reward`` is not
    ``"win"``, the value is the lead over the mean of the others.
    """
    mine, others, probability = np.float64(s.prestige[player]), 0.0, 1.0
    left = 0 if is_terminal(s) else rules.rounds - np.int64(s.round_index)
    variance = variance_of_rounds(rules, left)
    for other in range(rules.players):
        if other != player:
            lead = mine - s.prestige[other]
            others += s.prestige[other]
            if left > 0:
                probability *= 0.5 * (1.0 + math.erf(lead / math.sqrt(2.0 * variance)))
            else:
                probability *= won(lead)
    if rules.reward == REWARD_WIN:
        return probability
    return mine - others / (rules.players - 1)
