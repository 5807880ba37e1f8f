"""A relaxed round of Ikebana for two players that can be solved exactly.

The simplifications: every card is drawn from the whole box, so cards that were seen say nothing about the next ones;
nothing is bought; and a turn has at most `MOST_REFUSALS` refusals. The rest is as in the game: both players keep and
refuse in order to win, pay at most what they have, and pay each other. A bouquet then matters only by its kind
(`agents.search.ikebana.kinds`), and the sum of both players' prestige is constant in a round. So the round is solved
backwards, for all kinds of both bouquets and every division of the sum.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from ikebana_env.engine.state import BOUQUET_SIZE

from ...bots.ikebana.odds import MOST_REFUSALS
from .kinds import BEGINS, GAINS, GROWTHS

ROUND_TURNS = 2 * BOUQUET_SIZE
"""Turns in a round of two players, from 0: before turn t the bouquet of the player to move has ``t // 2`` cards."""


@rule
def won(lead):
    """Return the value of a lead, or of an array of leads, at the end of the game; a tie is half a win."""
    return (lead > 0) + 0.5 * (lead == 0)


@cache
def turn_loop() -> Callable[..., None]:
    """Return the loop over one turn, ``(begins, kinds, odds, after, out)``.

    ``out[mine, theirs, p]`` is the probability that the player to move wins, by the kinds of its bouquet and the
    other's, and by its prestige. ``after[theirs, mine, p]`` is that of the other player, who moves next. ``begins``,
    ``kinds`` and ``odds`` are the growth of ``mine``.
    """
    digest = digest_of(turn_loop)

    @kernel
    def turn(begins, kinds, odds, after, out):
        most = keyed(MOST_REFUSALS, digest)
        total = out.shape[2] - 1
        kept, value, again = np.zeros((64, total + 1)), np.zeros(total + 1), np.zeros(total + 1)
        for mine in range(out.shape[0]):
            first, ways = begins[mine], begins[mine + 1] - begins[mine]
            for theirs in range(out.shape[1]):
                value[:] = 0.0
                for way in range(ways):
                    for p in range(total + 1):
                        kept[way, p] = 1.0 - after[theirs, kinds[first + way], total - p]
                        value[p] += odds[first + way] * kept[way, p]
                for price in range(most, 0, -1):
                    for p in range(total + 1):
                        again[p] = value[p - price] if p >= price else 0.0
                    value[:] = 0.0
                    for way in range(ways):
                        for p in range(total + 1):
                            value[p] += odds[first + way] * max(kept[way, p], again[p])
                out[mine, theirs] = value

    return turn


def solve_round(total: int, ended: Callable[[int, int], NDArray[np.float64]]) -> list[NDArray[np.float32]]:
    """Return the probability that the player to move wins, at the beginning of every turn of a round.

    Args:
        total: the sum of both players' prestige, before the gains.
        ended: a function of the first and the second player's gain; it returns the first player's probability to win
            by its part of ``total``, float64 (total + 1,).

    Returns:
        For each of `ROUND_TURNS` turns, float32 (kinds of the mover's bouquet, kinds of the other's, total + 1), by the
        prestige of the player to move; kinds are counted from the first one of their size.
    """
    solved = [np.array([[ended(int(one), int(other)) for other in GAINS] for one in GAINS], np.float32)]
    counts = np.diff(BEGINS)
    for turn in range(ROUND_TURNS - 1, -1, -1):
        mine, theirs = turn // 2, turn // 2 + turn % 2
        out = np.zeros((counts[mine], counts[theirs], total + 1), np.float32)
        turn_loop()(*GROWTHS[mine], solved[-1], out)
        solved.append(out)
    return solved[:0:-1]


@cache
def last_round(total: int, factor: int, widest: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """Return `solve_round` of a game's last round in 65,535ths, restricted to leads from -``widest`` to ``widest``.

    Args:
        total: the sum of both players' prestige.
        factor: how many times gains count (I15).
        widest: the widest lead, at most ``total`` and of the same parity.

    Returns:
        The concatenated probabilities of all turns, and the index at which each turn's begin (ROUND_TURNS + 1,).
    """
    mine = np.arange(total + 1)
    first = (total - widest) // 2
    solved = solve_round(total, lambda one, other: won(2 * mine - total + factor * (one - other)))
    parts = [np.rint(65535 * turn[..., first : total + 1 - first]).astype(np.uint16).ravel() for turn in solved]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])
