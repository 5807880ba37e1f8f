"""The ``derived`` section of an observation, worked out from the Learning Environment's sections alone.

The flags need hands, fireworks, discards and plausible cards. An observation holds all of them for every card that its
player sees, so it is read back into `Shown`, and `write_derived` runs on that as it runs on a game's record.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule
from hanabako.engine.bits import ONE, ZERO, copy_row, end_string, low_bits, popcount
from hanabako.engine.sections import words_for
from hanabi_env.engine.cards import cards_per_suit
from hanabi_env.engine.observation import (
    OBSERVE_CARD_KNOWLEDGE,
    board_length,
    card_bits,
    events_length,
    hands_length,
    knowledge_length,
    observation_bits,
    write_derived,
)
from hanabi_env.engine.state import NO_CARD, Rules

__all__ = ["derive", "derived_words"]


class Shown(NamedTuple):
    """What `write_derived` reads of a record, as player 0 sees it: fields of `hanabi_env.engine.state.state_dtype`."""

    hands: Any
    plausible: Any
    fireworks: Any
    discarded: Any


def derived_words(rules: Rules) -> int:
    """Return the number of 64-bit words of an observation and its flags."""
    return words_for(observation_bits(rules._replace(derived=1)))


def derive(rules: Rules) -> Callable[[np.ndarray, np.ndarray], None]:
    """Return a compiled loop that copies observations and adds their flags, as the option ``derived`` would.

    The loop takes observations, uint64 (N, `observation_words`), and writes uint64 (N, `derived_words`).

    Raises:
        ValueError: the observation has no card knowledge of the Learning Environment (``minimal``, ``seer``), or has
            flags or beliefs already.
    """
    if rules.observation_type != OBSERVE_CARD_KNOWLEDGE or rules.derived or rules.belief:
        raise ValueError("features 'derived' need observation_type 'card_knowledge', without belief and derived")
    return derive_loop(rules)


@cache
def derive_loop(rules: Rules) -> Callable[[np.ndarray, np.ndarray], None]:
    """Make the loop of `derive`."""
    flagged = rules._replace(derived=1)
    bits, digest = observation_bits(rules), digest_of(write_derived, read_shown, derive_loop)

    @kernel
    def add_flags(observations, out):
        shown = Shown(
            np.full((flagged.players, flagged.hand_size), NO_CARD, np.uint8),
            np.zeros((flagged.players, flagged.hand_size), np.uint64),
            np.zeros(flagged.suits, np.uint8),
            np.zeros(flagged.suits, np.uint16),
        )
        last = keyed(bits, digest) >> 6
        for row in range(observations.shape[0]):
            words = observations[row]
            copy_row(words, out[row, : words.shape[0]])
            read_shown(flagged, words, shown)
            begun = words[last] if bits & 63 else ZERO
            begun, at = write_derived(flagged, shown, 0, out[row], begun, bits)
            end_string(out[row], begun, at)

    return add_flags


@rule
def read_shown(rules, words, shown):
    """Read an observation back: the inverse of the writers in `hanabi_env.engine.observation`."""
    at = 0
    for offset in range(1, rules.players):
        for slot in range(rules.hand_size):
            card = taken(words, at, card_bits(rules))
            shown.hands[offset, slot] = NO_CARD if card == ZERO else popcount(card - ONE)
            at += card_bits(rules)
    at = hands_length(rules) + rules.deck_size - rules.players * rules.hand_size
    for suit in range(rules.suits):
        played = taken(words, at, rules.ranks)
        shown.fireworks[suit] = 0 if played == ZERO else popcount(played - ONE) + 1
        at += rules.ranks
    at = hands_length(rules) + board_length(rules)
    for suit in range(rules.suits):
        shown.discarded[suit] = taken(words, at, cards_per_suit(rules, suit))
        at += cards_per_suit(rules, suit)
    at += events_length(rules)
    each = knowledge_length(rules) // (rules.players * rules.hand_size)
    for offset in range(rules.players):
        for slot in range(rules.hand_size):
            shown.plausible[offset, slot] = taken(words, at, card_bits(rules))
            at += each


@rule
def taken(words, at, length):
    """Return ``length`` (1 to 63) bits of a packed observation, from bit ``at`` on."""
    shift = np.uint64(at & 63)
    value = words[at >> 6] >> shift
    if (at & 63) + length > 64:
        value |= words[(at >> 6) + 1] << (np.uint64(64) - shift)
    return value & low_bits(length)
