"""The rules of Hanabi, in the order of its booklet. Rule numbers (H1, E2 ...) refer to ``hanabi_env/README.md``.

The players build one firework per suit, its cards in ascending order from 1 (H10). No player looks at their own hand
(H20). A turn is exactly one of three things (H5): give a hint about another player's cards for an information token
(H6), discard a card to get a token back (H8), or play a card (H9). A card that does not fit costs a life; the loss of
the third life ends the game (H12). The game also ends when all fireworks are complete (H13). When the deck is empty,
every player has one more turn (H14). The score is the number of cards on the fireworks (H15), less a penalty in
one variant (V3).

This module builds on `hanabi_env.engine.state` (the record of a game), `hanabi_env.engine.cards` (the cards in the box,
in hands and on fireworks), `hanabi_env.engine.tiles` (the bonus tiles, V4) and `hanabi_env.engine.actions` (the numbers
of the actions).

The functions are plain Python; `hanabako.compiler.jit.rule` lets Numba inline them into the compiled loops. They
allocate nothing, raise nothing and use only integers, so a GPU can have the same source. Arguments always have the
same names and order:

* ``rules``: a `hanabi_env.engine.state.Rules`, the configuration as numbers;
* ``s``: one record of `hanabi_env.engine.state.state_dtype`, changed in place;
* ``player``: 0 .. players - 1, ``offset``: seats to the left, ``slot``: index in a hand, 0 is the oldest card;
* ``card``: ``suit * ranks + rank`` (both from 0), or ``NO_CARD``; ``action``: see `hanabi_env.engine.actions`.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ONE, ZERO, bit, end_string, has_bit, low_bits, put
from hanabako.engine.deck import draw
from hanabako.engine.rng import episode_key, random_below
from hanabi_env.engine.actions import (
    first_announced_play,
    first_choice,
    first_color_hint,
    first_play,
    first_rank_hint,
    shuffle_back,
)
from hanabi_env.engine.cards import (
    all_cards,
    cards_per_suit,
    first_copy,
    gain_information_token,
    hand_set,
    is_all_discarded,
    lose_life,
    nameable_colors,
    nameable_ranks,
    next_rank,
    others_set,
    place_of,
    player_at,
    rank_in_box,
    rank_of,
    suit_of,
    thermometer_of,
    touched_by_color,
    touched_by_rank,
)
from hanabi_env.engine.state import (
    CHOICE_OF_E,
    END_COMPLETED,
    END_INDISPENSABLE,
    END_NOT_YET,
    END_OUT_OF_CARDS,
    END_STUCK,
    EVENT_CHOOSE,
    EVENT_DISCARD,
    EVENT_HINT_COLOR,
    EVENT_HINT_RANK,
    EVENT_NONE,
    EVENT_PLAY,
    EVENT_PLAY_FROM_DISCARD,
    EVENT_SHUFFLE_BACK,
    LAST_ROUND_NOT_BEGUN,
    LOST_ENDS,
    NO_CARD,
    NO_TILE,
    SHUFFLE_STRIDE,
    START_PLAYER_DRAW,
    TILE_COLOR_HINT,
    TILE_PLAY_DISCARD,
    TILE_RANK_HINT,
    TILE_TAKE_BACK,
)
from hanabi_env.engine.tiles import (
    choices_of_e,
    choosable_cards,
    is_tile_pending,
    reveal_tile,
    shuffle_into_deck,
    shuffle_tiles,
    take_from_discard,
    waits_for,
)

# --- Setup ------------------------------------------------------------------------------------------------------------


@rule
def init(rules, s):
    """Begin episode ``s.episode`` of the table with key ``s.game_key``: open the box, shuffle, deal."""
    s.key = episode_key(s.game_key, s.episode)
    open_box(rules, s)
    deal(rules, s)


@rule
def open_box(rules, s):
    """H1, H3: all cards are in the deck, all tokens are available, nothing is played."""
    place = 0
    for suit in range(rules.suits):
        s.fireworks[suit] = 0
        s.discarded[suit] = 0
        for k in range(cards_per_suit(rules, suit)):
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
def deal(rules, s):
    """H2: deal whole hands, player by player. H4: player 0 or a random player starts."""
    for player in range(rules.players):
        s.hand_count[player] = 0
        for _ in range(rules.hand_size):
            draw_card(rules, s, player)
    s.current_player = 0
    if rules.random_start_player:
        s.current_player = random_below(s.key, START_PLAYER_DRAW, rules.players)


@rule
def shuffle_of(rules, s):
    """Return the first counter of this shuffle: 0 for the first one; each shuffle by tile (e) has its own (V4)."""
    return SHUFFLE_STRIDE * np.int64(s.shuffles) if rules.flamboyants else np.int64(0)


@rule
def draw_card(rules, s, player):
    """Draw the top card of the deck as the newest card of the hand; nothing is known about it.

    H14: drawing the last card begins the last round. V5: there is no last round.
    """
    if s.deck_count == 0:
        return
    slot = s.hand_count[player]
    s.hands[player, slot] = draw(s, shuffle_of(rules, s))
    s.plausible[player, slot] = all_cards(rules)
    s.hinted[player, slot] = 0
    s.hand_count[player] += 1
    if s.deck_count == 0 and s.turns_to_play == LAST_ROUND_NOT_BEGUN and not rules.final_bouquet:
        s.turns_to_play = rules.players


# --- What may I do? ---------------------------------------------------------------------------------------------------


@rule
def legal_action_mask(rules, s, mask):
    """Write the legal actions of the current player to ``mask`` (uint64 words). None is legal after the end (E6)."""
    is_over = s.end_reason != END_NOT_YET
    is_turn = not is_over and not is_tile_pending(rules, s)
    hints_colors = (is_turn and can_hint(s)) or waits_for(rules, s, TILE_COLOR_HINT)
    hints_ranks = (is_turn and can_hint(s)) or waits_for(rules, s, TILE_RANK_HINT)
    slots = low_bits(s.hand_count[s.current_player]) if is_turn else ZERO
    word, at = put(mask, ZERO, 0, rules.hand_size, slots if can_discard(rules, s) else ZERO)
    word, at = put(mask, word, at, rules.hand_size, slots)
    for offset in range(1, rules.players):
        colors = nameable_colors(rules, hand_set(rules, s, player_at(rules, s.current_player, offset)))
        word, at = put(mask, word, at, rules.colors, colors if hints_colors else ZERO)
    for offset in range(1, rules.players):
        ranks = nameable_ranks(rules, hand_set(rules, s, player_at(rules, s.current_player, offset)))
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
    """H8: whether an information token is missing."""
    return s.information_tokens < rules.max_information_tokens


@rule
def can_hint(s):
    """H6: a hint costs an information token."""
    return s.information_tokens > 0


@rule
def can_act(rules, s):
    """V5: whether the current player has a card, or a token and another player to give a hint to."""
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
        uses_card = True  # the card whose play revealed the tile is still to be replaced
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
    """H8, H9, V6: a card leaves the hand: a discard, or a play with or without an announced suit."""
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
    """Remove and return the card of a slot; the newer cards move up (H19: slots are ordered from oldest to newest)."""
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
    """V6: whether no suit was announced, or the suit of the card."""
    return event.announced == 0 or event.announced == 1 + suit_of(rules, event.card)


@rule
def discard_card(rules, s, event):
    """H8: the card goes face up to the discard and an information token comes back."""
    event.kind = EVENT_DISCARD
    event.gave_token = gain_information_token(rules, s)
    put_on_discard(rules, s, event.card)


@rule
def is_playable(rules, s, card):
    """H10: whether the card starts or continues its suit's firework."""
    suit = suit_of(rules, card)
    return s.fireworks[suit] < rules.ranks and rank_of(rules, card) == next_rank(rules, s, suit)


@rule
def add_to_firework(rules, s, event):
    """H10: add the card to its firework. H13: the game ends when all fireworks are complete.

    H11, V3: the last card of a firework brings an information token. V4: it brings a tile instead, except for black.
    N3: it brings no tile when the game has ended.
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
def put_on_discard(rules, s, card):
    """H18: discard the card face up. V5: discarding the last copy of a card that is still needed loses the game."""
    s.discard_count += 1
    s.cards[rules.deck_size - s.discard_count] = card
    suit = suit_of(rules, card)
    pile = np.uint64(s.discarded[suit])
    one_more = (pile << ONE) | bit(first_copy(rules, suit, rank_of(rules, card)))
    s.discarded[suit] = pile | (one_more & thermometer_of(rules, card))
    if rules.final_bouquet and s.end_reason == END_NOT_YET and is_indispensable_lost(rules, s, card):
        s.end_reason = END_INDISPENSABLE


@rule
def is_indispensable_lost(rules, s, card):
    """V5: whether the card is not on its firework, and all its copies are in the discard."""
    suit = suit_of(rules, card)
    is_needed = place_of(rules, suit, rank_of(rules, card)) >= s.fireworks[suit]
    return is_needed and is_all_discarded(rules, s, card)


@rule
def give_hint(rules, s, event, action):
    """H6: tell one player one color or one rank, pointing at every matching card."""
    event.kind = EVENT_HINT_COLOR
    hint = action - first_color_hint(rules)
    values = rules.colors
    if action >= first_rank_hint(rules):
        event.kind = EVENT_HINT_RANK
        hint = action - first_rank_hint(rules)
        values = rules.ranks
    event.target = player_at(rules, s.current_player, hint // values + 1)
    event.value = hint % values
    event.touched = point_at_cards(rules, s, event)


@rule
def point_at_cards(rules, s, event):
    """H6: touched cards match the hint, all other cards of the hand do not. Returns the touched slots, one bit each."""
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
    """End the turn: the player replaces a used card, unless the game is over (E1), and the next player follows.

    H14, E2: the turns of the last round are counted, and the game ends after the last one. V5, E5: the game is lost if
    the next player has no legal action.
    """
    if s.turns_to_play != LAST_ROUND_NOT_BEGUN:
        s.turns_to_play -= 1
    if s.end_reason == END_NOT_YET:
        if uses_card:
            draw_card(rules, s, s.current_player)
        if s.turns_to_play == 0:
            s.end_reason = END_OUT_OF_CARDS
    s.current_player = player_at(rules, s.current_player, 1)
    if rules.final_bouquet and s.end_reason == END_NOT_YET and not can_act(rules, s):
        s.end_reason = END_STUCK


# --- Bonus tiles (V4) -------------------------------------------------------------------------------------------------


@rule
def resolve_tile(rules, s, event, action):
    """V4: the player's choice for the pending tile: a free hint, the use of (e) on an empty deck, or a card."""
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


# --- End and score ----------------------------------------------------------------------------------------------------


@rule
def is_terminal(s):
    """Whether the game is over."""
    return s.end_reason != END_NOT_YET


@rule
def is_complete(rules, s):
    """H13: whether every firework is complete."""
    return played_cards(rules, s) == rules.suits * rules.ranks


@rule
def played_cards(rules, s):
    """Return the number of cards on all fireworks together."""
    cards = 0
    for suit in range(rules.suits):
        cards += np.int64(s.fireworks[suit])
    return cards


@rule
def is_lost(s):
    """H12, V5: whether the last life is gone, an indispensable card is lost, or a player has no legal action."""
    return s.end_reason in LOST_ENDS


@rule
def fireworks_score(rules, s):
    """H15: the number of cards on the fireworks. V3: black cards give no points, and each missing one costs a point."""
    points = played_cards(rules, s)
    return points - rules.ranks if rules.black_suit >= 0 else points


@rule
def opening_score(rules):
    """E7, N4: the score at the start of the game."""
    return -rules.ranks if rules.black_suit >= 0 else 0


@rule
def score(rules, s):
    """H12, H15: the points on the fireworks; by ``score_on_loss`` or V5, a lost game has the score of its start."""
    if rules.score_on_loss_zero and is_lost(s):
        return opening_score(rules)
    return fireworks_score(rules, s)
