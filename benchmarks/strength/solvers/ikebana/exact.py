"""Exact win probabilities of a small game of Ikebana, with optimal play of both players and all draws considered.

A round is solved backwards: the value of a turn's beginning for the player to move, for every division of the prestige,
follows from the values of the next turn's beginnings for the other player. The transitions are those of
`benchmarks.strength.solvers.ikebana.small_game`. The players pay each other, so the sum of their prestige is constant
in a round. A tie is half a win (I14). Probabilities are float32, so each turn rounds at the seventh digit.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from agents.search.ikebana.relaxed import won
from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed

from .small_game import Turn

__all__ = ["last_turns", "most_refusals", "round_before", "solved_turns"]

NOWHERE = np.int32(-1)


def most_refusals(total: int) -> int:
    """I6: return how many refusals in one turn a sum of prestige pays for."""
    return int((np.sqrt(8 * total + 1) - 1) // 2)


def last_turns(total: int, gains: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the probabilities after the last round, for `solved_turns`: the player with more has won (I14)."""
    return won(2 * np.arange(total + 1) - total + (gains[:, :1] - gains[:, 1:])).astype(np.float32)


def round_before(
    total: int, gains: NDArray[np.int64], later: Callable[[int], NDArray[np.float32]]
) -> NDArray[np.float32]:
    """Return the probabilities after a round that is not the last, for `solved_turns`.

    ``later`` returns, by the sum of prestige, the probabilities of the player who begins the next round. That is the
    player who gained most, or with equal gains the player who began this one (I13).
    """
    own = np.arange(total + 1)
    rows = [
        later(total + one + other)[own + one] if one >= other else 1 - later(total + one + other)[total - own + other]
        for one, other in gains.tolist()
    ]
    return np.array(rows, np.float32)


def solved_turns(turns: Sequence[Turn], total: int, ended: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """Yield the win probability of the player to move at every beginning of a turn, from the last turn to the first.

    Args:
        turns: see `benchmarks.strength.solvers.ikebana.small_game.turns_of`; each has as many refusals as ``total`` can
            pay for.
        total: the sum of both players' prestige, before the gains.
        ended: (pairs of bouquets, total + 1): the probability of the player to move after the last turn, by this
            player's part of the sum.

    Yields:
        (starts, total + 1), by the prestige of the player to move.
    """
    probabilities = ended
    for turn in reversed(turns):
        after = 1 - probabilities[:, ::-1]  # to the player to move here, by what that player has
        drawn, places = np.zeros((0, 0), np.float32), np.full(len(turn.deck), NOWHERE)
        for refusals in range(most_refusals(total), -1, -1):
            rows = np.flatnonzero(turn.reached >> np.uint32(refusals) & 1)
            out = np.zeros((len(rows), total + 1 - refusals * (refusals + 1) // 2), np.float32)
            draw_cards()(turn[2:5], rows, after, drawn, places, refusals + 1, out)
            drawn = out
            places[:] = NOWHERE
            places[rows] = np.arange(len(rows))
        buy_cards()(turn.bought, turn.prices, after, drawn)
        probabilities = drawn
        yield probabilities


@cache
def draw_cards() -> Callable[..., None]:
    """Return the loop ``((deck, kept, refused), rows, after, again, places, price, out)`` for the value of drawing.

    ``again`` is the value after one more refusal, which costs ``price``; ``places`` are the positions' rows in it.
    """
    digest = digest_of(draw_cards)

    @kernel
    def draw(turn, rows, after, again, places, price, out):
        deck, kept, refused = keyed(turn, digest)
        for row in range(rows.shape[0]):
            i, worths, left = rows[row], out[row], 0
            for card in range(deck.shape[1]):
                number = np.float32(deck[i, card])
                if deck[i, card] == 0:
                    continue
                left += deck[i, card]
                keeping = after[kept[i, card]]
                place = -1 if refused[i, card] < 0 else places[refused[i, card]]
                poor = worths.shape[0] if place < 0 else min(price, worths.shape[0])
                for p in range(poor):
                    worths[p] += number * keeping[p]
                if place >= 0:
                    refusing = again[place]
                    for p in range(price, worths.shape[0]):
                        worths[p] += number * max(keeping[p], refusing[p - price])
            for p in range(worths.shape[0]):
                worths[p] /= np.float32(left)

    return draw


@cache
def buy_cards() -> Callable[..., None]:
    """Return the loop ``(bought, prices, after, probabilities)``, for turns that begin with a purchase instead (I7)."""
    digest = digest_of(buy_cards)

    @kernel
    def buy(bought, prices, after, probabilities):
        for i in range(keyed(probabilities.shape[0], digest)):
            if bought[i] >= 0:
                price = np.int64(prices[i])
                for p in range(price, probabilities.shape[1]):
                    probabilities[i, p] = max(probabilities[i, p], after[bought[i], p - price])

    return buy
