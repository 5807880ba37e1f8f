"""Koi-Koi, in the order of its booklet. Rule numbers (K1, L2 ...) are those of the card, ``hanafuda_env/README.md``.

Two players take the 48 flower cards by month: a card from the hand, then one from the deck, each captures a card of its
month on the field (K13, K19) or stays there (K14, K20). Captured cards make yaku (K25). Who has made one on a turn
says Game and is paid, or Koi-Koi and plays on for more (K21); only the first to stop is paid (K24). The winner deals
the next round (K12). Most points after the last round win (K29).

Before this module come `hanafuda_env.engine.state`, what is in the box and the record of a game, and `hanafuda_env.engine.yaku`, the
cards and what they make.

Functions are plain Python; `hanabako.compiler.jit.rule` lets Numba inline them into the compiled loops. They allocate nothing,
raise nothing and use integers only (but for `reward`), so the same source also runs on a GPU. A set of cards is a
word. Arguments keep one order and spelling:

* ``rules``: a `hanafuda_env.engine.state.Rules`, the numbers of this table;
* ``s``: one record of `hanafuda_env.engine.state.state_dtype`, changed in place;
* ``player``: 0 or 1; ``card``: 0 .. 47, or `NO_CARD`; ``action``: see `ACTIONS` below.
"""

import math

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, clear_row, popcount
from hanabako.engine.rng import LOW_32, THIRTY_TWO, episode_key, random_below, random_word
from hanafuda_env.engine.actions import HIKI, KEEP_HANDS, KOIKOI, STOP, SWAP_HANDS, USE_JOKER
from hanafuda_env.engine.cards import CARDS, GAJI, GAJI_CARD, NO_CARD, NOVEMBER, month_of, month_set, months_of
from hanafuda_env.engine.state import (
    ATTEMPTS,
    BOTH_DRAW,
    BOTH_REDEAL,
    DEAL_STREAMS,
    FROM_DECK,
    FROM_HAND,
    HAND,
    LEAST_TURNS,
    LUCKY_PLAYS,
    LUCKY_REDEALS,
    NOBODY,
    OWN_KOI_BONUS,
    OWN_KOI_CHAIN,
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
    REASON_EXHAUSTED,
    REASON_KUTTSUKI,
    REASON_STOP,
    REASON_TESHI,
    REWARD_RESULT,
    REWARD_SQUASHED,
    TURNS,
)
from hanafuda_env.engine.yaku import base_of, has_kuttsuki, has_teshi, yaku_of

# --- Setup ------------------------------------------------------------------------------------------------------------


@rule
def init(rules, s):
    """Begin the episode ``s.episode`` of the table with ``s.game_key``.

    K3, K4: the cards that the players draw for the first deal are a fair coin. L7: a game in which nothing is left to
    decide is dealt again.
    """
    s.given = 0
    s.phase = PHASE_END
    attempt = 0
    while s.phase == PHASE_END:
        s.key = random_word(episode_key(s.game_key, s.episode), attempt)
        open_game(rules, s, random_below(s.key, 0, 2))
        deal_rounds(rules, s)
        attempt += 1


@rule
def open_game(rules, s, dealer):
    """K2: nothing is scored yet, and the first round is to be dealt."""
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
    """Deal the next round; and, L7, another one where lucky hands decide it at once, unless the game is over."""
    while s.phase == PHASE_DEAL:
        deal_valid_round(rules, s)
        open_round(rules, s)
        if rules.hand_swap:
            s.phase = PHASE_SWAP
            s.current_player = 1 - s.dealer
        else:
            look_at_hands(rules, s)


@rule
def deal_valid_round(rules, s):
    """K9: deal until nothing makes the round void."""
    attempt = 0
    shuffle(s, attempt)
    deal(s)
    while is_void(rules, s):
        attempt += 1
        shuffle(s, attempt)
        deal(s)


@rule
def shuffle(s, attempt):
    """K2: all 48 cards, by Fisher and Yates. L8: or as they were given."""
    if s.round_number <= s.given:
        for k in range(CARDS):
            s.deck[k] = s.given_decks[s.round_number - 1, k]
        return
    stream = random_word(s.key, DEAL_STREAMS + ATTEMPTS * np.int64(s.round_number) + attempt)
    for k in range(0, CARDS, 2):  # one random word serves two cards
        word = random_word(stream, k)
        insert_card(s, k, word & LOW_32)
        insert_card(s, k + 1, word >> THIRTY_TWO)


@rule
def insert_card(s, k, chance):
    """Card ``k`` joins the ``k`` cards before it at a random place; ``chance`` is a random 32-bit number."""
    place = np.int64((chance * np.uint64(k + 1)) >> THIRTY_TWO)
    s.deck[k] = s.deck[place]
    s.deck[place] = k


@rule
def deal(s):
    """K5: twice four cards each to the other player, to the dealer and face up to the field."""
    other = 1 - s.dealer
    s.hand[other] = four_cards(s, 0) | four_cards(s, 12)
    s.hand[s.dealer] = four_cards(s, 4) | four_cards(s, 16)
    s.field = four_cards(s, 8) | four_cards(s, 20)
    s.drawn = 3 * HAND


@rule
def four_cards(s, at):
    """Four neighbours of the deck as a set."""
    return bit(s.deck[at]) | bit(s.deck[at + 1]) | bit(s.deck[at + 2]) | bit(s.deck[at + 3])


@rule
def is_void(rules, s):
    """K9: the field has four cards of a month or four pairs. L6, K10: or the hands are such that they are dealt again.

    What a swap of the hands could change is not asked here.
    """
    if is_lucky(rules, s.field):
        return True
    if rules.teshi == LUCKY_REDEALS and (has_teshi(s.hand[0]) or has_teshi(s.hand[1])):
        return True
    if rules.kuttsuki == LUCKY_REDEALS and (has_kuttsuki(s.hand[0]) or has_kuttsuki(s.hand[1])):
        return True
    return rules.both_lucky == BOTH_REDEAL and is_lucky(rules, s.hand[0]) and is_lucky(rules, s.hand[1])


@rule
def is_lucky(rules, cards):
    """K8, K9: eight cards with Teshi or Kuttsuki, as far as these rules know them."""
    return (rules.teshi != LUCKY_PLAYS and has_teshi(cards)) or (rules.kuttsuki != LUCKY_PLAYS and has_kuttsuki(cards))


@rule
def open_round(rules, s):
    """Nothing is captured, called or known yet."""
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
    """K7, K8: a lucky hand wins the round at once; K10: or two of them. Otherwise the dealer starts (K11)."""
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
# ACTIONS: 0 .. 47 is a card: of the hand to play, of the field to take. Then these.


@rule
def legal_action_mask(rules, s, mask):
    """The actions of the current player as bits of ``mask`` (one uint64 word). Nothing is legal after the end."""
    mask[0] = legal_actions(rules, s)


@rule
def legal_actions(rules, s):
    """The same as a word."""
    if s.phase == PHASE_PLAY:
        return legal_plays(rules, s)
    if s.phase == PHASE_PICK_HAND or s.phase == PHASE_PICK_DRAW:
        matching = s.field & month_set(month_of(s.pending))
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
    """K14: the hand cards that match the field, or all of them where none does or matching is free. K41: the Gaji."""
    hand = s.hand[s.current_player]
    matching = hand & months_of(s.field)
    plays = matching if rules.forced_match and matching != ZERO else hand
    return plays | bit(USE_JOKER) if can_use_joker(rules, s) else plays


@rule
def can_use_joker(rules, s):
    """K41: the Gaji is in the hand and the field not empty. K44: the opponent has not blocked it."""
    if not rules.gaji or s.field == ZERO or s.hand[s.current_player] & GAJI_CARD == ZERO:
        return False
    return np.int64(s.november[1 - s.current_player]) & rules.gaji_blocked_by == 0


# --- A turn -----------------------------------------------------------------------------------------------------------


@rule
def step(rules, s, action):
    """One decision of the current player and all that follows from it without another. ``action`` must be legal."""
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
    """K6: the hands are exchanged, or not; only then do the players look at them (K7)."""
    if action == SWAP_HANDS:
        s.hand[0], s.hand[1] = s.hand[1], s.hand[0]
    look_at_hands(rules, s)


@rule
def kept_turns(rules):
    """How many turns the record remembers."""
    return max(rules.history, LEAST_TURNS)


@rule
def turn_record(rules, s):
    """Where the present turn is remembered."""
    return s.turns[s.turn % kept_turns(rules)]


@rule
def begin_turn(rules, s):
    """The current player is to play a card."""
    s.phase = PHASE_PLAY
    record = turn_record(rules, s)
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
    record = turn_record(rules, s)
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
    """K18: the top card of the deck, whatever happened before; it meets the field too (K19)."""
    card = np.int64(s.deck[s.drawn])
    s.drawn += 1
    if month_of(card) == NOVEMBER:
        s.november[s.current_player] |= FROM_DECK
    turn_record(rules, s).drawn = card
    meet_field(rules, s, card, PHASE_PICK_DRAW, PHASE_TURN_END)


@rule
def meet_field(rules, s, card, choice, after):
    """K13, K14, K16, K17, K19, K20: the card captures its month, or its player has to choose, or it stays."""
    matching = s.field & month_set(month_of(card))
    count = popcount(matching)
    s.phase = after
    if count == 0:
        s.field |= bit(card)
    elif count == 1 or (count == 3 and not rules.hiki_is_optional):
        capture(rules, s, card, matching)
    else:
        s.pending = card
        s.phase = choice


@rule
def pick(rules, s, action):
    """K16: one of the matching cards. K17: or all three (Hiki)."""
    card = np.int64(s.pending)
    s.pending = NO_CARD
    s.phase = PHASE_DRAW if s.phase == PHASE_PICK_HAND else PHASE_TURN_END
    capture(rules, s, card, s.field & month_set(month_of(card)) if action == HIKI else bit(action))


@rule
def capture(rules, s, card, taken):
    """K15: the card and what it takes from the field go face up to the player's pile."""
    cards = taken | bit(card)
    s.field &= ~taken
    s.captured[s.current_player] |= cards
    turn_record(rules, s).captured |= cards


# --- The Gaji as a joker (K40 to K46) ---------------------------------------------------------------------------------


@rule
def take_with_joker(rules, s, card):
    """K41, K45: the Gaji takes one card of the field; K46: or is refused that whole month (L5)."""
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
    """The Gaji lies somewhere again; the draw follows (K41)."""
    s.pending = NO_CARD
    s.refused = 0
    s.phase = PHASE_DRAW


@rule
def claim_cards(s):
    """K45: at the end of play the month that the Gaji took goes to its holder, as far as it still lies on the field."""
    if s.joker_holder == NOBODY:
        return
    cards = s.field & month_set(np.int64(s.joker_month))
    s.field &= ~cards
    s.captured[s.joker_holder] |= cards


# --- Yaku, Koi-Koi and the end of a round -----------------------------------------------------------------------------


@rule
def end_turn(rules, s):
    """K21, K22: one choice where a yaku was made; K23: no choice on an empty hand: it is Game."""
    player = np.int64(s.current_player)
    if turn_record(rules, s).captured == ZERO or not makes_yaku(rules, s, player):
        next_turn(rules, s)
    elif s.hand[player] == ZERO:
        stop(rules, s, player)
    else:
        s.phase = PHASE_KOI


@rule
def makes_yaku(rules, s, player):
    """K21: the points of the pile have risen: a yaku event (L3: by a new yaku, where growth is no event).

    K30: a new yaku raises the player's chain; K32: either kind of event ends the opponent's.
    """
    had, before = np.uint64(s.yaku[player]), np.int64(s.base_points[player])
    has = yaku_of(rules, s.captured[player])
    base = base_of(rules, s.captured[player], has, s.koikoi_called[player] > 0)
    s.yaku[player] = has
    s.base_points[player] = base
    is_new = has & ~had != ZERO
    if base <= before or not (is_new or rules.choice_on_growth):
        return False
    s.chain[1 - player] = 0
    if is_new or rules.growth_in_chain:
        s.chain[player] += 1
    return True


@rule
def choose(rules, s, action):
    """K21: Game, or Koi-Koi."""
    player = np.int64(s.current_player)
    if action == STOP:
        stop(rules, s, player)
        return
    s.koikoi_called[player] += 1
    turn_record(rules, s).koikoi = 1
    s.base_points[player] = base_of(rules, s.captured[player], np.uint64(s.yaku[player]), True)
    next_turn(rules, s)


@rule
def next_turn(rules, s):
    """K11: the players alternate; K26: after turn 16 nobody has a card."""
    if s.turn == TURNS:
        exhaust(rules, s)
        return
    s.turn += 1
    s.current_player = 1 - s.current_player
    begin_turn(rules, s)


@rule
def stop(rules, s, player):
    """K24: only who stops first is paid. K45: the pile is what it is after the Gaji's claim."""
    claim_cards(s)
    s.yaku[player] = yaku_of(rules, s.captured[player])
    s.base_points[player] = base_of(rules, s.captured[player], np.uint64(s.yaku[player]), s.koikoi_called[player] > 0)
    finish_round(rules, s, player, final_points(rules, s, player), REASON_STOP)


@rule
def exhaust(rules, s):
    """K26: the round is drawn and the dealer stays. K45: unless the claim makes a yaku: then its holder wins."""
    holder = np.int64(s.joker_holder)
    claim_cards(s)
    if holder != NOBODY and makes_yaku(rules, s, holder):
        finish_round(rules, s, holder, final_points(rules, s, holder), REASON_STOP)
    elif rules.exhausted_points:
        finish_round(rules, s, np.int64(s.dealer), rules.exhausted_points, REASON_EXHAUSTED)
    else:
        finish_round(rules, s, NOBODY, 0, REASON_EXHAUSTED)


@rule
def final_points(rules, s, player):
    """K30 to K38: the base times all multipliers."""
    base = np.int64(s.base_points[player])
    called = np.int64(s.koikoi_called[player])
    points = base
    if rules.own_koi == OWN_KOI_CHAIN:
        points *= max(1, np.int64(s.chain[player]))
    elif rules.own_koi == OWN_KOI_BONUS:
        points = base + called if called <= 3 else base * (called - 2)
    if s.koikoi_called[1 - player]:
        points *= rules.opponent_koi_factor
    if base >= rules.seven:
        points *= rules.seven_factor
    return points


@rule
def finish_round(rules, s, winner, points, reason):
    """K24, K28: the points are entered and the winner deals next (K12). K29, L6: after the last round, the end."""
    result = s.results[s.finished]
    result.winner = winner
    result.points = points
    result.reason = reason
    result.dealer = s.dealer
    result.yaku = s.yaku[winner] if reason == REASON_STOP else 0
    result.koikoi_called[0] = s.koikoi_called[0]
    result.koikoi_called[1] = s.koikoi_called[1]
    s.finished += 1
    if winner != NOBODY:
        s.score[winner] += points
        if rules.loser_pays:
            s.score[1 - winner] -= points
    if s.finished == rules.rounds or (rules.ends_at_zero and min(s.score[0], s.score[1]) <= 0):
        s.phase = PHASE_END
        return
    if winner != NOBODY:
        s.dealer = winner
    s.round_number += 1
    s.phase = PHASE_DEAL


# --- End and rewards --------------------------------------------------------------------------------------------------


@rule
def is_terminal(s):
    """The game is over."""
    return s.phase == PHASE_END


@rule
def reward(rules, s):
    """L7, L10: what player 0 gains by the rounds that have ended since the last call; player 1 gains the opposite."""
    total = 0.0
    while s.rewarded < s.finished:
        result = s.results[s.rewarded]
        s.rewarded += 1
        if result.winner != NOBODY and rules.reward != REWARD_RESULT:
            points = float(result.points)
            if rules.reward == REWARD_SQUASHED:
                points = math.log1p(points) / math.log1p(100.0)
            total += points if result.winner == 0 else -points
    if rules.reward == REWARD_RESULT and s.phase == PHASE_END:
        total += float(np.sign(np.int64(s.score[0]) - np.int64(s.score[1])))
    return total
