"""Endings with open hands: a relaxation of the last turns, for a player who sees one hand.

For every hand that the other may hold, the rest of the round is solved as if all cards but the deck lay open
(`agents.search.koikoi.walk`). The value of an action is its mean over these hands. Neither player can know that much;
the study `benchmarks.strength.koikoi_endings` compares these values and choices with exact ones.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import ONE, ZERO, bit, low_bits, nth_set_bit, popcount
from hanabako.engine.loops import reader_of
from hanafuda_env.engine.state import Rules

from .one_round import hidden_cards
from .walk import enter, no_choice, no_end, walk, walk_scratch

__all__ = ["EndingScratch", "average_open", "ending_loop", "ending_scratch"]

ACTIONS = 64


class EndingScratch(NamedTuple):
    """The arrays to which walks with open hands write."""

    states: np.ndarray
    ways: np.ndarray
    opened: np.ndarray
    """(2, actions): the values of the root's actions, as points of player 0, in the row of the root's player."""


def ending_scratch() -> EndingScratch:
    """Return the scratch arrays of `average_open`."""
    return EndingScratch(*walk_scratch(), np.zeros((2, ACTIONS)))


@rule
def average_open(rules, root, hidden, missing, scratch):
    """Compute the value of each action with open hands, as the mean over the hands that the other may hold.

    Args:
        rules: the rules of one round.
        root: the view of the player to move.
        hidden: (2,): the cards that this player does not see, and the cards that the other cannot hold.
        missing: how many of the hidden cards the other holds.
        scratch: an `EndingScratch`; the points of player 0 are written to ``scratch.opened[player]``, in the order of
            the actions' numbers.

    Returns:
        The number of hands.
    """
    player, other = np.int64(root.current_player), 1 - np.int64(root.current_player)
    allowed = hidden[0] & ~hidden[1]
    size = popcount(allowed)
    values = scratch.opened[player]
    for k in range(values.shape[0]):
        values[k] = 0.0
    chosen, hands = low_bits(missing), 0
    while chosen < bit(size):
        scratch.states[0] = root
        scratch.states[0].hand[other] |= spread(chosen, allowed)
        way = scratch.ways[0]
        way.probability = 1.0
        enter(rules, scratch.states[0], way, scratch, True, no_choice)
        way.first = 0  # so that the walk notes the value of each action
        walk(rules, scratch.states, scratch.ways, scratch, no_choice, no_end)
        hands += 1
        if chosen == ZERO:
            break
        chosen = next_subset(chosen)
    for k in range(values.shape[0]):
        values[k] /= hands
    return hands


@rule
def next_subset(chosen):
    """Return the next larger word with the same number of bits (Gosper's hack)."""
    lowest = chosen & (~chosen + ONE)
    ripple = chosen + lowest
    return ripple | (((chosen ^ ripple) >> np.uint64(2)) >> np.uint64(popcount(lowest - ONE)))


@rule
def spread(chosen, cards):
    """Return the cards of a set whose indices in the set are the bits of ``chosen``."""
    result = ZERO
    rest = chosen
    while rest != ZERO:
        index = popcount((rest & (~rest + ONE)) - ONE)
        rest &= rest - ONE
        result |= bit(nth_set_bit(cards, index))
    return result


@cache
def ending_loop() -> Callable[..., None]:
    """Return the loop ``(rules_array, root (1,), hidden (2,), scratch, values (actions,))``: mean open-hand points."""
    rules_of = reader_of(Rules, None)
    digest = digest_of(average_open, hidden_cards, ending_loop)

    @kernel
    def solve_ending(rules_array, root, hidden, scratch, values):
        rules = keyed(rules_of(rules_array), digest)
        missing = hidden_cards(rules, root[0], hidden)
        average_open(rules, root[0], hidden, missing, scratch)
        player = np.int64(root[0].current_player)
        for k in range(values.shape[0]):
            points = scratch.opened[player, k]
            values[k] = points if player == 0 else -points

    return solve_ending
