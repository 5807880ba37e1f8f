"""What a player may know, as a string of bits.

It begins with eight sets of cards, 48 bits each, then come the facts about the round and the game as one-hot values,
flags and thermometers (a count n is n ones). Every configuration has the same bits at the same places; only
``history`` appends turns. Each section is a number of bits and a writer; `sections` lists them in order, and
`index_table` says where each one begins.

"Mine" is the observer's. The other hand and the deck are never read; of the other hand only those cards that everybody
has seen (K46) are known. In the phase of the swap nobody knows a hand (K6).
"""

import numpy as np

from env_core.bits import ONE, ZERO, bit, end_string, low_bits, popcount, put
from env_core.jit import rule
from env_core.sections import index_of, words_for
from hanafuda_env.rules import (
    NOBODY,
    PHASE_END,
    PHASE_SWAP,
    TURNS,
    Rules,
    kept_turns,
    legal_actions,
)
from hanafuda_env.yaku import (
    AKATAN,
    ALL_CARDS,
    AMESHIKO,
    AOTAN,
    CARDS,
    GOKO,
    HANAMI,
    INOSHIKACHO,
    KASU,
    SANKO,
    SHIKO,
    TAN,
    TANE,
    TSUKIMI,
    YAKU,
    YAKU_NEED,
    cards_of,
    made_of,
)

MONTHS = 12
BASE_BITS = 20
CALLS_BITS = 4
ROUNDS_BITS = 12
SCORE_BITS = 16
LEAD_BITS = 8
PROGRESS_BITS = sum(YAKU_NEED)
PROGRESS_AT = tuple(np.uint64(sum(YAKU_NEED[:k])) for k in range(YAKU))
"""Where the thermometer of every yaku begins."""

CARDS_BITS = 8 * CARDS  # of each section
ROUND_BITS = PHASE_END + 2 + TURNS + 2 + MONTHS
PLAYER_BITS = PROGRESS_BITS + YAKU + BASE_BITS + 2 * CALLS_BITS + 2
SCORES_BITS = ROUNDS_BITS + 2 * LEAD_BITS + 2 * SCORE_BITS
TURN_BITS = 3 * CARDS + 4


@rule
def observe(rules, s, observer, out):
    """Write what ``observer`` may know to ``out`` (uint64 words, `observation_words` of them), lowest bit first."""
    word, at = write_cards(rules, s, observer, out, ZERO, 0)
    word, at = write_round(s, observer, out, word, at)
    word, at = write_player(rules, s, observer, out, word, at)
    word, at = write_player(rules, s, 1 - observer, out, word, at)
    word, at = write_scores(rules, s, observer, out, word, at)
    for age in range(rules.history):
        word, at = write_turn(rules, s, observer, age, out, word, at)
    end_string(out, word, at)


# --- Cards: eight sets ------------------------------------------------------------------------------------------------


@rule
def write_cards(rules, s, observer, out, word, at):
    """My hand, field, my captured cards, the opponent's, unseen, the opponent's revealed, pending, those I may choose.

    Unseen is what lies in the deck or in a hand that I do not know.
    """
    other = 1 - observer
    hand = s.hand[observer] if s.phase != PHASE_SWAP else ZERO
    revealed = s.revealed & s.hand[other]
    pending = bit(s.pending) & ALL_CARDS
    seen = hand | s.field | s.captured[observer] | s.captured[other] | revealed | pending
    choices = legal_actions(rules, s) & ALL_CARDS if observer == s.current_player else ZERO
    word, at = put(out, word, at, CARDS, hand)
    word, at = put(out, word, at, CARDS, s.field)
    word, at = put(out, word, at, CARDS, s.captured[observer])
    word, at = put(out, word, at, CARDS, s.captured[other])
    word, at = put(out, word, at, CARDS, ALL_CARDS & ~seen)
    word, at = put(out, word, at, CARDS, revealed)
    word, at = put(out, word, at, CARDS, pending)
    return put(out, word, at, CARDS, choices)


# --- Round: phase, who, turn, joker -----------------------------------------------------------------------------------


@rule
def write_round(s, observer, out, word, at):
    """The phase (one-hot in their order, nothing at the end); I am to move; I am the dealer; the turn (thermometer).

    Then the holder of the Gaji's claim (K45: I, the opponent) and the month it claims (one-hot).
    """
    phase = bit(s.phase) & low_bits(PHASE_END)
    me = np.uint64(observer == s.current_player) | np.uint64(observer == s.dealer) << ONE
    facts = phase | me << np.uint64(PHASE_END) | low_bits(s.turn) << np.uint64(PHASE_END + 2)
    if s.joker_holder != NOBODY:
        whose = ONE if s.joker_holder == observer else ONE << ONE
        facts |= (whose | bit(s.joker_month) << np.uint64(2)) << np.uint64(PHASE_END + 2 + TURNS)
    return put(out, word, at, ROUND_BITS, facts)


# --- Mine, theirs: yaku and Koi-Koi of each player --------------------------------------------------------------------


@rule
def write_player(rules, s, player, out, word, at):
    """Cards captured towards each yaku (thermometers as long as its need), and whether it can still be reached.

    Then as of the last completed turn: base points, the chain of K31, calls of Koi (thermometers, as long as they go),
    and whether the player has brought November cards from the hand, from the deck (K44).
    """
    pile = s.captured[player]
    word, at = put(out, word, at, PROGRESS_BITS, progress(rules, pile))
    facts = np.uint64(s.november[player])
    facts = facts << np.uint64(CALLS_BITS) | low_bits(min(np.int64(s.koikoi_called[player]), CALLS_BITS))
    facts = facts << np.uint64(CALLS_BITS) | low_bits(min(np.int64(s.chain[player]), CALLS_BITS))
    facts = facts << np.uint64(BASE_BITS) | low_bits(min(np.int64(s.base_points[player]), BASE_BITS))
    facts = facts << np.uint64(YAKU) | made_of(rules, ALL_CARDS & ~s.captured[1 - player])
    return put(out, word, at, PLAYER_BITS - PROGRESS_BITS, facts)


@rule
def steps_to(rules, pile, k):
    """The cards of a pile that count for yaku ``k``, up to its need, as a thermometer at its place."""
    return low_bits(min(popcount(pile & cards_of(rules, k)), YAKU_NEED[k])) << PROGRESS_AT[k]


@rule
def progress(rules, pile):
    """The thermometers of all yaku, one after the other."""
    steps = steps_to(rules, pile, GOKO) | steps_to(rules, pile, SHIKO)
    steps |= steps_to(rules, pile, AMESHIKO) | steps_to(rules, pile, SANKO)
    steps |= steps_to(rules, pile, HANAMI) | steps_to(rules, pile, TSUKIMI)
    steps |= steps_to(rules, pile, INOSHIKACHO) | steps_to(rules, pile, AKATAN) | steps_to(rules, pile, AOTAN)
    return steps | steps_to(rules, pile, TANE) | steps_to(rules, pile, TAN) | steps_to(rules, pile, KASU)


# --- Scores -----------------------------------------------------------------------------------------------------------


@rule
def write_scores(rules, s, observer, out, word, at):
    """Rounds still to be finished (thermometer, up to 12); how far I lead, how far I trail (at least 1, 2, 4 .. 128).

    Then both scores exactly, mine first, as 16-bit numbers (two's complement).
    """
    mine, theirs = np.int64(s.score[observer]), np.int64(s.score[1 - observer])
    left = rules.rounds - np.int64(s.finished)
    facts = np.uint64(theirs & 0xFFFF)
    facts = facts << np.uint64(SCORE_BITS) | np.uint64(mine & 0xFFFF)
    facts = facts << np.uint64(LEAD_BITS) | doublings(theirs - mine)
    facts = facts << np.uint64(LEAD_BITS) | doublings(mine - theirs)
    facts = facts << np.uint64(ROUNDS_BITS) | low_bits(min(left, ROUNDS_BITS))
    return put(out, word, at, SCORES_BITS, facts)


@rule
def doublings(lead):
    """A thermometer of the powers of two that a lead reaches, from 1 to 128; none where it is no lead."""
    x = np.uint64(min(max(lead, 0), 255))
    x |= x >> ONE
    x |= x >> np.uint64(2)
    return x | (x >> np.uint64(4))


# --- Turns (with ``history``) -----------------------------------------------------------------------------------------


@rule
def write_turn(rules, s, observer, age, out, word, at):
    """The turn ``age`` turns ago, 0 is the present one: cards played, drawn, captured; mine, theirs, joker, Koi-Koi."""
    turn = s.turns[(np.int64(s.turn) - age) % kept_turns(rules)]
    is_turn = turn.player != NOBODY and s.turn > age
    whose = ONE if turn.player == observer else ONE << ONE
    marks = whose | np.uint64(turn.is_joker) << (ONE + ONE) | np.uint64(turn.koikoi) << np.uint64(3)
    word, at = put(out, word, at, CARDS, bit(turn.played) & ALL_CARDS if is_turn else ZERO)
    word, at = put(out, word, at, CARDS, bit(turn.drawn) & ALL_CARDS if is_turn else ZERO)
    word, at = put(out, word, at, CARDS, np.uint64(turn.captured) if is_turn else ZERO)
    return put(out, word, at, 4, marks if is_turn else ZERO)


# --- Lengths ----------------------------------------------------------------------------------------------------------


def sections(rules: Rules) -> list[tuple[str, int]]:
    """Name and length of every section, in order."""
    turns = [(f"turn {age} ago" if age else "present turn", TURN_BITS) for age in range(rules.history)]
    players = [("my yaku", PLAYER_BITS), ("their yaku", PLAYER_BITS)]
    return [("cards", CARDS_BITS), ("round", ROUND_BITS), *players, ("scores", SCORES_BITS), *turns]


def observation_bits(rules: Rules) -> int:
    """Bits of an observation of this table."""
    return sum(length for _, length in sections(rules))


def observation_words(rules: Rules) -> int:
    """Words of 64 bits that hold an observation of this table."""
    return words_for(observation_bits(rules))


def index_table(rules: Rules) -> list[tuple[str, int, int]]:
    """Name, first bit and length of every section."""
    return index_of(sections(rules))
