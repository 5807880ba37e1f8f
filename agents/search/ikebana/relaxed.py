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

__all__ = ["MOMENTS", "in_one", "last_round", "solve_round", "won"]

MOMENTS = 2 * BOUQUET_SIZE
"""Turns of a round of two players: moment m is before turn m, and there ``m // 2`` is the size of the bouquet of the
player to move."""


@rule
def won(lead):
    """What a lead at the end of the game is worth, or leads in an array: a tie is half a game."""
    return (lead > 0) + 0.5 * (lead == 0)


@cache
def turn_loop() -> Callable[..., None]:
    """The loop over one turn: ``(begins, kinds, odds, after, out)``.

    ``out[own, other, p]`` is the chance of the player to move, by both bouquets' kinds and its prestige; ``after[other,
    own, p]`` that of the other player, who moves then. ``begins``, ``kinds`` and ``odds`` are the growth of ``own``.
    """
    digest = digest_of(turn_loop)

    @kernel
    def turn(begins, kinds, odds, after, out):
        most = keyed(MOST_REFUSALS, digest)
        total = out.shape[2] - 1
        kept, worth, again = np.zeros((64, total + 1)), np.zeros(total + 1), np.zeros(total + 1)
        for own in range(out.shape[0]):
            first, ways = begins[own], begins[own + 1] - begins[own]
            for other in range(out.shape[1]):
                worth[:] = 0.0
                for way in range(ways):
                    for p in range(total + 1):
                        kept[way, p] = 1.0 - after[other, kinds[first + way], total - p]
                        worth[p] += odds[first + way] * kept[way, p]
                for price in range(most, 0, -1):
                    for p in range(total + 1):
                        again[p] = worth[p - price] if p >= price else 0.0
                    worth[:] = 0.0
                    for way in range(ways):
                        for p in range(total + 1):
                            worth[p] += odds[first + way] * max(kept[way, p], again[p])
                out[own, other] = worth

    return turn


def solve_round(
    total: int,
    ended: Callable[[int, int], NDArray[np.float64]],
    growths: Sequence[Growth] = GROWTHS,
    gains: NDArray[np.int64] = GAINS,
) -> list[NDArray[np.float32]]:
    """The chance to win of the player to move, at every moment of a round.

    Args:
        total: the sum of both players' prestige, before the gains.
        ended: of what the first and the second player's bouquets earn: the first player's chance by the part of
            ``total`` that it then has, float64 (total + 1,).
        growths: of bouquets of 0 to 4 cards, of another box than the booklet's,
        gains: and what the kinds of complete bouquets earn there.

    Returns:
        For each of `MOMENTS` float32 (kinds of the own bouquet, kinds of the other's, total + 1), by the prestige of
        the player to move; kinds are counted from the first one of their size.
    """
    moments = [np.array([[ended(int(one), int(other)) for other in gains] for one in gains], np.float32)]
    counts = [*(len(growth.begins) - 1 for growth in growths), len(gains)]
    for moment in range(MOMENTS - 1, -1, -1):
        own, other = moment // 2, moment // 2 + moment % 2
        out = np.zeros((counts[own], counts[other], total + 1), np.float32)
        turn_loop()(*growths[own], moments[-1], out)
        moments.append(out)
    return moments[:0:-1]


@cache
def last_round(total: int, factor: int, widest: int) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """`solve_round` of a game's last round, in 65,535ths, for leads from -``widest`` to ``widest`` alone.

    Args:
        total: the sum of both players' prestige.
        factor: how often gains count (I15).
        widest: at most ``total``, and as odd or even as that.

    Returns:
        The chances of all moments, one after another, and where each begins (MOMENTS + 1,).
    """
    own = np.arange(total + 1)
    first = (total - widest) // 2
    solved = solve_round(total, lambda one, other: won(2 * own - total + factor * (one - other)))
    return in_one([chances[..., first : total + 1 - first] for chances in solved])


def in_one(moments: Sequence[NDArray[np.float32]]) -> tuple[NDArray[np.uint16], NDArray[np.int64]]:
    """The chances of some moments in 65,535ths, one after another, and where each begins."""
    parts = [np.rint(65535 * chances).astype(np.uint16).ravel() for chances in moments]
    return np.concatenate(parts), np.cumsum([0, *map(len, parts)])
