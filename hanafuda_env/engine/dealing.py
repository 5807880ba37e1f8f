"""Dealing a round of Koi-Koi: the deck is shuffled, hands and field are dealt, and void deals are dealt again.

The whole deck is shuffled before the deal, unlike `hanabako.engine.deck`, which draws random cards when they are
needed. The reason is that a round deals half of the box before the first move and checks it at once (K9), so that void
deals are shuffled again, and a round that is played to its end leaves only eight cards. The record stores the order of
the deck, which dealing, drawing (K18) and given decks (L8) share.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import bit
from hanabako.engine.rng import LOW_32, THIRTY_TWO, random_word
from hanafuda_env.engine.cards import CARDS
from hanafuda_env.engine.state import ATTEMPTS, BOTH_REDEAL, DEAL_STREAMS, HAND, LUCKY_PLAYS, LUCKY_REDEALS
from hanafuda_env.engine.yaku import has_kuttsuki, has_teshi


@rule
def deal_valid_round(rules, s):
    """K9: shuffle and deal until the round is not void."""
    attempt = 0
    shuffle(s, attempt)
    deal(s)
    while is_void(rules, s):
        attempt += 1
        shuffle(s, attempt)
        deal(s)


@rule
def shuffle(s, attempt):
    """K2: shuffle all 48 cards (Fisher-Yates). L8: or use the given deck of the round."""
    if s.round_number <= s.given_rounds:
        for k in range(CARDS):
            s.deck[k] = s.given_decks[s.round_number - 1, k]
        return
    stream = random_word(s.key, DEAL_STREAMS + ATTEMPTS * np.int64(s.round_number) + attempt)
    for k in range(0, CARDS, 2):  # one random word for two cards
        word = random_word(stream, k)
        insert_card(s, k, word & LOW_32)
        insert_card(s, k + 1, word >> THIRTY_TWO)


@rule
def insert_card(s, k, chance):
    """Insert card ``k`` at a random index among the ``k`` cards before it; ``chance`` is a random 32-bit number."""
    place = np.int64((chance * np.uint64(k + 1)) >> THIRTY_TWO)
    s.deck[k] = s.deck[place]
    s.deck[place] = k


@rule
def deal(s):
    """K5: deal four cards each to the other player, to the dealer and face up to the field, twice."""
    other = 1 - s.dealer
    s.hand[other] = four_cards(s, 0) | four_cards(s, 12)
    s.hand[s.dealer] = four_cards(s, 4) | four_cards(s, 16)
    s.field = four_cards(s, 8) | four_cards(s, 20)
    s.drawn = 3 * HAND


def dealt(s, deck):
    """Return a copy of a record to which ``deck`` is dealt, for `is_void`, which does not depend on the dealer."""
    probe = s.copy()
    probe.dealer = 0
    probe.deck[:] = deck
    deal(probe)
    return probe


@rule
def four_cards(s, at):
    """Return four adjacent cards of the deck as a set."""
    return bit(s.deck[at]) | bit(s.deck[at + 1]) | bit(s.deck[at + 2]) | bit(s.deck[at + 3])


@rule
def is_void(rules, s):
    """K9: whether the field has four cards of a month or four pairs. L6, K10: or whether the hands are dealt again.

    The result does not depend on a swap of the hands.
    """
    if is_lucky(rules, s.field):
        return True
    if rules.teshi == LUCKY_REDEALS and (has_teshi(s.hand[0]) or has_teshi(s.hand[1])):
        return True
    if rules.kuttsuki == LUCKY_REDEALS and (has_kuttsuki(s.hand[0]) or has_kuttsuki(s.hand[1])):
        return True
    return rules.both_lucky == BOTH_REDEAL and is_lucky(rules, s.hand[0]) and is_lucky(rules, s.hand[1])


@rule
def is_lucky(rules, cards):
    """K8, K9: whether eight cards have Teshi or Kuttsuki, if these have an effect in these rules."""
    return (rules.teshi != LUCKY_PLAYS and has_teshi(cards)) or (rules.kuttsuki != LUCKY_PLAYS and has_kuttsuki(cards))
