"""Ikebana's ``derived`` section, worked out from the other sections alone."""

from functools import cache

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO
from hanabako.engine.derived import Derive, deriver, only_bit, take
from ikebana_env.engine.observation import observation_bits, player_length, players_length, turn_length, write_derived
from ikebana_env.engine.state import DECK_SIZE, KINDS, NO_CARD, Rules, state_dtype

__all__ = ["derive"]


@cache
def derive(rules: Rules) -> Derive:
    """Return the function that adds the flags to observations of ``rules``, as the option ``derived`` would.

    Raises:
        ValueError: these observations have flags already.
    """
    if rules.derived:
        raise ValueError("features 'derived' need an observation without derived")
    flagged, dtype = rules._replace(derived=1), state_dtype(rules.players, rules.rounds)
    return deriver(flagged, observation_bits(rules), observation_bits(flagged), dtype, read_back, write_derived)


@rule
def read_back(rules, words, s):
    """Read an observation back: the inverse of the writers in `ikebana_env.engine.observation`."""
    for offset in range(rules.players):
        at = offset * player_length(rules)
        top = take(words, at + DECK_SIZE, KINDS)
        s.bouquets[offset] = take(words, at, DECK_SIZE)
        s.discard_count[offset] = top != ZERO
        s.discards[offset, 0] = only_bit(top, NO_CARD)
    s.current_player = 0  # another player's drawn card is not in the observation
    s.drawn = only_bit(take(words, players_length(rules) + turn_length(rules) - KINDS, KINDS), NO_CARD)
