"""Endings with open hands: a relaxation of the last turns, for a player who sees one hand.

For every hand that the other may hold, the rest of the round is solved as if all cards but the deck lay open
(`agents.search.koikoi.walk`). The value of an action is its mean over these hands. Neither player can know that much;
``hanafuda_env/README.md`` has the error of these values and the cost of these choices.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import ONE, ZERO, bit, low_bits, nth_set_bit, popcount
from hanabako.engine.loops import reader_of
from hanafuda_env.engine.state import Rules

from .one_round import hidden_cards
from .walk import walk

__all__ = ["average_open", "ending_loop"]


@rule
def average_open(rules, root, hidden, missing, scratch, values):
    """Compute the value of each action with open hands, as the mean over the hands that the other may hold.

    Args:
        rules: the rules of one round.
        root: the view of the player to move.
        hidden: (2,): the cards that this player does not see, and the cards that the other cannot hold.
        missing: how many of the hidden cards the other holds.
        scratch: the arrays of `agents.search.koikoi.walk.walk_scratch`.
        values: the points of player 0 are written here, in the order of the actions' numbers.
    """
    states, ways = scratch
    other = 1 - np.int64(root.current_player)
    allowed = hidden[0] & ~hidden[1]
    size = popcount(allowed)
    values[:] = 0.0
    chosen, hands = low_bits(missing), 0
    while chosen < bit(size):
        states[0] = root
        states[0].hand[other] |= spread(chosen, allowed)
        walk(rules, states, ways, values)
        hands += 1
        if chosen == ZERO:
            break
        chosen = next_subset(chosen)
    values /= hands


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
        average_open(rules, root[0], hidden, missing, scratch, values)
        if root[0].current_player == 1:
            values *= -1.0

    return solve_ending
