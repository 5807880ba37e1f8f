"""Random numbers without a generator's state: each number is a function of a key and a counter.

A deal's key comes from the seed, the game index and the episode. The counter of a draw is a fact of the game, such as
the number of cards left. So a game is the same for every batch size, number of threads and device, and no state has to
be stored or advanced. The mixer is SplitMix64's finaliser (Steele, Lea, Flood 2014, "Fast splittable pseudorandom
number generators"). Streams are windows of one sequence of 2^64 numbers. Among billions of episodes, a few pairs share
some numbers at different counters.
"""

import numpy as np

from hanabako.compiler.jit import rule

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
GAME_STRIDE = np.uint64(0xD1342543DE82EF95)
EPISODE_STRIDE = np.uint64(0xAF251AF3B0F025B5)
LOW_32 = np.uint64(0xFFFFFFFF)
THIRTY_TWO = np.uint64(32)


@rule
def mix64(x):
    """Return SplitMix64's finaliser of ``x``: a bijection of 64-bit words whose outputs look random."""
    x = np.uint64(x)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@rule
def game_key(seed, game_index):
    """Return the random key of a table: game ``game_index`` of ``seed`` (both uint64)."""
    return mix64(mix64(np.uint64(seed) + GOLDEN) + (np.uint64(game_index) + np.uint64(1)) * GAME_STRIDE)


@rule
def episode_key(key, episode):
    """Return the random key of one episode of the table with ``key``."""
    return mix64(key + (np.uint64(episode) + np.uint64(1)) * EPISODE_STRIDE)


@rule
def random_word(key, counter):
    """Return random word number ``counter`` of the stream ``key``, uint64."""
    return mix64(key + np.uint64(counter) * GOLDEN)


@rule
def random_below(key, counter, bound):
    """Return a random int from 0 to ``bound`` - 1 (bound below 2^32), by multiply-shift (bias: ``bound`` / 2^32)."""
    high = random_word(key, counter) >> THIRTY_TWO
    return np.int64((high * np.uint64(bound)) >> THIRTY_TWO)
