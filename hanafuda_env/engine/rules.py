"""The rules of Koi-Koi, in the order of its booklet. Rule numbers (K1, L2 ...) refer to ``hanafuda_env/README.md``.

Two players capture the 48 flower cards by month. In a turn, a card from the hand and then one from the deck each
capture a card of their month on the field (K13, K19), or stay there (K14, K20). Captured cards make yaku (K25). A
player who has made a yaku in a turn says Game and is paid, or says Koi-Koi and plays on for more (K21). Only the first
player to stop is paid (K24). The winner deals the next round (K12). The player with the most points after the last
round wins (K29).

This module builds on `hanafuda_env.engine.state` (the record of a game), `hanafuda_env.engine.cards` and
`hanafuda_env.engine.yaku` (cards and their combinations), `hanafuda_env.engine.dealing` and
`hanafuda_env.engine.scoring` (how a round begins and ends), and `hanafuda_env.engine.actions` (the numbers of the
actions).

The functions are plain Python; `hanabako.compiler.jit.rule` lets Numba inline them into the compiled loops. They
allocate nothing, raise nothing and use only integers, so a GPU can have the same source. A set of cards is a 64-bit
word. Arguments always have the same names and order:

* ``rules``: a `hanafuda_env.engine.state.Rules`, the configuration as numbers;
* ``s``: one record of `hanafuda_env.engine.state.state_dtype`, changed in place;
* ``player``: 0 or 1; ``card``: 0 .. 47, or ``NO_CARD``; ``action``: see `hanafuda_env.engine.actions`.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, clear_row, popcount
from hanabako.engine.rng import episode_key, random_below, random_word
from hanafuda_env.engine.actions import HIKI, KEEP_HANDS, KOIKOI, STOP, SWAP_HANDS, USE_JOKER
from hanafuda_env.engine.cards import GAJI, GAJI_CARD, NO_CARD, NOVEMBER, month_of, month_set, months_of
from hanafuda_env.engine.dealing import deal_valid_round, is_lucky
from hanafuda_env.engine.scoring import exhaust, finish_round, makes_yaku, stop
from hanafuda_env.engine.state import (
    BOTH_DRAW,
    FROM_DECK,
    FROM_HAND,
    LEAST_TURNS,
    NOBODY,
    PHASE_DEAL,
    PHASE_DRAW,
    PHASE_END,
    PHASE_JOKER_TARGET,
    PHASE_KOI,
    PHASE_PICK_DRAW,
    PHASE_PICK_HAND,
    PHASE_PLAY,
    PHASE_SWAP,
    PHASE_TURN_END,
    REASON_BOTH_LUCKY,
    REASON_KUTTSUKI,
    REASON_TESHI,
    TURNS,
)
from hanafuda_env.engine.yaku import base_of, has_teshi

# --- Setup ------------------------------------------------------------------------------------------------------------


@rule
def init(rules, s):
    """Begin episode ``s.episode`` of the table with key ``s.game_key``.

    K3, K4: a fair coin decides the first dealer, instead of drawn cards. L7: a game without any decision is dealt
    again.
    """
    s.given_rounds = 0
    s.phase = PHASE_END
    attempt = 0
    while s.phase == PHASE_END:
        s.key = random_word(episode_key(s.game_key, s.episode), attempt)
        open_game(rules, s, random_below(s.key, 0, 2))
        deal_rounds(rules, s)
        attempt += 1


@rule
def open_game(rules, s, dealer):
    """K2: set the scores to their start; the first round is to be dealt next."""
    s.length = 0
    s.score[0] = rules.start_score
    s.score[1] = rules.start_score
    s.round_number = 1
    s.finished = 0
    s.rewarded = 0
    s.dealer = dealer
    s.phase = PHASE_DEAL


@rule
def deal_rounds(rules, s):
    """Deal the next round. L7: if lucky hands decide it at once, deal another one, unless the game is over."""
    while s.phase == PHASE_DEAL:
        deal_valid_round(rules, s)
        open_round(rules, s)
        if rules.hand_swap:
            s.phase = PHASE_SWAP
            s.current_player = 1 - s.dealer
        else:
            look_at_hands(rules, s)


@rule
def kept_turns(rules):
    """Return the number of turns that the record holds."""
    return max(rules.history, LEAST_TURNS)


@rule
def turn_record(rules, s, age):
    """Return the record of the turn ``age`` turns ago; 0 is the present turn."""
    return s.turns[(np.int64(s.turn) - age) % kept_turns(rules)]


@rule
def open_round(rules, s):
    """Clear the record for a round: nothing is captured, called or revealed yet."""
    s.turn = 1
    s.pending = NO_CARD
    s.revealed = 0
    s.refused = 0
    s.joker_holder = NOBODY
    s.joker_month = 0
    clear_row(s.captured)
    clear_row(s.base_points)
    clear_row(s.yaku)
    clear_row(s.chain)
    clear_row(s.koikoi_called)
    clear_row(s.november)
    for k in range(kept_turns(rules)):
        s.turns[k].player = NOBODY


@rule
def look_at_hands(rules, s):
    """K7, K8: a lucky hand wins the round at once. K10: both hands may be lucky. Otherwise the dealer starts (K11)."""
    dealers = is_lucky(rules, s.hand[s.dealer])
    others = is_lucky(rules, s.hand[1 - s.dealer])
    if dealers and others:
        if rules.both_lucky == BOTH_DRAW:
            finish_round(rules, s, NOBODY, 0, REASON_BOTH_LUCKY)
            return
    elif dealers or others:
        winner = np.int64(s.dealer) if dealers else 1 - np.int64(s.dealer)
        reason = REASON_TESHI if rules.teshi and has_teshi(s.hand[winner]) else REASON_KUTTSUKI
        finish_round(rules, s, winner, rules.lucky_points, reason)
        return
    s.current_player = s.dealer
    begin_turn(rules, s)


# --- What may I do? ---------------------------------------------------------------------------------------------------


@rule
def legal_action_mask(rules, s, mask):
    """L10: write the legal actions of the current player to ``mask`` (one uint64 word). None is legal after the end."""
    mask[0] = legal_actions(rules, s)


@rule
def legal_actions(rules, s):
    """Return the legal actions of the current player as a word."""
    if s.phase == PHASE_PLAY:
        return legal_plays(rules, s)
    if s.phase == PHASE_PICK_HAND or s.phase == PHASE_PICK_DRAW:
        matching = matching_cards(s, s.pending)
        return matching | bit(HIKI) if popcount(matching) == 3 else matching
    if s.phase == PHASE_KOI:
        return bit(STOP) | bit(KOIKOI)
    if s.phase == PHASE_SWAP:
        return bit(KEEP_HANDS) | bit(SWAP_HANDS)
    if s.phase == PHASE_JOKER_TARGET:
        return s.field & ~s.refused
    return ZERO


@rule
def legal_plays(rules, s):
    """K14: the hand cards that match the field, or all if none matches or matching is not forced. K41: the Gaji."""
    hand = s.hand[s.current_player]
    matching = hand & months_of(s.field)
    plays = matching if rules.forced_match and matching != ZERO else hand
    return plays | bit(USE_JOKER) if can_use_joker(rules, s) else plays


@rule
def matching_cards(s, card):
    """K13: the cards of the field that ``card`` can capture, those of its month."""
    return s.field & month_set(month_of(card))


@rule
def has_choice(rules, count):
    """K16, K17: whether the player chooses which of ``count`` matching cards to take."""
    return count == 2 or (count == 3 and rules.hiki_is_optional)


@rule
def can_use_joker(rules, s):
    """K41, K44: whether the Gaji is in the hand, the field is not empty, and the opponent has not blocked the Gaji."""
    if not rules.gaji or s.field == ZERO or s.hand[s.current_player] & GAJI_CARD == ZERO:
        return False
    return np.int64(s.november[1 - s.current_player]) & rules.gaji_blocked_by == 0


# --- A turn -----------------------------------------------------------------------------------------------------------


@rule
def step(rules, s, action):
    """Apply a legal action of the current player, and everything that follows until the next decision."""
    s.length += 1
    if s.phase == PHASE_PLAY:
        play(rules, s, action)
    elif s.phase == PHASE_PICK_HAND or s.phase == PHASE_PICK_DRAW:
        pick(rules, s, action)
    elif s.phase == PHASE_KOI:
        choose(rules, s, action)
    elif s.phase == PHASE_JOKER_TARGET:
        take_with_joker(rules, s, action)
    elif s.phase == PHASE_SWAP:
        answer(rules, s, action)
    if s.phase == PHASE_DRAW:
        turn_up_card(rules, s)
    if s.phase == PHASE_TURN_END:
        end_turn(rules, s)
    if s.phase == PHASE_DEAL:
        deal_rounds(rules, s)


@rule
def answer(rules, s, action):
    """K6: exchange the hands, or not. Only then do the players look at them (K7)."""
    if action == SWAP_HANDS:
        s.hand[0], s.hand[1] = s.hand[1], s.hand[0]
    look_at_hands(rules, s)


@rule
def begin_turn(rules, s):
    """Begin a turn: the current player must play a card."""
    s.phase = PHASE_PLAY
    record = turn_record(rules, s, 0)
    record.player = s.current_player
    record.played = NO_CARD
    record.drawn = NO_CARD
    record.captured = 0
    record.is_joker = 0
    record.koikoi = 0


@rule
def play(rules, s, action):
    """K13: a card leaves the hand and meets the field, as an ordinary card or (K41) the Gaji as a joker."""
    card = GAJI if action == USE_JOKER else action
    player = s.current_player
    s.hand[player] &= ~bit(card)
    s.revealed &= ~bit(card)
    if month_of(card) == NOVEMBER:
        s.november[player] |= FROM_HAND
    record = turn_record(rules, s, 0)
    record.played = card
    if action == USE_JOKER:
        record.is_joker = 1
        s.pending = GAJI
        s.refused = 0
        s.phase = PHASE_JOKER_TARGET
    else:
        meet_field(rules, s, card, PHASE_PICK_HAND, PHASE_DRAW)


@rule
def turn_up_card(rules, s):
    """K18: turn up the top card of the deck in every turn; it meets the field, too (K19)."""
    card = np.int64(s.deck[s.drawn])
    s.drawn += 1
    if month_of(card) == NOVEMBER:
        s.november[s.current_player] |= FROM_DECK
    turn_record(rules, s, 0).drawn = card
    meet_field(rules, s, card, PHASE_PICK_DRAW, PHASE_TURN_END)


@rule
def meet_field(rules, s, card, choice, after):
    """K13, K14, K16, K17, K19, K20: the card captures its month, its player must choose, or it stays on the field."""
    matching = matching_cards(s, card)
    count = popcount(matching)
    s.phase = after
    if count == 0:
        s.field |= bit(card)
    elif has_choice(rules, count):
        s.pending = card
        s.phase = choice
    else:
        capture(rules, s, card, matching)


@rule
def pick(rules, s, action):
    """K16: take one of the matching cards. K17: or all three (Hiki)."""
    card = np.int64(s.pending)
    s.pending = NO_CARD
    s.phase = PHASE_DRAW if s.phase == PHASE_PICK_HAND else PHASE_TURN_END
    capture(rules, s, card, matching_cards(s, card) if action == HIKI else bit(action))


@rule
def capture(rules, s, card, taken):
    """K15: the card and the ``taken`` cards of the field go face up to the player's pile."""
    cards = taken | bit(card)
    s.field &= ~taken
    s.captured[s.current_player] |= cards
    turn_record(rules, s, 0).captured |= cards


# --- The Gaji as a joker (K40 to K46) ---------------------------------------------------------------------------------


@rule
def take_with_joker(rules, s, card):
    """K41, K45: the Gaji takes a card of the field. K46: or it is refused all cards of that month (L5)."""
    month = month_of(card)
    fourth = month_set(month) & s.hand[1 - s.current_player]
    if popcount(s.field & month_set(month)) == 3 and fourth != ZERO:
        s.revealed |= fourth
        s.refused |= month_set(month)
        if s.field & ~s.refused == ZERO:  # L5: nothing is left to take
            s.field |= GAJI_CARD
            leave_joker(s)
        return
    capture(rules, s, GAJI, bit(card))
    if month != NOVEMBER:  # K42
        s.joker_holder = s.current_player
        s.joker_month = month
    leave_joker(s)


@rule
def leave_joker(s):
    """Finish the use of the Gaji; the draw follows (K41)."""
    s.pending = NO_CARD
    s.refused = 0
    s.phase = PHASE_DRAW


# --- The end of a turn: Game or Koi-Koi -------------------------------------------------------------------------------


@rule
def end_turn(rules, s):
    """K21, K22: a new yaku leads to one choice. K23, L13: with an empty hand, or no call left, it is Game."""
    player = np.int64(s.current_player)
    if turn_record(rules, s, 0).captured == ZERO or not makes_yaku(rules, s, player):
        next_turn(rules, s)
    elif s.hand[player] == ZERO or not can_call(rules, s):
        stop(rules, s, player)
    else:
        s.phase = PHASE_KOI


@rule
def can_call(rules, s):
    """L13: whether the round allows another Koi-Koi."""
    return np.int64(s.koikoi_called[0]) + np.int64(s.koikoi_called[1]) < rules.koikoi_limit


@rule
def choose(rules, s, action):
    """K21: apply the choice of Game or Koi-Koi."""
    player = np.int64(s.current_player)
    if action == STOP:
        stop(rules, s, player)
        return
    s.koikoi_called[player] += 1
    turn_record(rules, s, 0).koikoi = 1
    s.base_points[player] = base_of(rules, s.captured[player], np.uint64(s.yaku[player]), True)
    next_turn(rules, s)


@rule
def next_turn(rules, s):
    """K11: the other player's turn follows. K26: after turn 16 no player has a card, and the round is exhausted."""
    if s.turn == TURNS:
        exhaust(rules, s)
        return
    s.turn += 1
    s.current_player = 1 - s.current_player
    begin_turn(rules, s)


# --- End of the game --------------------------------------------------------------------------------------------------


@rule
def is_terminal(s):
    """Whether the game is over."""
    return s.phase == PHASE_END
