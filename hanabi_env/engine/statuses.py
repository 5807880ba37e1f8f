"""The statuses of a player's own cards, which the player does not see: an auxiliary task for learners predicts them."""

from collections.abc import Callable
from functools import cache

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import has_bit
from hanabako.engine.loops import reader_of
from hanabi_env.engine.cards import playable_set, played_set
from hanabi_env.engine.state import Rules

__all__ = ["EMPTY", "NEITHER", "PLAYABLE", "PLAYED", "status_loop"]

PLAYABLE, PLAYED, NEITHER = 0, 1, 2
"""The card starts or continues its firework; its firework has such a card already; neither."""
EMPTY = -1
"""The status of an empty slot."""


@rule
def write_statuses(rules, s, player, out):
    """H10: write the statuses of a player's cards into ``out`` (slots,), oldest card first."""
    playable, played = playable_set(rules, s), played_set(rules, s)
    for slot in range(out.shape[0]):
        out[slot] = EMPTY
        if slot < s.hand_count[player]:
            card = s.hands[player, slot]
            out[slot] = PLAYABLE if has_bit(playable, card) else PLAYED if has_bit(played, card) else NEITHER


@cache
def status_loop(frozen: Rules | None) -> Callable[..., None]:
    """Return the loop over tables, specialized to ``frozen`` rules, or generic if ``None``.

    It takes ``rules_array``, ``tables`` (N,), and ``out`` int8 (N, slots), for the players to move.
    """
    rules_of = reader_of(Rules, frozen)
    digest = digest_of(write_statuses, status_loop)

    @kernel
    def write_all(rules_array, tables, out):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            s = tables[i].state
            write_statuses(rules, s, np.int64(s.current_player), out[i])

    return write_all
