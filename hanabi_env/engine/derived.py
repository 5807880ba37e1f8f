"""Hanabi's ``derived`` section, worked out from the Learning Environment's sections alone."""

from functools import cache

from hanabako.compiler.jit import rule
from hanabako.engine.derived import Derive, deriver, only_bit, take
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
from hanabi_env.engine.state import NO_CARD, Rules, state_dtype

__all__ = ["derive"]


@cache
def derive(rules: Rules) -> Derive:
    """Return the function that adds the flags to observations of ``rules``, as the option ``derived`` would.

    Raises:
        ValueError: these observations have flags already, or lack the Learning Environment's card knowledge.
    """
    if rules.observation_type != OBSERVE_CARD_KNOWLEDGE or rules.derived:
        raise ValueError("features 'derived' need observation_type 'card_knowledge', without derived")
    flagged = rules._replace(derived=1)
    dtype = state_dtype(rules.players, rules.hand_size, rules.suits, rules.ranks, rules.deck_size, rules.history)
    return deriver(flagged, observation_bits(rules), observation_bits(flagged), dtype, read_back, write_derived)


@rule
def read_back(rules, words, s):
    """Read an observation back: the inverse of the writers in `hanabi_env.engine.observation`."""
    at = 0
    for offset in range(1, rules.players):
        for slot in range(rules.hand_size):
            s.hands[offset, slot] = only_bit(take(words, at, card_bits(rules)), NO_CARD)
            at += card_bits(rules)
    at = hands_length(rules) + rules.deck_size - rules.players * rules.hand_size
    for suit in range(rules.suits):
        s.fireworks[suit] = only_bit(take(words, at, rules.ranks), -1) + 1
        at += rules.ranks
    at = hands_length(rules) + board_length(rules)
    for suit in range(rules.suits):
        s.discarded[suit] = take(words, at, cards_per_suit(rules, suit))
        at += cards_per_suit(rules, suit)
    at += events_length(rules)
    each = knowledge_length(rules) // (rules.players * rules.hand_size)
    for offset in range(rules.players):
        for slot in range(rules.hand_size):
            s.plausible[offset, slot] = take(words, at, card_bits(rules))
            at += each
