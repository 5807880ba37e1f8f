"""The scoring of Koi-Koi: whether a turn has made a yaku, how a round ends, and its points.

Turns are in `hanafuda_env.engine.rules`, which also explains the arguments. The yaku are in `hanafuda_env.engine.yaku`.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO
from hanafuda_env.engine.cards import month_set
from hanafuda_env.engine.state import (
    NOBODY,
    OWN_KOI_BONUS,
    OWN_KOI_CHAIN,
    PHASE_DEAL,
    PHASE_END,
    REASON_EXHAUSTED,
    REASON_STOP,
)
from hanafuda_env.engine.yaku import base_of, yaku_of

# --- A yaku is made ---------------------------------------------------------------------------------------------------


@rule
def makes_yaku(rules, s, player):
    """K21: whether the points of the pile have risen, which is a yaku event (L3: growth may not count as one).

    K30: a new yaku raises the player's chain. K32: every event ends the opponent's chain.
    """
    had, before = np.uint64(s.yaku[player]), np.int64(s.base_points[player])
    count_pile(rules, s, player)
    is_new = np.uint64(s.yaku[player]) & ~had != ZERO
    if s.base_points[player] <= before or not (is_new or rules.choice_on_growth):
        return False
    s.chain[1 - player] = 0
    if is_new or rules.growth_in_chain:
        s.chain[player] += 1
    return True


@rule
def count_pile(rules, s, player):
    """K25: update the yaku of a player's pile and their points."""
    s.yaku[player] = yaku_of(rules, s.captured[player])
    s.base_points[player] = base_of(rules, s.captured[player], np.uint64(s.yaku[player]), s.koikoi_called[player] > 0)


# --- The end of a round -----------------------------------------------------------------------------------------------


@rule
def stop(rules, s, player):
    """K24: only the player who stops first is paid. K45: the Gaji's claim is added to the pile first."""
    claim_cards(s)
    count_pile(rules, s, player)
    finish_round(rules, s, player, final_points(rules, s, player), REASON_STOP)


@rule
def claim_cards(s):
    """K45: at the end of play, the holder of the Gaji's claim takes the cards of its month that are on the field."""
    if s.joker_holder == NOBODY:
        return
    cards = s.field & month_set(np.int64(s.joker_month))
    s.field &= ~cards
    s.captured[s.joker_holder] |= cards


@rule
def exhaust(rules, s):
    """K26: the round is drawn (K12, L12: who deals next). K45: if the Gaji's claim makes a yaku, its holder wins."""
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
    """K30 to K38: the base points times all multipliers."""
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
    """K24, K28: add the points; the winner deals next (K12). The game ends after the last round."""
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
    if is_complete(rules, s):
        s.phase = PHASE_END
        return
    if winner != NOBODY:
        s.dealer = winner
    elif rules.draw_changes_dealer:  # L12
        s.dealer = 1 - s.dealer
    s.round_number += 1
    s.phase = PHASE_DEAL


@rule
def is_complete(rules, s):
    """K29, L6: whether the game is over by its rules: no round is left, or a player has no points left."""
    return s.finished == rules.rounds or (rules.ends_at_zero and min(s.score[0], s.score[1]) <= 0)
