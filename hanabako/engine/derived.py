"""The ``derived`` section of an observation, worked out from the sections before it.

A game's flags need only what the player sees. So an observation is read back into the fields of a record that the
writer of the flags uses, and this writer runs on them as it runs on a record.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import ONE, ZERO, copy_row, end_string, low_bits, popcount
from hanabako.engine.sections import words_for

__all__ = ["Derive", "deriver", "only_bit", "take"]

Derive: TypeAlias = Callable[[NDArray[np.uint64]], NDArray[np.uint64]]
"""From packed observations, uint64 (rows, words), to the same with the flags, uint64 (rows, more words)."""


def deriver(flagged: Any, bits: int, more: int, dtype: np.dtype, read: Any, write: Any) -> Derive:
    """Return the function that adds a game's flags to observations.

    Args:
        flagged: the game's rules, with ``derived``.
        bits: the length of an observation without the flags.
        more: the length with them.
        dtype: the dtype of the game's record.
        read: the rule ``(rules, words, s)``, which sets the fields that ``write`` uses; the observer is player 0.
        write: the game's ``write_derived``.
    """
    add_flags, words = adder(flagged, bits, read, write), words_for(more)

    def derive(observations: NDArray[np.uint64]) -> NDArray[np.uint64]:
        out = np.empty((len(observations), words), np.uint64)
        add_flags(observations, out, np.zeros(1, dtype))
        return out

    return derive


def adder(flagged: Any, bits: int, read: Any, write: Any) -> Callable[..., None]:
    """Return the compiled loop of `deriver`."""
    digest = digest_of(read, write, adder)

    @kernel
    def add_flags(observations, out, records):
        last, s = keyed(bits, digest) >> 6, records[0]
        for row in range(observations.shape[0]):
            words = observations[row]
            copy_row(words, out[row, : words.shape[0]])
            read(flagged, words, s)
            begun = words[last] if bits & 63 else ZERO
            begun, at = write(flagged, s, 0, out[row], begun, bits)
            end_string(out[row], begun, at)

    return add_flags


@rule
def take(words, at, length):
    """Return ``length`` (1 to 63) bits of a packed observation, from bit ``at`` on."""
    shift = np.uint64(at & 63)
    value = words[at >> 6] >> shift
    if (at & 63) + length > 64:
        value |= words[(at >> 6) + 1] << (np.uint64(64) - shift)
    return value & low_bits(length)


@rule
def only_bit(word, otherwise):
    """Return the index of the only bit that is set, or ``otherwise`` if none is."""
    return otherwise if word == ZERO else popcount(word - ONE)
