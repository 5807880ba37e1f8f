"""Ikebana's observation: the information that a player may know, as a string of bits.

Each section is a pair of functions, its length and its writer. `SECTIONS` lists them in order, and `section_index`
returns the first bit of each. Players are counted from the observer, who is 0. A card is one-hot over its kinds. A set
of cards has a bit for each card of the box, see `ikebana_env.engine.cards.first_copy`. A number is a thermometer of its
low values, where a difference of one matters most, followed by the whole number in binary.

Only the player who drew a card sees it (J3). Only the top card of a discard is seen (I8), unless ``perfect_recall``
adds the buried cards. ``derived`` adds what a careful player would count: values and colors by number.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, end_string, low_bits, popcount, put
from hanabako.engine.sections import index_of, words_for
from ikebana_env.engine.cards import color_of, color_set, value_of, value_set
from ikebana_env.engine.rules import player_at, top_of_discard
from ikebana_env.engine.state import BOUQUET_SIZE, COLORS, DECK_SIZE, JOKER, KINDS, NO_CARD, VALUES, Rules

HEIGHT_ONES, HEIGHT_BINARY = 4, 6
REFUSAL_ONES, REFUSAL_BINARY = 6, 7
PRESTIGE_ONES, PRESTIGE_EIGHTS, PRESTIGE_BINARY = 32, 19, 12
MOST_BURIED = DECK_SIZE - 1  # cards that can be under others


@rule
def observe(rules, s, observer, out):
    """Write the observation of ``observer`` to ``out`` (`observation_words` uint64 words), lowest bit first."""
    word, at = write_players(rules, s, observer, out, ZERO, 0)
    word, at = write_turn(rules, s, observer, out, word, at)
    if rules.perfect_recall:
        word, at = write_buried(rules, s, observer, out, word, at)
    if rules.derived:
        word, at = write_derived(rules, s, observer, out, word, at)
    end_string(out, word, at)


# --- Players: bouquet, discard and prestige of each -------------------------------------------------------------------


@rule
def player_length(rules):  # noqa: ARG001 - the signature of all lengths
    """Return the number of bits of one player."""
    prestige = PRESTIGE_ONES + PRESTIGE_EIGHTS + PRESTIGE_BINARY
    return DECK_SIZE + KINDS + HEIGHT_ONES + HEIGHT_BINARY + prestige


@rule
def players_length(rules):
    """Return the number of bits of the section."""
    return rules.players * player_length(rules)


@rule
def write_players(rules, s, observer, out, word, at):
    """Write per player the bouquet (set), the discard's top (one-hot; none: zeros) and height, and the prestige."""
    for offset in range(rules.players):
        player = player_at(rules, observer, offset)
        height = number_bits(s.discard_count[player], HEIGHT_ONES)
        word, at = put(out, word, at, DECK_SIZE, s.bouquets[player])
        word, at = put(out, word, at, KINDS, card_bits(top_of_discard(s, player)))
        word, at = put(out, word, at, HEIGHT_ONES + HEIGHT_BINARY, height)
        word, at = put(out, word, at, PRESTIGE_ONES + PRESTIGE_EIGHTS + PRESTIGE_BINARY, prestige_bits(s, player))
    return word, at


@rule
def card_bits(card):
    """Return a card as one-hot bits; `NO_CARD` is zeros."""
    return bit(card) & low_bits(KINDS)


@rule
def number_bits(number, ones):
    """Return a number as a thermometer of ``ones`` bits, then in binary."""
    return low_bits(min(np.int64(number), ones)) | (np.uint64(number) << np.uint64(ones))


@rule
def prestige_bits(s, player):
    """Return a player's prestige: thermometers in steps of 1 up to 32 and of 8 from 40 to 184, then binary."""
    prestige = np.int64(s.prestige[player])
    eights = low_bits(min(max(prestige // 8 - 4, 0), PRESTIGE_EIGHTS))
    rest = eights | (np.uint64(prestige) << np.uint64(PRESTIGE_EIGHTS))
    return low_bits(min(prestige, PRESTIGE_ONES)) | (rest << np.uint64(PRESTIGE_ONES))


# --- Turn: deck, round, current player, drawn card --------------------------------------------------------------------


@rule
def turn_length(rules):
    """Return the number of bits of the section."""
    return DECK_SIZE + BOUQUET_SIZE + rules.rounds + 2 * rules.players + 1 + REFUSAL_ONES + REFUSAL_BINARY + KINDS


@rule
def write_turn(rules, s, observer, out, word, at):
    """Write the facts of the turn.

    The bits are: cards in the deck and in the current player's bouquet (thermometers); the round (one-hot); the current
    player and the player who began the round (one-hot); whether a card is drawn; the refusals of this turn; and the
    drawn card (one-hot), which only the current player sees.
    """
    player = np.int64(s.current_player)
    is_drawn = np.uint64(s.drawn != NO_CARD)
    drawn = card_bits(s.drawn) if observer == player else ZERO
    word, at = put(out, word, at, DECK_SIZE, low_bits(s.deck_count))
    word, at = put(out, word, at, BOUQUET_SIZE, low_bits(popcount(s.bouquets[player])))
    word, at = put(out, word, at, rules.rounds, bit(s.round_index))
    word, at = put(out, word, at, rules.players, bit(relative(rules, observer, player)))
    word, at = put(out, word, at, rules.players, bit(relative(rules, observer, np.int64(s.starter))))
    word, at = put(out, word, at, 1, is_drawn)
    word, at = put(out, word, at, REFUSAL_ONES + REFUSAL_BINARY, number_bits(s.refusals, REFUSAL_ONES))
    return put(out, word, at, KINDS, drawn)


@rule
def relative(rules, observer, player):
    """Return how many seats to the left of the observer a player sits."""
    offset = player - observer
    return offset + rules.players if offset < 0 else offset


# --- Buried cards (J3): the cards under the tops of the discards ------------------------------------------------------


@rule
def buried_length(rules):
    """Return the number of bits of the section."""
    return MOST_BURIED * (rules.players + KINDS) if rules.perfect_recall else 0


@rule
def write_buried(rules, s, observer, out, word, at):
    """Write the owner and the kind of every buried card (one-hot), pile by pile from the observer's, downwards.

    Zeros follow the last one.
    """
    length = rules.players + KINDS
    buried = 0
    for offset in range(rules.players):
        player = player_at(rules, observer, offset)
        for k in range(np.int64(s.discard_count[player]) - 2, -1, -1):
            card = bit(s.discards[player, k]) << np.uint64(rules.players)
            word, at = put(out, word, at, length, card | bit(offset))
            buried += 1
    for _ in range(buried, MOST_BURIED):
        word, at = put(out, word, at, length, ZERO)
    return word, at


# --- Derived: bouquets by values and colors, and how every card on offer fits the observer's --------------------------


@rule
def bouquet_length(rules):  # noqa: ARG001 - the signature of all lengths
    """Return the number of bits of one bouquet."""
    return (VALUES + 1) * BOUQUET_SIZE + COLORS


@rule
def offer_length(rules):  # noqa: ARG001 - the signature of all lengths
    """Return the number of bits of one card on offer."""
    return VALUES + COLORS + 1 + BOUQUET_SIZE + 1


@rule
def derived_length(rules):
    """Return the number of bits of the section."""
    return rules.players * (bouquet_length(rules) + offer_length(rules)) if rules.derived else 0


@rule
def write_derived(rules, s, observer, out, word, at):
    """Write each player's bouquet by values, jokers and colors; then the drawn card and the other players' tops."""
    own = s.bouquets[observer]
    for offset in range(rules.players):
        cards = s.bouquets[player_at(rules, observer, offset)]
        word, at = put(out, word, at, bouquet_length(rules), bouquet_bits(rules, cards))
    drawn = np.int64(s.drawn) if observer == s.current_player else NO_CARD
    word, at = put(out, word, at, offer_length(rules), offer_bits(rules, drawn, own))
    for offset in range(1, rules.players):
        top = top_of_discard(s, player_at(rules, observer, offset))
        word, at = put(out, word, at, offer_length(rules), offer_bits(rules, top, own))
    return word, at


@rule
def bouquet_bits(rules, cards):  # noqa: ARG001 - the signature of all writers
    """Return a bouquet's numbers of cards of each value and of jokers (thermometers), then its colors."""
    bits = ZERO
    for value in range(1, VALUES + 1):
        bits |= low_bits(popcount(cards & value_set(value))) << np.uint64((value - 1) * BOUQUET_SIZE)
    bits |= low_bits(popcount(cards & color_set(JOKER))) << np.uint64(VALUES * BOUQUET_SIZE)
    for color in range(COLORS):
        there = np.uint64(cards & color_set(color) != ZERO)
        bits |= there << np.uint64((VALUES + 1) * BOUQUET_SIZE + color)
    return bits


@rule
def offer_bits(rules, card, own):  # noqa: ARG001 - the signature of all writers
    """Return a card's value and color (one-hot), and the cards of its value (thermometer) and its color in ``own``."""
    if card == NO_CARD:
        return ZERO
    same_value = popcount(own & value_set(value_of(card)))
    same_color = np.uint64(own & color_set(color_of(card)) != ZERO)
    bits = bit(value_of(card) - 1) | bit(VALUES + color_of(card))
    bits |= low_bits(same_value) << np.uint64(VALUES + COLORS + 1)
    return bits | (same_color << np.uint64(VALUES + COLORS + 1 + BOUQUET_SIZE))


# --- Lengths ----------------------------------------------------------------------------------------------------------

SECTIONS = (
    ("players", players_length),
    ("turn", turn_length),
    ("buried", buried_length),
    ("derived", derived_length),
)


def observation_bits(rules: Rules) -> int:
    """Return the number of bits of an observation."""
    return sum(length(rules) for _, length in SECTIONS)


def observation_words(rules: Rules) -> int:
    """Return the number of 64-bit words of an observation."""
    return words_for(observation_bits(rules))


def section_index(rules: Rules) -> list[tuple[str, int, int]]:
    """Return the name, first bit and length of every section that is not empty."""
    return index_of((name, length(rules)) for name, length in SECTIONS)
