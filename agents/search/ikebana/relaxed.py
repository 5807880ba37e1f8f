"""A round of Ikebana for two, relaxed until it can be solved exactly.

What is relaxed: every card is drawn from the whole box, so that nothing that was seen tells of what comes; nothing is
bought; and a turn has at most `MOST_REFUSALS` refusals. All else is the game's: both players keep and refuse so as to
win, pay what they have and no more, and what one pays the other has. Then a bouquet matters only by its kind
(`agents.search.ikebana.kinds`); and as payments stay between the two, a round has one sum of prestige. So the round is
solved backwards, for all kinds of both bouquets and every division of the sum.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from ikebana_env.engine.state import BOUQUET_SIZE

from ...bots.ikebana.odds import MOST_REFUSALS
from .kinds import GAINS, GROWTHS, Growth

__all__ = ["ROUND_TURNS", "in_one", "last_round", "solve_round", "won"]

ROUND_TURNS = 2 * BOUQUET_SIZE
"""Turns of a round of two players, from 0: before turn t the bouquet of the player to move has ``t // 2`` cards."""


@rule
def won(lead):
    """The value of a lead, or of leads in an array, at the end of the game: a tie is half a win."""
    return (lead > 0) + 0.5 * (lead == 0)


@cache
def turn_loop() -> Callable[..., None]:
    """The loop over one turn: ``(begins, kinds, odds, after, out)``.

    ``out[mine, theirs, p]`` is the probability that the player to move wins, by the kinds of its bouquet and the
    other's and by its prestige; ``after[theirs, mine, p]`` that of the other player, who moves then. ``begins``,
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


def solve_round(
    total: int,
    ended: Callable[[int, int], NDArray[np.float64]],
    growths: Sequence[Growth] = GROWTHS,
    gains: NDArray[np.int64] = GAINS,
) -> list[NDArray[np.float32]]:
    """The probability to win of the player to move, at the beginning of every turn of a round.

    Args:
        total: the sum of both players' prestige, before the gains.
        ended: from the gains of the first and the second player, the first player's probability to win by the part of
            ``total`` that it then has, float64 (total + 1,).
        growths: the growth of bouquets of 0 to 4 cards, if of another box than the booklet's.
        gains: the gains of complete bouquets, by kind, in that box.

    Returns:
        For each of `ROUND_TURNS` float32 (kinds of the mover's bouquet, kinds of the other's, total + 1), by the
        prestige of the player to move; kinds are counted from the first one of their size.
    """
    solved = [np.array([[ended(int(one), int(other)) for other in gains] for one in gains], np.float32)]
    counts = [*(len(growth.begins) - 1 for growth in growths), len(gains)]
    for turn in range(ROUND_TURNS - 1, -1, -1):
        mine, theirs = turn // 2, turn // 2 + turn % 2
        out = np.zeros((counts[mine], counts[theirs], total + 1), np.float32)
        turn_loop()(*growths[mine], solved[-1], out)
        solved.append(out)
    return solved[:0:-1]


@cache
def last_round(total: int, factor: int, widest: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """`solve_round` of a game's last round, in 65,535ths, for leads from -``widest`` to ``widest`` alone.

    Args:
        total: the sum of both players' prestige.
        factor: how many times gains count (I15).
        widest: at most ``total``, and as odd or even as that.

    Returns:
        The probabilities of all turns, one after another, and where each turn's begin (ROUND_TURNS + 1,).
    """
    mine = np.arange(total + 1)
    first = (total - widest) // 2
    solved = solve_round(total, lambda one, other: won(2 * mine - total + factor * (one - other)))
    return in_one([probabilities[..., first : total + 1 - first] for probabilities in solved])


def in_one(turns: Sequence[NDArray[np.float32]]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The probabilities of some turns in 65,535ths, one after another, and where each turn's begin (turns + 1,)."""
    parts = [np.rint(65535 * probabilities).astype(np.uint16).ravel() for probabilities in turns]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])
