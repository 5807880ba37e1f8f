"""The cards, fireworks, hands and tokens of Hanabi: sets of cards (one bit per card), and functions that query them.

The players' actions are in `hanabi_env.engine.rules`, which also explains the arguments. Only this module implements
that the black suit descends (V3): `place_of` and `rank_at` for one card, `following` for a set of cards.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, bit, low_bits
from hanabi_env.engine.state import END_OUT_OF_LIVES

# --- Cards ------------------------------------------------------------------------------------------------------------


@rule
def suit_of(rules, card):
    """Return the suit of a card, from 0."""
    return np.int64(card) // rules.ranks


@rule
def rank_of(rules, card):
    """Return the rank of a card, from 0."""
    return np.int64(card) % rules.ranks


@rule
def all_cards(rules):
    """Return the set of all cards of the game."""
    return low_bits(rules.suits * rules.ranks)


@rule
def suit_set(rules, suit):
    """Return the set of all cards of a suit."""
    return low_bits(rules.ranks) << np.uint64(suit * rules.ranks)


@rule
def copies(rules, suit, rank):
    """H1, E17: three copies of the lowest rank, one of the highest, two of the others (three if there is one rank).

    V1: one copy of each multicolor card. V3: the reverse for black.
    """
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return 1
    order = mirrored_rank(rules, suit, rank)
    if order == 0:
        return 3
    return 1 if order == rules.ranks - 1 else 2


@rule
def mirrored_rank(rules, suit, rank):
    """Return the rank that has the same number of copies in an ordinary suit."""
    return rules.ranks - 1 - rank if suit == rules.black_suit and rules.black_is_mirrored else rank


@rule
def first_copy(rules, suit, rank):
    """Return the first bit of the thermometer of ``rank`` in ``discarded``, after the copies of all lower ranks."""
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return rank
    if rank == 0:
        return 0
    return 2 * rank - 1 if suit == rules.black_suit and rules.black_is_mirrored else 2 * rank + 1


@rule
def thermometer_of(rules, card):
    """Return the bits of ``discarded`` that count the copies of a card."""
    suit = suit_of(rules, card)
    rank = rank_of(rules, card)
    return low_bits(copies(rules, suit, rank)) << np.uint64(first_copy(rules, suit, rank))


@rule
def is_all_discarded(rules, s, card):
    """Whether every copy of the card is in the discard."""
    return ~np.uint64(s.discarded[suit_of(rules, card)]) & thermometer_of(rules, card) == ZERO


@rule
def cards_per_suit(rules, suit):
    """Return the number of cards of a suit in the box."""
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return rules.ranks
    return 3 if rules.ranks == 1 else 2 * rules.ranks


@rule
def rank_in_box(rules, suit, k):
    """Return the rank of the ``k``-th card of a suit, sorted by rank."""
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return k
    if suit == rules.black_suit and rules.black_is_mirrored:
        return min((k + 1) // 2, rules.ranks - 1)
    return max((k - 1) // 2, 0)


# --- Fireworks --------------------------------------------------------------------------------------------------------


@rule
def place_of(rules, suit, rank):
    """H10: the index of a rank in its firework, 0 for the first card. V3: black descends from the highest rank."""
    return rules.ranks - 1 - rank if suit == rules.black_suit else rank


@rule
def rank_at(rules, suit, place):
    """Return the rank of the card at an index of its firework: the inverse of `place_of`, computed in the same way."""
    return place_of(rules, suit, place)


@rule
def following(rules, cards):
    """H10: the set of the cards that follow directly after ``cards`` on their fireworks, see `place_of`."""
    lowest = touched_by_rank(rules, 0)
    descending = suit_set(rules, rules.black_suit) if rules.black_suit >= 0 else ZERO
    lower = ((cards & descending & ~lowest) >> ONE) & descending
    return (((cards & ~descending) << ONE) & ~lowest) | lower


@rule
def next_rank(rules, s, suit):
    """H10: the rank that continues a firework."""
    return rank_at(rules, suit, np.int64(s.fireworks[suit]))


@rule
def played_set(rules, s):
    """Return the set of cards on the fireworks: the ranks from the first card to the last one."""
    cards = ZERO
    for suit in range(rules.suits):
        played = np.int64(s.fireworks[suit])
        lowest = min(rank_at(rules, suit, 0), rank_at(rules, suit, max(played, 1) - 1))
        cards |= low_bits(played) << np.uint64(suit * rules.ranks + lowest)
    return cards


@rule
def playable_set(rules, s):
    """H10: the set of cards that start or continue a firework."""
    cards = ZERO
    for suit in range(rules.suits):
        if s.fireworks[suit] < rules.ranks:
            cards |= bit(suit * rules.ranks + next_rank(rules, s, suit))
    return cards


# --- Hands and hints --------------------------------------------------------------------------------------------------


@rule
def player_at(rules, player, offset):
    """Return the player ``offset`` (0 .. players - 1) seats to the left of ``player``."""
    seat = np.int64(player) + offset
    return seat - rules.players if seat >= rules.players else seat


@rule
def hand_set(rules, s, player):
    """Return the set of cards in a hand."""
    cards = ZERO
    for slot in range(rules.hand_size):
        cards |= bit(s.hands[player, slot])
    return cards & all_cards(rules)


@rule
def others_set(rules, s):
    """Return the set of cards in the hands of all other players than the current one."""
    cards = ZERO
    for offset in range(1, rules.players):
        cards |= hand_set(rules, s, player_at(rules, s.current_player, offset))
    return cards


@rule
def touched_by_color(rules, color):
    """H6: the set of cards that a hint of ``color`` touches. V2: any color touches multicolor cards. V3: none black."""
    cards = suit_set(rules, color)
    if rules.multicolor_suit >= 0 and not rules.multicolor_is_single:
        cards |= suit_set(rules, rules.multicolor_suit)
    return cards


@rule
def touched_by_rank(rules, rank):
    """H6: the set of cards that a hint of ``rank`` touches."""
    lowest = ZERO
    for suit in range(rules.suits):
        lowest |= bit(suit * rules.ranks)
    return lowest << np.uint64(rank)


@rule
def nameable_colors(rules, hand):
    """H6, H7: the colors that a hint about ``hand`` may name: those that touch a card, or all with ``empty_hints``."""
    colors = ZERO
    for color in range(rules.colors):
        if rules.empty_hints or hand & touched_by_color(rules, color) != ZERO:
            colors |= bit(color)
    return colors


@rule
def nameable_ranks(rules, hand):
    """H6, H7: the ranks that a hint about the cards ``hand`` may name, as in `nameable_colors`."""
    ranks = ZERO
    for suit in range(rules.suits):
        ranks |= hand >> np.uint64(suit * rules.ranks)
    if rules.empty_hints:
        ranks = low_bits(rules.ranks)
    return ranks & low_bits(rules.ranks)


# --- Tokens -----------------------------------------------------------------------------------------------------------


@rule
def gain_information_token(rules, s):
    """Return an information token to the players if one is missing. Returns 1 if a token came back, else 0."""
    if s.information_tokens >= rules.max_information_tokens:
        return 0
    s.information_tokens += 1
    return 1


@rule
def lose_life(s):
    """H9, H12: take a life; losing the last one ends the game."""
    s.life_tokens -= 1
    if s.life_tokens == 0:
        s.end_reason = END_OUT_OF_LIVES
