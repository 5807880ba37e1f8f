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
END_ILLEGAL = 6  # a player did what the rules forbid: the loop that saw it ended the game

EVENT_NONE = 0  # kinds of an event; the order is the Learning Environment's
EVENT_PLAY = 1
EVENT_DISCARD = 2
EVENT_HINT_COLOR = 3
EVENT_HINT_RANK = 4

LAST_ROUND_NOT_BEGUN = -1
START_PLAYER_DRAW = 1 << 20  # a counter of the random stream that no draw from the deck uses


class Rules(NamedTuple):
    """The numbers of one table, for the compiler, made by `HanabiConfig.rules`: all are ints, flags are 0 or 1."""

    players: int
    hand_size: int
    colors: int  # suits that a color hint can name
    suits: int  # fireworks
    ranks: int  # cards of a complete firework
    deck_size: int  # cards in the box
    max_information_tokens: int
    max_life_tokens: int
    random_start_player: int
    empty_hints: int  # H7: a hint may touch no card
    score_on_loss_zero: int  # H12: a lost game scores 0
    num_actions: int
    observation_type: int  # what the knowledge section holds: OBSERVE_MINIMAL, OBSERVE_CARD_KNOWLEDGE, OBSERVE_SEER
    history: int  # last actions in the observation
    belief: int  # V0 belief section
    derived: int  # section of worked-out flags
    source_digest: int  # of the packages' sources, so that no disk cache ever runs an old rule


@rule
def rules_from(n):
    """`Rules` out of an array of their numbers, inside compiled code."""
    first = (n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8])
    return Rules(*first, n[9], n[10], n[11], n[12], n[13], n[14], n[15], n[16])


EVENT = np.dtype(  # what everybody saw of one step
    [
        ("touched", np.uint32),  # slots that a hint touched, one bit a slot
        ("kind", np.uint8),  # EVENT_*
        ("player", np.uint8),  # who acted
        ("target", np.uint8),  # who received the hint
        ("value", np.uint8),  # color or rank of the hint
        ("slot", np.uint8),  # from which a card was played or discarded
        ("card", np.uint8),  # that card
        ("scored", np.uint8),  # 1: the played card joined its firework
        ("gave_token", np.uint8),  # 1: the step brought an information token
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
            ("discarded", np.uint16, (suits,)),  # H18: copies in the discard: per rank a thermometer, see copies()
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
def copies(rules, rank):
    """H1, E17: three of the lowest rank, one of the highest, two of the others (three where there is one rank only)."""
    if rank == 0:
        return 3
    return 1 if rank == rules.ranks - 1 else 2


@rule
def first_copy(rules, rank):  # noqa: ARG001
    """Where the thermometer of ``rank`` starts in ``discarded`` of its suit: behind the copies of all lower ranks."""
    return 0 if rank == 0 else 2 * rank + 1


@rule
def cards_a_suit(rules):
    """Cards of one suit in the box."""
    return 3 if rules.ranks == 1 else 2 * rules.ranks


@rule
def discarded_copies(rules, s, suit, rank):
    """How many copies of a card lie in the discard."""
    count = 0
    for k in range(copies(rules, rank)):
        count += np.int64(has_bit(s.discarded[suit], first_copy(rules, rank) + k))
    return count


@rule
def touched_by_color(rules, color):
    """H6: the set of cards that a hint of ``color`` touches."""
    return low_bits(rules.ranks) << np.uint64(color * rules.ranks)


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
        for rank in range(rules.ranks):
            for _ in range(copies(rules, rank)):
                s.cards[place] = suit * rules.ranks + rank
                place += 1
    s.deck_count = rules.deck_size
    s.discard_count = 0
    s.information_tokens = rules.max_information_tokens
    s.life_tokens = rules.max_life_tokens
    s.turns_to_play = LAST_ROUND_NOT_BEGUN
    s.end_reason = END_NOT_YET
    s.length = 0
    for k in range(rules.history):
        s.events[k].kind = EVENT_NONE


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
def draw_place(s):
    """Where the next card lies in ``cards``: one step of a lazy Fisher-Yates shuffle."""
    return random_below(s.key, s.deck_count, s.deck_count)


@rule
def draw_card(rules, s, player):
    """The top card of the deck joins the hand as its newest; nothing is known about it. H14: the last one drawn."""
    if s.deck_count == 0:
        return
    place = draw_place(s)
    s.deck_count -= 1
    slot = s.hand_count[player]
    s.hands[player, slot] = s.cards[place]
    s.cards[place] = s.cards[s.deck_count]
    s.plausible[player, slot] = all_cards(rules)
    s.hinted[player, slot] = 0
    s.hand_count[player] += 1
    if s.deck_count == 0:
        s.turns_to_play = rules.players


# --- What may I do? ---------------------------------------------------------------------------------------------------
# ACTION BLOCKS, in the Learning Environment's order: discard slot, play slot, hint a color, hint a rank. Hints are
# ordered by the receiver's offset (1 = next clockwise), then by color or rank.


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
def legal_action_mask(rules, s, mask):
    """The actions of the current player as bits of ``mask`` (uint64 words). Nothing is legal after the end (E6)."""
    is_over = s.end_reason != END_NOT_YET
    slots = ZERO if is_over else low_bits(s.hand_count[s.current_player])
    word, at = put(mask, ZERO, 0, rules.hand_size, slots if can_discard(rules, s) else ZERO)
    word, at = put(mask, word, at, rules.hand_size, slots)
    for offset in range(1, rules.players):
        colors = ZERO if is_over else nameable_colors(rules, s, seat(rules, s, offset))
        word, at = put(mask, word, at, rules.colors, colors)
    for offset in range(1, rules.players):
        ranks = ZERO if is_over else nameable_ranks(rules, s, seat(rules, s, offset))
        word, at = put(mask, word, at, rules.ranks, ranks)
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
def nameable_colors(rules, s, player):
    """H6, H7: the colors that a hint to ``player`` may name: those it touches, or any where hints may be empty."""
    hand = hand_set(rules, s, player)
    colors = ZERO
    for color in range(rules.colors):
        if rules.empty_hints or hand & touched_by_color(rules, color) != ZERO:
            colors |= bit(color)
    return colors if can_hint(s) else ZERO


@rule
def nameable_ranks(rules, s, player):
    """H6, H7: the ranks that a hint to ``player`` may name."""
    hand = hand_set(rules, s, player)
    ranks = ZERO
    for suit in range(rules.suits):
        ranks |= hand >> np.uint64(suit * rules.ranks)
    if rules.empty_hints:
        ranks = low_bits(rules.ranks)
    return ranks & low_bits(rules.ranks) if can_hint(s) else ZERO


# --- A turn -----------------------------------------------------------------------------------------------------------


@rule
def step(rules, s, action):
    """H5: the current player discards, plays or gives a hint. ``action`` must be legal."""
    in_last_round = s.turns_to_play != LAST_ROUND_NOT_BEGUN
    event = s.events[s.length % rules.history]
    event.player = s.current_player
    if action < first_color_hint(rules):
        use_card(rules, s, event, action)
    else:
        give_hint(rules, s, event, action)
    s.length += 1
    end_turn(rules, s, in_last_round)


@rule
def use_card(rules, s, event, action):
    """H8, H9: a card leaves the hand, by discard or play; then its player draws, unless that ended the game (E1)."""
    is_play = action >= first_play(rules)
    event.slot = action - first_play(rules) if is_play else action
    event.card = take_from_hand(rules, s, s.current_player, event.slot)
    event.scored = 0
    event.gave_token = 0
    if is_play:
        play_card(rules, s, event)
    else:
        discard_card(rules, s, event)
    if s.end_reason == END_NOT_YET:
        draw_card(rules, s, s.current_player)


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
    """H9: the card joins its firework, or a life is lost and it is discarded."""
    event.kind = EVENT_PLAY
    if is_playable(rules, s, event.card):
        add_to_firework(rules, s, event)
    else:
        lose_life(s)
        put_on_discard(rules, s, event.card)


@rule
def discard_card(rules, s, event):
    """H8: the card goes face up to the discard and an information token comes back."""
    event.kind = EVENT_DISCARD
    event.gave_token = gain_information_token(rules, s)
    put_on_discard(rules, s, event.card)


@rule
def is_playable(rules, s, card):
    """H10: the card starts or continues its suit's firework."""
    return rank_of(rules, card) == s.fireworks[suit_of(rules, card)]


@rule
def add_to_firework(rules, s, event):
    """H10, H11: one card more; the last one of a firework brings an information token. H13: all complete, the end."""
    suit = suit_of(rules, event.card)
    s.fireworks[suit] += 1
    event.scored = 1
    if s.fireworks[suit] == rules.ranks:
        event.gave_token = gain_information_token(rules, s)
        if is_complete(rules, s):
            s.end_reason = END_COMPLETED


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
    """H18: face up, for everybody to see."""
    s.discard_count += 1
    s.cards[rules.deck_size - s.discard_count] = card
    suit = suit_of(rules, card)
    rank = rank_of(rules, card)
    first = bit(first_copy(rules, rank))
    copies_of_card = low_bits(copies(rules, rank)) << np.uint64(first_copy(rules, rank))
    pile = np.uint64(s.discarded[suit])
    s.discarded[suit] = pile | (((pile << ONE) | first) & copies_of_card)


@rule
def give_hint(rules, s, event, action):
    """H6: one player, one color or one rank, every matching card pointed at; it costs a token."""
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
    s.information_tokens -= 1


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
def end_turn(rules, s, in_last_round):
    """H14, E2: a turn of the last round is over, and after the last one the game. The next player follows clockwise."""
    if in_last_round:
        s.turns_to_play -= 1
        if s.turns_to_play == 0 and s.end_reason == END_NOT_YET:
            s.end_reason = END_OUT_OF_CARDS
    s.current_player = seat(rules, s, 1)


# --- End and score ----------------------------------------------------------------------------------------------------


@rule
def is_terminal(s):
    """The game is over."""
    return s.end_reason != END_NOT_YET


@rule
def is_complete(rules, s):
    """H13: every firework is complete."""
    return fireworks_score(rules, s) == rules.suits * rules.ranks


@rule
def is_lost(s):
    """H12: the last life is gone."""
    return s.end_reason == END_OUT_OF_LIVES


@rule
def fireworks_score(rules, s):
    """H15: the points on the table."""
    points = 0
    for suit in range(rules.suits):
        points += np.int64(s.fireworks[suit])
    return points


@rule
def score(rules, s):
    """H12, H15: the points on the table; a lost game scores 0 where ``score_on_loss`` says so."""
    if rules.score_on_loss_zero and is_lost(s):
        return 0
    return fireworks_score(rules, s)
