"""Hanabi, in the order of its booklet. Rule numbers (H1, E2 ...) are those of the rule card, ``hanabi_env/README.md``.

The players build one firework per suit, its cards in ascending order from 1 (H10). Nobody looks at their own hand
(H20). A turn is exactly one of three things (H5): give a hint about another player's cards for an information token
(H6), discard a card to win a token back (H8), or play a card (H9). A card that does not fit costs a life; the third
lost life ends the game (H12). All fireworks complete also end it (H13). When the deck runs out every player has one
more turn (H14). The score is the number of cards on the fireworks (H15).

Functions are plain Python; `env_core.jit.rule` lets Numba inline them into the compiled loops. They allocate nothing,
raise nothing and use integers only, so the same source also runs on a GPU. Arguments keep one order and spelling:

* ``rules``: a `Rules`, the numbers of this table;
* ``s``: one record of `state_dtype`, changed in place;
* ``player``: 0 .. players - 1, ``offset``: seats to the left, ``slot``: place in a hand, 0 is the oldest card;
* ``card``: ``suit * ranks + rank`` (both from 0), or `NO_CARD`; ``action``: see `ACTION BLOCKS` below.
"""

from typing import NamedTuple

import numpy as np

from env_core.bits import ONE, ZERO, bit, end_string, has_bit, low_bits, put
from env_core.jit import rule
from env_core.rng import episode_key, random_below

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


@rule
def next_rank(rules, s, suit):
    """H10: the rank that continues a firework. V3: black runs down from the highest."""
    played = np.int64(s.fireworks[suit])
    return rules.ranks - 1 - played if suit == rules.black_suit else played


@rule
def suit_set(rules, suit):
    """The set of all cards of a suit."""
    return low_bits(rules.ranks) << np.uint64(suit * rules.ranks)


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


# --- Setup ------------------------------------------------------------------------------------------------------------


@rule
def init(rules, s):
    """Begin the episode ``s.episode`` of the table with ``s.game_key``: open the box, shuffle, deal."""
    s.key = episode_key(s.game_key, s.episode)
    open_box(rules, s)
    deal(rules, s)


@rule
def open_box(rules, s):
    """H1, H3: all cards in the deck, all tokens on the table, nothing played."""
    place = 0
    for suit in range(rules.suits):
        s.fireworks[suit] = 0
        s.discarded[suit] = 0
        for k in range(cards_a_suit(rules, suit)):
            s.cards[place] = suit * rules.ranks + rank_in_box(rules, suit, k)
            place += 1
    s.deck_count = rules.deck_size
    s.discard_count = 0
    s.information_tokens = rules.max_information_tokens
    s.life_tokens = rules.max_life_tokens
    s.turns_to_play = LAST_ROUND_NOT_BEGUN
    s.end_reason = END_NOT_YET
    s.length = 0
    s.shuffles = 0
    s.pending = NO_TILE
    if rules.flamboyants:
        shuffle_tiles(s)
    for k in range(rules.history):
        s.events[k].kind = EVENT_NONE


@rule
def shuffle_tiles(s):
    """V4: all bonus tiles face down."""
    s.tiles_left = TILES
    for k in range(TILES):
        other = random_below(s.key, TILE_DRAW + k, k + 1)
        s.bonus_tiles[k] = s.bonus_tiles[other]
        s.bonus_tiles[other] = k


@rule
def deal(rules, s):
    """H2: whole hands, player by player. H4: player 0 starts, or a random player."""
    for player in range(rules.players):
        s.hand_count[player] = 0
        for _ in range(rules.hand_size):
            draw_card(rules, s, player)
    s.current_player = 0
    if rules.random_start_player:
        s.current_player = random_below(s.key, START_PLAYER_DRAW, rules.players)


@rule
def draw_place(rules, s):
    """Where the next card lies in ``cards``: one step of a lazy Fisher-Yates shuffle."""
    counter = np.int64(s.deck_count)
    if rules.flamboyants:
        counter += SHUFFLE_STRIDE * np.int64(s.shuffles)
    return random_below(s.key, counter, s.deck_count)


@rule
def draw_card(rules, s, player):
    """The top card of the deck joins the hand as its newest; nothing is known about it.

    H14: the last one begins the last round. V5: there is no last round.
    """
    if s.deck_count == 0:
        return
    place = draw_place(rules, s)
    s.deck_count -= 1
    slot = s.hand_count[player]
    s.hands[player, slot] = s.cards[place]
    s.cards[place] = s.cards[s.deck_count]
    s.plausible[player, slot] = all_cards(rules)
    s.hinted[player, slot] = 0
    s.hand_count[player] += 1
    if s.deck_count == 0 and s.turns_to_play == LAST_ROUND_NOT_BEGUN and not rules.final_bouquet:
        s.turns_to_play = rules.players


# --- What may I do? ---------------------------------------------------------------------------------------------------
# ACTION BLOCKS, in the Learning Environment's order: discard slot, play slot, hint a color, hint a rank. Hints are
# ordered by the receiver's offset (1 = next clockwise), then by color or rank. Then, where the variant is played:
# announced plays, slot by slot and suit by suit (V6); choosing a card of the discard, "shuffle back", "play from
# discard" (V4).


@rule
def first_play(rules):
    """Where the block of plays begins."""
    return rules.hand_size


@rule
def first_color_hint(rules):
    """Where the block of color hints begins."""
    return 2 * rules.hand_size


@rule
def first_rank_hint(rules):
    """Where the block of rank hints begins."""
    return first_color_hint(rules) + (rules.players - 1) * rules.colors


@rule
def first_announced_play(rules):
    """Where the block of announced plays begins (V6)."""
    return first_rank_hint(rules) + (rules.players - 1) * rules.ranks


@rule
def first_choice(rules):
    """Where the block of cards to choose begins (V4)."""
    return first_announced_play(rules) + rules.choreography * rules.hand_size * rules.suits


@rule
def shuffle_back(rules):
    """The action that lets tile (e) take a card back though the deck is empty (V4); the next one is (f) instead."""
    return first_choice(rules) + rules.suits * rules.ranks


@rule
def legal_action_mask(rules, s, mask):
    """The actions of the current player as bits of ``mask`` (uint64 words). Nothing is legal after the end (E6)."""
    is_over = s.end_reason != END_NOT_YET
    is_turn = not is_over and not is_tile_pending(rules, s)
    hints_colors = (is_turn and can_hint(s)) or waits_for(rules, s, TILE_COLOR_HINT)
    hints_ranks = (is_turn and can_hint(s)) or waits_for(rules, s, TILE_RANK_HINT)
    slots = low_bits(s.hand_count[s.current_player]) if is_turn else ZERO
    word, at = put(mask, ZERO, 0, rules.hand_size, slots if can_discard(rules, s) else ZERO)
    word, at = put(mask, word, at, rules.hand_size, slots)
    for offset in range(1, rules.players):
        colors = nameable_colors(rules, hand_set(rules, s, seat(rules, s, offset)))
        word, at = put(mask, word, at, rules.colors, colors if hints_colors else ZERO)
    for offset in range(1, rules.players):
        ranks = nameable_ranks(rules, hand_set(rules, s, seat(rules, s, offset)))
        word, at = put(mask, word, at, rules.ranks, ranks if hints_ranks else ZERO)
    if rules.choreography:
        for slot in range(rules.hand_size):
            suits = low_bits(rules.suits) if has_bit(slots, slot) else ZERO
            word, at = put(mask, word, at, rules.suits, suits)
    if rules.flamboyants:
        word, at = put(mask, word, at, rules.suits * rules.ranks, choosable_cards(rules, s))
        word, at = put(mask, word, at, 2, choices_of_e(rules, s))
    end_string(mask, word, at)


@rule
def can_discard(rules, s):
    """H8: not while all information tokens are available."""
    return s.information_tokens < rules.max_information_tokens


@rule
def can_hint(s):
    """H6: a hint costs an information token."""
    return s.information_tokens > 0


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


@rule
def can_act(rules, s):
    """V5: the current player has a card, or a token and somebody to hint to."""
    if s.hand_count[s.current_player] > 0:
        return True
    return can_hint(s) and nameable_ranks(rules, others_set(rules, s)) != ZERO


# --- A turn -----------------------------------------------------------------------------------------------------------


@rule
def step(rules, s, action):
    """H5: the current player discards, plays, gives a hint, or does what a tile asks for. ``action`` must be legal."""
    event = s.events[s.length % rules.history]
    event.player = s.current_player
    event.announced = 0
    event.scored = 0
    event.gave_token = 0
    uses_card = action < first_color_hint(rules) or action >= first_announced_play(rules)
    if is_tile_pending(rules, s):
        resolve_tile(rules, s, event, action)
        uses_card = True  # the one whose play revealed the tile is yet to be replaced
    elif uses_card:
        use_card(rules, s, event, action)
    else:
        give_hint(rules, s, event, action)
        s.information_tokens -= 1
    s.length += 1
    if not is_tile_pending(rules, s):
        end_turn(rules, s, uses_card)


@rule
def use_card(rules, s, event, action):
    """H8, H9, V6: a card leaves the hand, by discard or by a play whose suit may be announced."""
    if action >= first_announced_play(rules):
        announcement = action - first_announced_play(rules)
        event.announced = 1 + announcement % rules.suits
        event.slot = announcement // rules.suits
    else:
        event.slot = action - first_play(rules) if action >= first_play(rules) else action
    event.card = take_from_hand(rules, s, s.current_player, event.slot)
    if action >= first_play(rules):
        play_card(rules, s, event)
    else:
        discard_card(rules, s, event)


@rule
def take_from_hand(rules, s, player, slot):
    """The card leaves its slot and the newer ones close up (H19: positions are oldest to newest)."""
    card = s.hands[player, slot]
    for k in range(rules.hand_size - 1):
        source = k + 1 if k >= slot else k
        s.hands[player, k] = s.hands[player, source]
        s.plausible[player, k] = s.plausible[player, source]
        s.hinted[player, k] = s.hinted[player, source]
    newest = rules.hand_size - 1
    s.hands[player, newest] = NO_CARD
    s.plausible[player, newest] = 0
    s.hinted[player, newest] = 0
    s.hand_count[player] -= 1
    return card


@rule
def play_card(rules, s, event):
    """H9: the card joins its firework, or a life is lost and it is discarded. V6: a wrong announcement is an error."""
    event.kind = EVENT_PLAY
    if is_playable(rules, s, event.card) and is_announced_rightly(rules, event):
        if event.announced:
            event.gave_token = gain_information_token(rules, s)
        add_to_firework(rules, s, event)
    else:
        lose_life(s)
        put_on_discard(rules, s, event.card)


@rule
def is_announced_rightly(rules, event):
    """V6: nothing was announced, or the suit of the card."""
    return event.announced == 0 or event.announced == 1 + suit_of(rules, event.card)


@rule
def discard_card(rules, s, event):
    """H8: the card goes face up to the discard and an information token comes back."""
    event.kind = EVENT_DISCARD
    event.gave_token = gain_information_token(rules, s)
    put_on_discard(rules, s, event.card)


@rule
def is_playable(rules, s, card):
    """H10: the card starts or continues its suit's firework."""
    suit = suit_of(rules, card)
    return s.fireworks[suit] < rules.ranks and rank_of(rules, card) == next_rank(rules, s, suit)


@rule
def add_to_firework(rules, s, event):
    """H10: one card more. H13: all complete, the end.

    H11, V3: the last card of a firework brings an information token. V4: or a tile, but for black; E4: not at the end.
    """
    suit = suit_of(rules, event.card)
    s.fireworks[suit] += 1
    event.scored = 1
    if s.fireworks[suit] == rules.ranks:
        if is_complete(rules, s):
            s.end_reason = END_COMPLETED
        if not (rules.flamboyants and suit != rules.black_suit):
            if gain_information_token(rules, s):
                event.gave_token = 1
        elif s.end_reason == END_NOT_YET:
            reveal_tile(rules, s)


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


@rule
def put_on_discard(rules, s, card):
    """H18: face up, for everybody to see. V5: the game is lost with the last copy of a card that is still needed."""
    s.discard_count += 1
    s.cards[rules.deck_size - s.discard_count] = card
    suit = suit_of(rules, card)
    pile = np.uint64(s.discarded[suit])
    one_more = (pile << ONE) | bit(first_copy(rules, suit, rank_of(rules, card)))
    s.discarded[suit] = pile | (one_more & thermometer_of(rules, card))
    if rules.final_bouquet and s.end_reason == END_NOT_YET and is_indispensable_lost(rules, s, card):
        s.end_reason = END_INDISPENSABLE


@rule
def thermometer_of(rules, card):
    """The bits of ``discarded`` that count the copies of a card."""
    suit = suit_of(rules, card)
    rank = rank_of(rules, card)
    return low_bits(copies(rules, suit, rank)) << np.uint64(first_copy(rules, suit, rank))


@rule
def is_all_discarded(rules, s, card):
    """Every copy of the card lies in the discard."""
    return ~np.uint64(s.discarded[suit_of(rules, card)]) & thermometer_of(rules, card) == ZERO


@rule
def is_indispensable_lost(rules, s, card):
    """V5: the card is not on its firework, and all its copies lie in the discard."""
    suit = suit_of(rules, card)
    rank = rank_of(rules, card)
    is_needed = rank <= next_rank(rules, s, suit) if suit == rules.black_suit else rank >= next_rank(rules, s, suit)
    return is_needed and is_all_discarded(rules, s, card)


@rule
def give_hint(rules, s, event, action):
    """H6: one player, one color or one rank, every matching card pointed at."""
    event.kind = EVENT_HINT_COLOR
    hint = action - first_color_hint(rules)
    values = rules.colors
    if action >= first_rank_hint(rules):
        event.kind = EVENT_HINT_RANK
        hint = action - first_rank_hint(rules)
        values = rules.ranks
    event.target = seat(rules, s, hint // values + 1)
    event.value = hint % values
    event.touched = point_at_cards(rules, s, event)


@rule
def point_at_cards(rules, s, event):
    """H6: cards of the hint are what it says, all others are not. Returns the touched slots, one bit each."""
    if event.kind == EVENT_HINT_COLOR:
        meant = touched_by_color(rules, event.value)
        mark = bit(event.value)
    else:
        meant = touched_by_rank(rules, event.value)
        mark = bit(rules.colors + event.value)
    touched = ZERO
    for slot in range(rules.hand_size):
        is_touched = has_bit(meant, s.hands[event.target, slot])
        excluded = meant if is_touched == ZERO else ~meant
        s.plausible[event.target, slot] = np.uint64(s.plausible[event.target, slot]) & ~excluded
        s.hinted[event.target, slot] = np.uint64(s.hinted[event.target, slot]) | (mark * is_touched)
        touched |= is_touched << np.uint64(slot)
    return touched


@rule
def end_turn(rules, s, uses_card):
    """The turn is over: a card that was used is replaced unless the game is over too (E1). The next player follows.

    H14, E2: a turn of the last round is counted, and after the last one the game ends. V5, E5: it is lost where the
    next player can do nothing.
    """
    if s.turns_to_play != LAST_ROUND_NOT_BEGUN:
        s.turns_to_play -= 1
    if s.end_reason == END_NOT_YET:
        if uses_card:
            draw_card(rules, s, s.current_player)
        if s.turns_to_play == 0:
            s.end_reason = END_OUT_OF_CARDS
    s.current_player = seat(rules, s, 1)
    if rules.final_bouquet and s.end_reason == END_NOT_YET and not can_act(rules, s):
        s.end_reason = END_STUCK


# --- Bonus tiles (V4) -------------------------------------------------------------------------------------------------


@rule
def is_tile_pending(rules, s):
    """A tile waits for its player's choice."""
    return rules.flamboyants and s.pending != NO_TILE


@rule
def waits_for(rules, s, tile):
    """The game waits for the choice that ``tile`` asks for."""
    return rules.flamboyants and s.end_reason == END_NOT_YET and s.pending == tile


@rule
def reveal_tile(rules, s):
    """V4: the next tile is turned up and applied at once, or waits for a choice; with nothing to choose it is lost."""
    tile = np.int64(s.bonus_tiles[TILES - s.tiles_left])
    s.tiles_left -= 1
    if tile == TILE_LIFE and s.life_tokens < rules.max_life_tokens:
        s.life_tokens += 1
    if tile in (TILE_TOKEN, TILE_LIFE):
        gain_information_token(rules, s)
        return
    if tile == TILE_TAKE_BACK and s.deck_count == 0:
        tile = CHOICE_OF_E
    if has_something_to_choose(rules, s, tile):
        s.pending = tile


@rule
def has_something_to_choose(rules, s, tile):
    """V4, E10, E11: a hint that may be given, a card in the discard, or one there that is playable."""
    if tile in (TILE_COLOR_HINT, TILE_RANK_HINT):
        others = others_set(rules, s)
        if tile == TILE_COLOR_HINT:
            return nameable_colors(rules, others) != ZERO
        return nameable_ranks(rules, others) != ZERO
    cards = discard_set(rules, s)
    if tile == TILE_PLAY_DISCARD:
        cards &= playable_set(rules, s)
    return cards != ZERO


@rule
def discard_set(rules, s):
    """The set of cards of which a copy lies in the discard."""
    cards = ZERO
    for suit in range(rules.suits):
        for rank in range(rules.ranks):
            cards |= has_bit(s.discarded[suit], first_copy(rules, suit, rank)) << np.uint64(suit * rules.ranks + rank)
    return cards


@rule
def playable_set(rules, s):
    """H10: the set of cards that start or continue a firework."""
    cards = ZERO
    for suit in range(rules.suits):
        if s.fireworks[suit] < rules.ranks:
            cards |= bit(suit * rules.ranks + next_rank(rules, s, suit))
    return cards


@rule
def choosable_cards(rules, s):
    """The set of cards that the pending tile lets its player choose: (e) any of the discard, (f) a playable one."""
    if waits_for(rules, s, TILE_TAKE_BACK):
        return discard_set(rules, s)
    if waits_for(rules, s, TILE_PLAY_DISCARD):
        return discard_set(rules, s) & playable_set(rules, s)
    return ZERO


@rule
def choices_of_e(rules, s):
    """E10: (e) on an empty deck: "shuffle back" (bit 0), "play from discard" (bit 1) if a card there is playable."""
    if not waits_for(rules, s, CHOICE_OF_E):
        return ZERO
    return ONE | (ONE << ONE if discard_set(rules, s) & playable_set(rules, s) != ZERO else ZERO)


@rule
def resolve_tile(rules, s, event, action):
    """V4: what the player does with the pending tile: a free hint, a choice of what (e) shall be, or a card."""
    tile = np.int64(s.pending)
    s.pending = NO_TILE
    if tile in (TILE_COLOR_HINT, TILE_RANK_HINT):
        give_hint(rules, s, event, action)
    elif tile == CHOICE_OF_E:
        takes_back = action == shuffle_back(rules)
        event.kind = EVENT_SHUFFLE_BACK if takes_back else EVENT_PLAY_FROM_DISCARD
        s.pending = TILE_TAKE_BACK if takes_back else TILE_PLAY_DISCARD
    else:
        event.kind = EVENT_CHOOSE
        event.card = action - first_choice(rules)
        take_from_discard(rules, s, event.card)
        if tile == TILE_TAKE_BACK:
            shuffle_into_deck(s, event.card)
        else:
            add_to_firework(rules, s, event)


@rule
def take_from_discard(rules, s, card):
    """V4: the oldest copy of the card leaves the discard, and the newer cards close up."""
    is_behind = False
    for k in range(s.discard_count):
        place = rules.deck_size - 1 - k
        if is_behind:
            s.cards[place + 1] = s.cards[place]
        elif s.cards[place] == card:
            is_behind = True
    s.discard_count -= 1
    suit = suit_of(rules, card)
    own = thermometer_of(rules, card)
    pile = np.uint64(s.discarded[suit])
    s.discarded[suit] = (pile & ~own) | (((pile & own) >> ONE) & own)


@rule
def shuffle_into_deck(s, card):
    """V4: the card joins the deck, and the whole deck is shuffled (E10)."""
    s.cards[s.deck_count] = card
    s.deck_count += 1
    s.shuffles += 1


# --- End and score ----------------------------------------------------------------------------------------------------


@rule
def is_terminal(s):
    """The game is over."""
    return s.end_reason != END_NOT_YET


@rule
def is_complete(rules, s):
    """H13: every firework is complete."""
    return played_cards(rules, s) == rules.suits * rules.ranks


@rule
def played_cards(rules, s):
    """Cards on all fireworks together."""
    cards = 0
    for suit in range(rules.suits):
        cards += np.int64(s.fireworks[suit])
    return cards


@rule
def is_lost(s):
    """H12, V5: the last life is gone, an indispensable card is lost, or a player can do nothing."""
    return s.end_reason == END_OUT_OF_LIVES or s.end_reason == END_INDISPENSABLE or s.end_reason == END_STUCK


@rule
def fireworks_score(rules, s):
    """H15: the points on the table. V3: black cards give none, and each one that is missing costs one."""
    points = played_cards(rules, s)
    return points - rules.ranks if rules.black_suit >= 0 else points


@rule
def opening_score(rules):
    """E7: the score of the opening position."""
    return -rules.ranks if rules.black_suit >= 0 else 0


@rule
def score(rules, s):
    """H12, H15: the points on the table; a lost game scores as at its opening where ``score_on_loss`` or V5 says so."""
    if rules.score_on_loss_zero and is_lost(s):
        return opening_score(rules)
    return fireworks_score(rules, s)
