"""Sets of cards as bits, and sets of positions, used by the search and the arguments."""

import numpy as np

from hanabako.compiler.jit import rule

__all__ = ["note", "playable_cards", "turns_after"]


@rule
def playable_cards(rules, needed):
    """Return the lowest needed card of every suit."""
    whole = (np.int64(1) << rules.ranks) - 1
    cards = np.int64(0)
    for suit in range(rules.suits):
        missing = (needed >> (suit * rules.ranks)) & whole
        cards |= (missing & -missing) << (suit * rules.ranks)
    return cards


@rule
def turns_after(rules, draws):
    """Return the number of turns (H14) for cards that wait for a card after whose draw ``draws`` draws remain.

    It is one per draw, plus the last round. But the player who draws the last card has only the last turn of all.
    """
    return draws + rules.players if draws > 0 else 1


@rule
def note(seen, drawn, pool, played):
    """Whether a position of three numbers is new; if so, add it to ``seen`` (2^n, 3), which starts as zeros.

    ``drawn`` is never 0.
    """
    size = len(seen)
    key = (np.uint64(pool) * np.uint64(0x9E3779B97F4A7C15)) ^ (np.uint64(played) * np.uint64(0xBF58476D1CE4E5B9))
    at = np.int64((key ^ (key >> np.uint64(31))) & np.uint64(size - 1))
    while seen[at, 0] != 0:
        if seen[at, 0] == drawn and seen[at, 1] == pool and seen[at, 2] == played:
            return False
        at = (at + 1) & (size - 1)
    seen[at, 0] = drawn
    seen[at, 1] = pool
    seen[at, 2] = played
    return True
