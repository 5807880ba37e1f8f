"""The game of a Koi-Koi ending with closed hands, recorded while `agents.search.koikoi.walk` goes through it.

A player's *plan* is the number of an action at one of its choices, which stands for all choices that led there. So the
game is a list of choices, by player and information, and a list of payoffs, by pairs of plans that meet.
"""

from typing import NamedTuple

import numpy as np

from agents.search.koikoi.walk import NOT_WRITTEN
from hanabako.compiler.jit import interned, rule
from hanabako.engine.bits import ONE, ZERO, bit, popcount
from hanabako.engine.rng import mix64
from hanafuda_env.engine.cards import CARDS

__all__ = ["CHOICES", "WRITER", "WrittenGame", "empty_game"]

CHOICES = interned(
    np.dtype(  # the choices of both players
        [("key", np.uint64), ("player", np.int64), ("parent", np.int64), ("first", np.int64), ("count", np.int64)]
    )
)
PAIRS = interned(np.dtype([("key", np.uint64), ("value", np.float64)]))
SIZES = interned(np.dtype([("choices", np.int64), ("plans", np.int64, (2,)), ("pairs", np.int64), ("full", np.int64)]))


class WrittenGame(NamedTuple):
    """A game recorded by a walk. ``index`` and ``pairs`` are twice as long as their most entries, a power of two."""

    choices: np.ndarray
    """Records of `CHOICES`, in an order in which plans come before those to which they lead."""
    index: np.ndarray
    """A hash table of the choices by their keys."""
    opened: np.ndarray
    """(2, plans): the values of each player's plans with open hands, times the probability that cards lead there."""
    pairs: np.ndarray
    """Records of `PAIRS`: the payoff of a plan of player 0 and one of player 1, times the same probability."""
    sizes: np.ndarray
    """(1,): the numbers of entries."""


def empty_game(choices: int, pairs: int) -> WrittenGame:
    """Return an empty game for at most this many choices and pairs of plans; both are powers of two."""
    sizes = np.zeros(1, SIZES)
    sizes["plans"] = 1  # plan 0 is to do nothing yet
    index, opened = np.zeros(2 * choices, np.int64), np.zeros((2, 4 * choices))
    return WrittenGame(np.zeros(choices, CHOICES), index, opened, np.zeros(2 * pairs, PAIRS), sizes)


@rule
def choice_of(s, way, game):
    """Return the plan of the first action of a choice, given the player's hand and the public history; for a walk."""
    player, size = way.player, game.sizes[0]
    key = mix64(way.history ^ mix64(np.uint64(s.hand[player]) | bit(CARDS + player))) | ONE
    mask = np.uint64(game.index.shape[0] - 1)
    at = key & mask
    while game.index[at] != 0:
        found = game.choices[game.index[at] - 1]
        if found.key == key:
            return found.first
        at = (at + ONE) & mask
    count = popcount(way.options)
    if size.choices == game.choices.shape[0] or size.plans[player] + count > game.opened.shape[1]:
        size.full = 1
        return NOT_WRITTEN
    new = game.choices[size.choices]
    new.key = key
    new.player = player
    new.parent = way.plans[player]
    new.first = size.plans[player]
    new.count = count
    size.plans[player] += count
    size.choices += 1
    game.index[at] = size.choices
    return new.first


@rule
def add_to_pair(way, value, game):
    """Add a payoff to the pair of plans that meet; ``end_of`` for a walk."""
    pairs, size = game.pairs, game.sizes[0]
    key = (np.uint64(way.plans[0]) << np.uint64(32)) | np.uint64(way.plans[1])
    mask = np.uint64(pairs.shape[0] - 1)
    at = mix64(key) & mask
    key += ONE  # 0 is free
    while pairs[at].key != ZERO and pairs[at].key != key:
        at = (at + ONE) & mask
    if pairs[at].key == ZERO:
        if 2 * size.pairs >= pairs.shape[0]:
            size.full = 1
            return
        pairs[at].key = key
        size.pairs += 1
    pairs[at].value += value * way.probability


WRITER = choice_of, add_to_pair
