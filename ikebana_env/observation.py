"""What a player may know, as a string of bits.

Each section is a pair of functions, its length and its writer; `SECTIONS` lists them in order, and `index_table` says
where each one begins. Players are counted from the observer, who is 0. A card is one-hot over its kinds; a set of cards
has a bit for each card of the box, see `ikebana_env.rules.first_copy`. A number is a thermometer of its low values,
where a step matters most, and then all of it in binary.

Only the player who drew a card sees it (J3), and of the discards only the tops are seen (I8), unless ``perfect_recall``
adds what lies under them.
"""

import numpy as np

from env_core.bits import ZERO, bit, end_string, low_bits, popcount, put
from env_core.jit import rule
from ikebana_env.rules import BOUQUET_SIZE, DECK_SIZE, KINDS, NO_CARD, Rules, player_at, top_of_discard

HEIGHT_ONES, HEIGHT_BINARY = 4, 6
REFUSAL_ONES, REFUSAL_BINARY = 6, 7
PRESTIGE_ONES, PRESTIGE_EIGHTS, PRESTIGE_BINARY = 32, 19, 12
MOST_BURIED = DECK_SIZE - 1  # cards that can lie under others


@rule
def observe(rules, s, observer, out):
    """Write what ``observer`` may know to ``out`` (uint64 words, `observation_words` of them), lowest bit first."""
    word, at = write_players(rules, s, observer, out, ZERO, 0)
    word, at = write_turn(rules, s, observer, out, word, at)
    if rules.perfect_recall:
        word, at = write_buried(rules, s, observer, out, word, at)
    end_string(out, word, at)


# --- Players: bouquet, discard and prestige of each -------------------------------------------------------------------


@rule
def player_length(rules):  # noqa: ARG001 - as the lengths of the sections
    """Bits of one player."""
    prestige = PRESTIGE_ONES + PRESTIGE_EIGHTS + PRESTIGE_BINARY
    return DECK_SIZE + KINDS + HEIGHT_ONES + HEIGHT_BINARY + prestige


@rule
def players_length(rules):
    """Bits of the section."""
    return rules.players * player_length(rules)


@rule
def write_players(rules, s, observer, out, word, at):
    """Per player the bouquet (set), the top of the discard (one-hot; none: zeros) and its height, the prestige."""
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
    """A card one-hot; `NO_CARD`: zeros."""
    return bit(card) & low_bits(KINDS)


@rule
def number_bits(number, ones):
    """A number as a thermometer of ``ones`` bits, then in binary."""
    return low_bits(min(np.int64(number), ones)) | (np.uint64(number) << np.uint64(ones))


@rule
def prestige_bits(s, player):
    """Thermometers in steps of one to 32 and of eight from 40 to 184, then binary."""
    prestige = np.int64(s.prestige[player])
    eights = low_bits(min(max(prestige // 8 - 4, 0), PRESTIGE_EIGHTS))
    rest = eights | (np.uint64(prestige) << np.uint64(PRESTIGE_EIGHTS))
    return low_bits(min(prestige, PRESTIGE_ONES)) | (rest << np.uint64(PRESTIGE_ONES))


# --- Turn: deck, round, whose turn it is, what was drawn --------------------------------------------------------------


@rule
def turn_length(rules):
    """Bits of the section."""
    return DECK_SIZE + BOUQUET_SIZE + rules.rounds + 2 * rules.players + 1 + REFUSAL_ONES + REFUSAL_BINARY + KINDS


@rule
def write_turn(rules, s, observer, out, word, at):
    """Cards in the deck (thermometer) and in the current player's bouquet (thermometer), round (one-hot).

    Then the current player and the one who began the round (one-hot), whether a card is drawn, the refusals of this
    turn, and the drawn card (one-hot) for the eyes of the current player alone.
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
    """How many seats to the left of the observer a player sits."""
    offset = player - observer
    return offset + rules.players if offset < 0 else offset


# --- Buried cards (J3): what lies under the tops of the discards ------------------------------------------------------


@rule
def buried_length(rules):
    """Bits of the section."""
    return MOST_BURIED * (rules.players + KINDS) if rules.perfect_recall else 0


@rule
def write_buried(rules, s, observer, out, word, at):
    """Per buried card its owner and itself (one-hot): pile by pile from the observer's, from under the top downwards.

    Zeros stand behind the last one.
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


# --- Lengths ----------------------------------------------------------------------------------------------------------

SECTIONS = (
    ("players", players_length),
    ("turn", turn_length),
    ("buried", buried_length),
)


def observation_bits(rules: Rules) -> int:
    """Bits of an observation of this table."""
    return sum(length(rules) for _, length in SECTIONS)


def observation_words(rules: Rules) -> int:
    """Words of 64 bits that hold an observation of this table."""
    return -(-observation_bits(rules) // 64)


def index_table(rules: Rules) -> list[tuple[str, int, int]]:
    """Name, first bit and length of every section that is not empty."""
    rows, at = [], 0
    for name, length in SECTIONS:
        if length(rules):
            rows.append((name, at, length(rules)))
        at += length(rules)
    return rows
