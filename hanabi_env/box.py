"""What is in the box of Hanabi, and how it lies on the table: the numbers of a table, the record of a game, its cards.

Here are the nouns of the game: constants, `Rules`, `state_dtype`, sets of cards (one bit each), hands, and tokens. What
players do with them is in `hanabi_env.rules`, which also tells how arguments are spelled.
"""

from typing import NamedTuple

import numpy as np

from env_core.bits import ZERO, bit, low_bits
from env_core.jit import rule

# --- What is in the box -----------------------------------------------------------------------------------------------

NO_CARD = 63  # an empty slot: its bit lies outside every set of cards

END_NOT_YET = 0
END_OUT_OF_LIVES = 1  # H12
END_COMPLETED = 2  # H13
END_OUT_OF_CARDS = 3  # H14
END_INDISPENSABLE = 4  # V5: the last copy of a card that a firework needs was discarded
END_STUCK = 5  # V5: the player to move can do nothing
END_ILLEGAL = 6  # a player did what the rules forbid: the loop that saw it ended the game

EVENT_NONE = 0  # kinds of an event; the order is the Learning Environment's
EVENT_PLAY = 1
EVENT_DISCARD = 2
EVENT_HINT_COLOR = 3
EVENT_HINT_RANK = 4
EVENT_CHOOSE = 5  # V4: a card of the discard was chosen
EVENT_SHUFFLE_BACK = 6  # V4: tile (e) on an empty deck shall take a card back,
EVENT_PLAY_FROM_DISCARD = 7  # or act as tile (f)

TILES = 6  # V4: one bonus tile of each effect
TILE_TOKEN = 0  # (a) an information token
TILE_LIFE = 1  # (b) an error turned back, and an information token
TILE_COLOR_HINT = 2  # (c) a free color hint
TILE_RANK_HINT = 3  # (d) a free rank hint
TILE_TAKE_BACK = 4  # (e) a card of the discard is shuffled into the deck
TILE_PLAY_DISCARD = 5  # (f) a card of the discard is played
CHOICE_OF_E = 6  # not a tile: on an empty deck its player chooses what (e) shall be
NO_TILE = 7  # nothing is pending
EVENTS_A_TURN = 5  # V4: a play, (e) on an empty deck and its card, the card of (f), a free hint

LAST_ROUND_NOT_BEGUN = -1
START_PLAYER_DRAW = 1 << 20  # counters of the random stream that no draw from the deck uses
TILE_DRAW = 1 << 21
SHUFFLE_STRIDE = 1 << 8  # draws after another shuffle use counters of their own


class Rules(NamedTuple):
    """The numbers of one table, for the compiler, made by `HanabiConfig.rules`: all are ints, flags are 0 or 1."""

    players: int
    hand_size: int
    colors: int  # colors that a hint can name; color c names suit c
    suits: int  # fireworks
    ranks: int  # cards of a complete firework
    deck_size: int  # cards in the box
    max_information_tokens: int
    max_life_tokens: int
    random_start_player: int
    empty_hints: int  # H7: a hint may touch no card
    score_on_loss_zero: int  # H12, V5: a lost game scores as at its opening
    multicolor_suit: int  # V1, V2: the suit, or -1
    multicolor_is_single: int  # V1: one card of each rank (and a color that hints name)
    black_suit: int  # V3: the suit, or -1
    black_is_mirrored: int  # V3: three of the highest rank, one of the lowest
    flamboyants: int  # V4
    final_bouquet: int  # V5
    choreography: int  # V6
    num_actions: int
    observation_type: int  # what the knowledge section holds: OBSERVE_MINIMAL, OBSERVE_CARD_KNOWLEDGE, OBSERVE_SEER
    history: int  # last actions in the observation
    belief: int  # V0 belief section
    derived: int  # section of worked-out flags
    source_digest: int  # of the packages' sources, so that no disk cache ever runs an old rule


@rule
def rules_from(n):
    """`Rules` out of an array of their numbers, inside compiled code."""
    sizes = (n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10])
    variants = (n[11], n[12], n[13], n[14], n[15], n[16], n[17])
    return Rules(*sizes, *variants, n[18], n[19], n[20], n[21], n[22], n[23])


EVENT = np.dtype(  # what everybody saw of one step
    [
        ("touched", np.uint32),  # slots that a hint touched, one bit a slot
        ("kind", np.uint8),  # EVENT_*
        ("player", np.uint8),  # who acted
        ("target", np.uint8),  # who received the hint
        ("value", np.uint8),  # color or rank of the hint
        ("slot", np.uint8),  # from which a card was played or discarded
        ("card", np.uint8),  # that card, or the chosen one
        ("announced", np.uint8),  # V6: 1 + the announced suit, or 0
        ("scored", np.uint8),  # 1: the played card joined its firework
        ("gave_token", np.uint8),  # 1: the card brought an information token (no tile's)
    ],
    align=True,
)


def state_dtype(players: int, hand_size: int, suits: int, ranks: int, deck_size: int, history: int) -> np.dtype:
    """The record of one game: facts only, no encodings. Sizes may exceed the table's (`Rules` tells the real ones)."""
    cards = np.uint32 if suits * ranks <= 32 else np.uint64  # a set of cards, one bit each
    return np.dtype(
        [
            ("game_key", np.uint64),  # random stream of this table (seed and global game index)
            ("key", np.uint64),  # random stream of this episode
            ("plausible", cards, (players, hand_size)),  # cards that hints have not excluded; 0 in an empty slot
            ("events", EVENT, (history,)),  # ring of the last steps, the newest at (length - 1) % history
            ("episode", np.uint32),  # games played at this table before this one
            ("length", np.uint32),  # steps of this game
            ("hinted", np.uint16, (players, hand_size)),  # bits: colors, then ranks named by hints that touched
            ("discarded", np.uint16, (suits,)),  # H18: copies in the discard: per rank a thermometer, see first_copy()
            ("hands", np.uint8, (players, hand_size)),  # cards, oldest first, then NO_CARD
            ("hand_count", np.uint8, (players,)),
            ("cards", np.uint8, (deck_size,)),  # the box: deck at the front, its order open; discard from the back
            ("fireworks", np.uint8, (suits,)),  # cards played on each suit
            ("deck_count", np.uint8),  # cards left to draw
            ("discard_count", np.uint8),
            ("information_tokens", np.uint8),
            ("life_tokens", np.uint8),
            ("turns_to_play", np.int8),  # H14: turns left, or LAST_ROUND_NOT_BEGUN
            ("current_player", np.uint8),
            ("end_reason", np.uint8),  # END_*
            ("shuffles", np.uint8),  # times the deck was shuffled again (V4)
            ("bonus_tiles", np.uint8, (TILES,)),  # V4: TILE_*, the revealed ones first, then face down in their order
            ("tiles_left", np.uint8),  # face-down tiles
            ("pending", np.uint8),  # the tile that waits for a choice, CHOICE_OF_E, or NO_TILE
        ],
        align=True,
    )


# --- Cards ------------------------------------------------------------------------------------------------------------


@rule
def suit_of(rules, card):
    """The firework a card belongs to."""
    return np.int64(card) // rules.ranks


@rule
def rank_of(rules, card):
    """The rank of a card, from 0."""
    return np.int64(card) % rules.ranks


@rule
def all_cards(rules):
    """The set of all cards that exist."""
    return low_bits(rules.suits * rules.ranks)


@rule
def suit_set(rules, suit):
    """The set of all cards of a suit."""
    return low_bits(rules.ranks) << np.uint64(suit * rules.ranks)


@rule
def copies(rules, suit, rank):
    """H1, E17: three of the lowest rank, one of the highest, two of the others (three where there is one rank only).

    V1: one of each multicolor card. V3: black the other way round.
    """
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return 1
    order = mirrored_rank(rules, suit, rank)
    if order == 0:
        return 3
    return 1 if order == rules.ranks - 1 else 2


@rule
def mirrored_rank(rules, suit, rank):
    """The rank of an ordinary suit with as many copies."""
    return rules.ranks - 1 - rank if suit == rules.black_suit and rules.black_is_mirrored else rank


@rule
def first_copy(rules, suit, rank):
    """Where the thermometer of ``rank`` starts in ``discarded`` of its suit: behind the copies of all lower ranks."""
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return rank
    if rank == 0:
        return 0
    return 2 * rank - 1 if suit == rules.black_suit and rules.black_is_mirrored else 2 * rank + 1


@rule
def thermometer_of(rules, card):
    """The bits of ``discarded`` that count the copies of a card."""
    suit = suit_of(rules, card)
    rank = rank_of(rules, card)
    return low_bits(copies(rules, suit, rank)) << np.uint64(first_copy(rules, suit, rank))


@rule
def cards_a_suit(rules, suit):
    """Cards of one suit in the box."""
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return rules.ranks
    return 3 if rules.ranks == 1 else 2 * rules.ranks


@rule
def rank_in_box(rules, suit, k):
    """The rank of the ``k``-th card of a suit, sorted by rank."""
    if suit == rules.multicolor_suit and rules.multicolor_is_single:
        return k
    if suit == rules.black_suit and rules.black_is_mirrored:
        return min((k + 1) // 2, rules.ranks - 1)
    return max((k - 1) // 2, 0)


# --- Fireworks --------------------------------------------------------------------------------------------------------


@rule
def next_rank(rules, s, suit):
    """H10: the rank that continues a firework. V3: black runs down from the highest."""
    played = np.int64(s.fireworks[suit])
    return rules.ranks - 1 - played if suit == rules.black_suit else played


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
def seat(rules, s, offset):
    """The player ``offset`` seats to the left of the current one."""
    player = np.int64(s.current_player) + offset
    return player - rules.players if player >= rules.players else player


@rule
def hand_set(rules, s, player):
    """The set of cards in a hand."""
    cards = ZERO
    for slot in range(rules.hand_size):
        cards |= bit(s.hands[player, slot])
    return cards & all_cards(rules)


@rule
def others_set(rules, s):
    """The set of cards in the hands of all but the current player."""
    cards = ZERO
    for offset in range(1, rules.players):
        cards |= hand_set(rules, s, seat(rules, s, offset))
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
    """H6, H7: the colors that a hint about the cards ``hand`` may name: those it touches, or any if it may be empty."""
    colors = ZERO
    for color in range(rules.colors):
        if rules.empty_hints or hand & touched_by_color(rules, color) != ZERO:
            colors |= bit(color)
    return colors


@rule
def nameable_ranks(rules, hand):
    """H6, H7: the ranks that a hint about the cards ``hand`` may name."""
    ranks = ZERO
    for suit in range(rules.suits):
        ranks |= hand >> np.uint64(suit * rules.ranks)
    if rules.empty_hints:
        ranks = low_bits(rules.ranks)
    return ranks & low_bits(rules.ranks)


# --- Tokens -----------------------------------------------------------------------------------------------------------


@rule
def gain_information_token(rules, s):
    """One token back, unless all are there already. Returns 1 where a token came back, else 0."""
    if s.information_tokens >= rules.max_information_tokens:
        return 0
    s.information_tokens += 1
    return 1


@rule
def lose_life(s):
    """H9, H12: an error; the last one ends the game."""
    s.life_tokens -= 1
    if s.life_tokens == 0:
        s.end_reason = END_OUT_OF_LIVES
