"""How likely the other players' actions are under each hand of a player, if they chose uniformly among legal actions.

This is level 0 of Off-Belief Learning (Hu et al. 2021). A hint is legal only if it touches a card (H7), so the number
of another player's legal actions depends on the player's hand at that time, which the player did not see. The hands of
`hanabi_env.engine.belief` must therefore be weighted by the product over those decisions of 1 / (number of legal
actions, given the hand). All hands have the same weight in three cases: if the others had no information token to
spend; with ``empty_hints``, which makes all hints legal; and in the basic game with hands of one card, about which
exactly one color and one rank can be named. A player's own decisions say nothing about the hand, because their legal
actions depend only on what the player saw.

A `Past` record per table holds, for every player, the decisions of the others that matter. Call ``note`` before every
step of a game, from its opening on. Bonus tiles (V4) are not covered: with them, several decisions may make one turn.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ONE, ZERO, bit, has_bit, low_bits, popcount, popcount_row
from hanabako.engine.loops import reader_of
from hanabako.engine.turns import owner
from hanabi_env.engine.actions import first_announced_play, first_color_hint, first_play
from hanabi_env.engine.cards import hand_set, nameable_colors, nameable_ranks
from hanabi_env.engine.state import Rules

__all__ = ["LikelihoodLoops", "likelihood_loops", "past_dtype"]


def past_dtype(rules: Rules) -> np.dtype:
    """Return the dtype of a game's `Past`: for each player, the decisions that others made with a token to spend."""
    used = rules.deck_size  # each card is used at most once, and may bring back a token, as may a complete firework
    most = used + rules.max_information_tokens + used + rules.suits
    choice = np.dtype(
        [
            ("gone", np.uint64),  # cards of the player's hand then that the player has used since
            ("slots", np.uint64),  # the player's slots now whose cards were in the hand then, one bit each
            ("others", np.int64),  # legal actions that were no hints to the player
        ],
        align=True,
    )
    sizes = [("count", np.int64, (rules.players,)), ("choices", choice, (rules.players, most))]
    return interned(np.dtype(sizes, align=True))


# --- One game ---------------------------------------------------------------------------------------------------------


@rule
def hints_about(rules, cards):
    """H6, H7: the number of legal hints about a hand that consists of the set ``cards``."""
    return popcount(nameable_colors(rules, cards)) + popcount(nameable_ranks(rules, cards))


@rule
def note_choice(rules, s, legal, past):
    """Add the coming decision to the past of the players who do not make it; ``legal`` actions are legal."""
    for player in range(rules.players):
        if s.length == 0:
            past.count[player] = 0
        if player != np.int64(s.current_player) and s.information_tokens > 0:
            choice = past.choices[player, past.count[player]]
            choice.gone = ZERO
            choice.slots = low_bits(s.hand_count[player])
            choice.others = legal - hints_about(rules, hand_set(rules, s, player))
            past.count[player] += 1


@rule
def note_action(rules, s, action, past):
    """Note the card that leaves the hand by the coming ``action``, if one does; the newer cards move up."""
    slot = slot_of(rules, action)
    if slot >= 0:
        player = np.int64(s.current_player)
        for k in range(past.count[player]):
            choice = past.choices[player, k]
            if has_bit(choice.slots, slot):
                choice.gone |= bit(s.hands[player, slot])
            lower = low_bits(slot)
            choice.slots = (choice.slots & lower) | ((choice.slots >> ONE) & ~lower)


@rule
def slot_of(rules, action):
    """Return the slot of the card that an action plays or discards; -1 for a hint."""
    if action < first_color_hint(rules):
        return action - first_play(rules) if action >= first_play(rules) else action
    if action >= first_announced_play(rules):
        return (action - first_announced_play(rules)) // rules.suits
    return -1


@rule
def log_likelihood(rules, s, player, hand, past):
    """Return the sum over the noted decisions of -log(number of legal actions), if the player holds ``hand``."""
    total = 0.0
    if s.length > 0:
        for k in range(past.count[player]):
            choice = past.choices[player, k]
            cards = np.uint64(choice.gone)
            for slot in range(s.hand_count[player]):
                if has_bit(choice.slots, slot):
                    cards |= bit(hand[slot])
            total -= np.log(choice.others + hints_about(rules, cards))
    return total


# --- Many tables ------------------------------------------------------------------------------------------------------


class LikelihoodLoops(NamedTuple):
    """The compiled loops; arguments as in `hanabi_env.engine.belief.BeliefLoops`, and ``pasts`` (N,) of `past_dtype`.

    ``player`` is the owner of the hands; below 0 it is the player to move at each table.
    """

    note: Callable[..., Any]  # (rules_array, tables, actions int64 (N,), pasts): before a step with these actions
    weigh: Callable[..., Any]  # (rules_array, tables, player, pasts, hands uint8 (N, K, H), logs float64 (N, K))


@cache
def likelihood_loops(frozen: Rules | None) -> LikelihoodLoops:
    """Return the loops, specialized to ``frozen`` rules, or generic if ``None``."""
    rules_of = reader_of(Rules, frozen)
    digest = digest_of(note_choice, note_action, log_likelihood, likelihood_loops)

    @kernel
    def note_decisions(rules_array, tables, actions, pasts):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            s = tables[i].state
            note_choice(rules, s, popcount_row(tables[i].mask), pasts[i])
            note_action(rules, s, actions[i], pasts[i])

    @kernel
    def weigh_hands(rules_array, tables, player, pasts, hands, logs):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            s = tables[i].state
            whose = owner(s, player)
            for k in range(hands.shape[1]):
                logs[i, k] = log_likelihood(rules, s, whose, hands[i, k], pasts[i])

    return LikelihoodLoops(note_decisions, weigh_hands)
