"""Invariants of every table after every step, compiled: about 100 ns per table, so that playing takes most of the time.

A function here checks one record of a game and returns 0, or the number of a sentence in `SENTENCES`. It imports
nothing from the games' engines: sets of cards and numbers of copies are computed independently.

Sums check that every card of the box is somewhere exactly once: every card has a random 64-bit weight, and the weights
of all cards must add up to those of the box, modulo 2^64. A wrong set of cards passes with probability 2^-64.
"""

from typing import Any, NamedTuple

import numba
import numpy as np

SENTENCES = (
    "all is well",
    "a mask that is not 0 or 1 everywhere, or allows nothing in a game that goes on",
    "the mask differs from the record's",
    "a bit of the mask or of the observation beyond the last",
    "a legal action was counted as illegal",
    "a reward that is not finite",
    "the rewards do not add up to zero, or differ between team-mates",
    "a final score out of its bounds",
    "a game that goes on has ended",
    "a card is missing, or there twice",
    "a number out of its bounds",
    "hints exclude the true card, or an empty slot has knowledge",
    "a hint that does not touch the card",
    "the discard disagrees with its counts",
    "sizes of hands that no turn leads to",
    "points that came from nowhere",
)
ILL_MASK, OTHER_MASK, BEYOND, ILLEGAL, INFINITE, UNFAIR, SCORE, OVER = range(1, 9)
CARDS, NUMBERS, KNOWLEDGE, HINT, DISCARD, SIZES, POINTS = range(9, 16)


class Facts(NamedTuple):
    """Facts about a configuration before a card is dealt; all are ints but the weights."""

    bits: int  # of an observation
    num_actions: int
    players: int
    is_team: int = 0  # all players get the same reward
    is_zero_sum: int = 0
    least_score: int = 0
    most_score: int = 0
    hand_size: int = 0
    suits: int = 0
    ranks: int = 0
    deck_size: int = 0
    most_information: int = 0
    most_lives: int = 0
    black_suit: int = -1
    rounds: int = 0
    pays: int = 0  # the loser of a round pays what the winner gets
    start_score: int = 0
    box: np.uint64 = np.uint64(0)  # the weight of all cards


WEIGHTS = np.random.default_rng(16).integers(0, 2**64, 64, np.uint64)
WEIGHTS[63] = 0  # no card

NOTHING, ONE = np.uint64(0), np.uint64(1)


@numba.njit(cache=True)
def bits_in(word: Any) -> Any:
    x = np.uint64(word)
    x = x - ((x >> ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@numba.njit(cache=True)
def beyond(words: Any, bits: int) -> Any:
    """Return whether a bit is set after the first ``bits``."""
    last = bits >> 6
    if last < words.shape[0] and words[last] >> np.uint64(bits & 63) != NOTHING:
        return True
    rest = NOTHING
    for w in range(last + 1, words.shape[0]):
        rest |= words[w]
    return rest != NOTHING


# --- Every game -------------------------------------------------------------------------------------------------------


@numba.njit(cache=True)
def fault_of_step(facts: Any, table: Any, mask: Any, observation: Any, final: Any) -> Any:
    """Return the fault of a step's outputs, for any game."""
    bits, others, differences = 0, 0, 0
    for action in range(facts.num_actions):
        bits += mask[action]
        others |= mask[action]
        differences |= np.uint8(mask[action]) ^ np.uint8((table.mask[action >> 6] >> np.uint64(action & 63)) & ONE)
    if bits == 0 or others != 1:
        return ILL_MASK
    if differences != 0:
        return OTHER_MASK
    if beyond(table.mask, facts.num_actions) or beyond(observation, facts.bits) or beyond(final, facts.bits):
        return BEYOND
    if table.illegal:
        return ILLEGAL
    total = 0.0
    for player in range(facts.players):
        if not np.isfinite(table.rewards[player]):
            return INFINITE
        if facts.is_team and table.rewards[player] != table.rewards[0]:
            return UNFAIR
        total += table.rewards[player]
    if facts.is_zero_sum and abs(total) > 1e-9:
        return UNFAIR
    if table.ended and not facts.least_score <= table.score <= facts.most_score:
        return SCORE
    return 0


# --- Hanabi -----------------------------------------------------------------------------------------------------------


@numba.njit(cache=True)
def fault_of_hanabi(facts: Any, s: Any, weights: Any, touching: Any) -> Any:
    """Return the fault of a game of Hanabi that goes on."""
    if s.end_reason != 0:
        return OVER
    fault = fault_of_numbers(facts, s)
    total = weight_on_table(facts, s, weights)
    for player in range(facts.players):
        if s.hand_count[player] > facts.hand_size:
            return SIZES
        for slot in range(facts.hand_size):
            total += weights[s.hands[player, slot]]
            if fault == 0:
                fault = fault_of_card(facts, s, player, slot, touching)
    if fault:
        return fault
    return CARDS if total != facts.box else 0


@numba.njit(cache=True)
def fault_of_numbers(facts: Any, s: Any) -> Any:
    if s.information_tokens > facts.most_information or not 0 < s.life_tokens <= facts.most_lives:
        return NUMBERS
    if not -1 <= s.turns_to_play <= facts.players or s.current_player >= facts.players:
        return NUMBERS
    if s.deck_count + s.discard_count > facts.deck_size:
        return NUMBERS
    counted = 0
    for suit in range(facts.suits):
        counted += bits_in(s.discarded[suit])
        if s.fireworks[suit] > facts.ranks:
            return NUMBERS
    return DISCARD if counted != s.discard_count else 0


@numba.njit(cache=True)
def weight_on_table(facts: Any, s: Any, weights: Any) -> Any:
    """Return the weight of the cards in deck, discard and fireworks."""
    total = NOTHING
    for k in range(np.int64(s.deck_count)):
        total += weights[s.cards[k]]
    for k in range(facts.deck_size - np.int64(s.discard_count), facts.deck_size):
        total += weights[s.cards[k]]
    for suit in range(facts.suits):
        for k in range(np.int64(s.fireworks[suit])):
            total += weights[suit * facts.ranks + (facts.ranks - 1 - k if suit == facts.black_suit else k)]
    return total


@numba.njit(cache=True)
def fault_of_card(facts: Any, s: Any, player: int, slot: int, touching: Any) -> Any:
    """Return a fault of the common knowledge about one slot of a hand."""
    card, plausible, hinted = np.int64(s.hands[player, slot]), s.plausible[player, slot], s.hinted[player, slot]
    if slot >= s.hand_count[player]:
        return KNOWLEDGE if plausible != 0 or card != 63 else 0
    if card >= facts.suits * facts.ranks:
        return NUMBERS
    if (np.uint64(plausible) >> np.uint64(card)) & ONE == NOTHING:
        return KNOWLEDGE
    if np.uint64(plausible) >> np.uint64(facts.suits * facts.ranks) != NOTHING:
        return KNOWLEDGE
    return HINT if np.uint64(hinted) & ~touching[card] != NOTHING else 0


# --- Ikebana ----------------------------------------------------------------------------------------------------------


@numba.njit(cache=True)
def fault_of_ikebana(facts: Any, s: Any, weights: Any, card_of_bit: Any) -> Any:
    """Return the fault of a game of Ikebana that goes on."""
    if s.end_reason != 0:
        return OVER
    if not (s.round_index < facts.rounds and s.current_player < facts.players and s.starter < facts.players):
        return NUMBERS
    if s.deck_count > facts.deck_size:
        return NUMBERS
    total = weights[s.drawn]
    for k in range(np.int64(s.deck_count)):
        total += weights[s.cards[k]]
    turns, prestige, gains = 0, 0, 6 * facts.players
    for player in range(facts.players):
        for k in range(np.int64(s.discard_count[player])):
            total += weights[s.discards[player, k]]
        rest = np.uint64(s.bouquets[player])
        while rest != NOTHING:
            total += weights[card_of_bit[bits_in((rest & (~rest + ONE)) - ONE)]]
            rest &= rest - ONE
            turns += 1
        if s.prestige[player] < 0:
            return NUMBERS
        prestige += s.prestige[player]
        for k in range(np.int64(s.round_index)):
            gains += s.gains[k, player]
    if total != facts.box:
        return CARDS
    if turns >= 5 * facts.players or s.current_player != (s.starter + turns) % facts.players:
        return SIZES
    return POINTS if prestige != gains else 0


# --- Koi-Koi ----------------------------------------------------------------------------------------------------------


@numba.njit(cache=True)
def fault_of_koikoi(facts: Any, s: Any, weights: Any, lookup: Any) -> Any:
    """Return the fault of a game of Koi-Koi that goes on."""
    if s.phase > 5:
        return OVER
    if not (s.drawn <= 48 and 1 <= s.turn <= 16 and s.current_player < 2 and s.round_number <= facts.rounds):
        return NUMBERS
    together, count = NOTHING, 0
    for zone in (s.hand[0], s.hand[1], s.captured[0], s.captured[1], s.field):
        together |= zone
        count += bits_in(zone)
    if s.pending < 48:
        together |= ONE << np.uint64(s.pending)
        count += 1
    for k in range(np.int64(s.drawn), 48):
        together |= ONE << np.uint64(s.deck[k])
        count += 1
    if together != np.uint64(0xFFFFFFFFFFFF) or count != 48:
        return CARDS
    if s.finished != s.round_number - 1 or bits_in(s.hand[0]) > 8 or bits_in(s.hand[1]) > 8:
        return SIZES
    won = 0
    for k in range(np.int64(s.finished)):
        won += s.results[k].points
        if s.results[k].points < 0:
            return POINTS
    if facts.pays:
        return POINTS if s.score[0] + s.score[1] != 2 * facts.start_score else 0
    return POINTS if s.score[0] + s.score[1] != 2 * facts.start_score + won else 0


# --- Over all tables --------------------------------------------------------------------------------------------------


def over_tables(fault_of_game: Any) -> Any:
    """Return the check of a game: a function that returns the first faulty table and its fault, or (-1, 0)."""

    @numba.njit
    def check(facts: Any, tables: Any, masks: Any, observations: Any, finals: Any, weights: Any, lookup: Any) -> Any:
        for i in range(tables.shape[0]):
            fault = fault_of_step(facts, tables[i], masks[i], observations[i], finals[i])
            if fault == 0:
                fault = fault_of_game(facts, tables[i].state, weights, lookup)
            if fault:
                return i, fault
        return -1, 0

    return check


CHECKS = {
    "hanabi": over_tables(fault_of_hanabi),
    "ikebana": over_tables(fault_of_ikebana),
    "koikoi": over_tables(fault_of_koikoi),
}


def checker(game: str, config: Any) -> Any:
    """Return the check of a game for a configuration: a function of tables, masks, observations and final ones."""
    facts, lookup = FACTS[game](config), hints_touching(config) if game == "hanabi" else CARD_OF_BIT
    return lambda *arrays: CHECKS[game](facts, *arrays, WEIGHTS, lookup)


# --- Facts of a configuration -----------------------------------------------------------------------------------------


def hanabi_facts(config: Any) -> Facts:
    """H1: three copies of each lowest rank, one of each highest, two of the others; V1 and V3 differ."""
    usual = [3, *[2] * (config.ranks - 2), 1]
    copies = [usual] * config.colors
    copies += {None: [], "own_color": [[1] * config.ranks], "all_colors": [usual]}[config.multicolor]
    copies += [usual[::-1] if config.black_distribution == "mirrored" else usual] * config.black_powder
    kinds = [number for suit in copies for number in suit]
    return Facts(
        bits=config.observation_bits,
        num_actions=config.rules().num_actions,
        players=config.players,
        is_team=1,
        least_score=-config.ranks * config.black_powder,
        most_score=config.max_score,
        hand_size=config.cards_in_hand,
        suits=len(copies),
        ranks=config.ranks,
        deck_size=sum(kinds),
        most_information=config.max_information_tokens,
        most_lives=config.max_life_tokens,
        black_suit=len(copies) - 1 if config.black_powder else -1,
        box=weight_of(np.repeat(np.arange(len(kinds)), kinds)),
    )


def hints_touching(config: Any) -> np.ndarray:
    """H6, V1, V2, V3: the hints that touch each card, uint64 (64,): one bit per color, then one per rank."""
    colors = config.colors + (config.multicolor == "own_color")
    found = np.zeros(64, np.uint64)
    for card in range(config.suits * config.ranks):
        suit, rank = divmod(card, config.ranks)
        named = {suit} if suit < colors else set()
        if config.multicolor == "all_colors" and suit == config.colors:
            named = set(range(colors))
        found[card] = sum(1 << hint for hint in [*named, colors + rank])
    return found


CARD_OF_BIT = np.concatenate(
    [*(np.repeat(np.arange(5) + 5 * color, [3, 2, 2, 2, 1]) for color in range(5)), np.arange(25, 30)]
)
"""I1: the card of each bit of a bouquet; copies are next to each other, and the jokers come last."""


def ikebana_facts(config: Any) -> Facts:
    """I1: ten cards of every color and five jokers."""
    return Facts(
        bits=config.observation_bits,
        num_actions=config.rules().num_actions,
        players=config.players,
        is_zero_sum=1,
        most_score=2**15 - 1,
        deck_size=len(CARD_OF_BIT),
        rounds=config.rounds,
        box=weight_of(CARD_OF_BIT),
    )


def koikoi_facts(config: Any) -> Facts:
    """L6: the winner of a round gets its points, and the other player may have to pay them."""
    return Facts(
        bits=config.observation_bits,
        num_actions=config.rules().num_actions,
        players=2,
        is_zero_sum=1,
        least_score=-(2**31),
        most_score=2**31 - 1,
        rounds=config.rounds,
        pays=int(config.loser_pays),
        start_score=config.start_score,
    )


def weight_of(cards: np.ndarray) -> np.uint64:
    return np.add.reduce(WEIGHTS[cards])


FACTS: dict[str, Any] = {"hanabi": hanabi_facts, "ikebana": ikebana_facts, "koikoi": koikoi_facts}
