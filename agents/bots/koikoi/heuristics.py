"""Bots that look one card ahead: two greedy ones, which always or never stop, and one that counts cards.

* ``greedy_stop`` takes the cards that make its pile most valuable (`judgement.py`) and stops at every yaku.
* ``always_koi`` plays the same cards and always calls Koi-Koi.
* ``counting`` also takes into account what the other player would have taken, what a card left on the field gives away,
  and what the card from the deck will bring (each unseen card equally likely). It calls Koi-Koi if the expected points
  favor it: the probability of another yaku against that of the other player's first one, under the current rules.
"""

import numpy as np

from hanabako.compiler.jit import rule
from hanabako.engine.bits import ZERO, bit, has_bit, nth_set_bit, popcount
from hanafuda_env.engine.actions import HIKI, KEEP_HANDS, KOIKOI, STOP
from hanafuda_env.engine.cards import ALL_CARDS, CARDS, GAJI, month_of, month_set
from hanafuda_env.engine.private_view import unseen
from hanafuda_env.engine.scoring import final_points
from hanafuda_env.engine.state import OWN_KOI_CHAIN, PHASE_JOKER_TARGET, PHASE_KOI, PHASE_PLAY, PHASE_SWAP
from hanafuda_env.engine.yaku import base_of, yaku_of

from ..bot import Bot
from .judgement import best_capture, hand_left, lowest_card, pile_value

STYLE_STOP, STYLE_KOI, STYLE_COUNT = range(3)
DENIAL = 0.6  # value for ``counting`` of a point that the other player loses
NEXT_YAKU = 5  # assumed points of a yaku yet to be made


@rule
def act(rules, memory, view, mask, key):  # noqa: ARG001 - the protocol of bots
    """Return the action of the player to move."""
    player = memory.player
    if view.phase == PHASE_SWAP:
        return KEEP_HANDS
    if view.phase == PHASE_KOI:
        if memory.style == STYLE_STOP:
            return STOP
        return KOIKOI if memory.style == STYLE_KOI or should_call(rules, view, player) else STOP
    best, best_value = -1, -1e18
    cards = mask[0] & ALL_CARDS
    for k in range(popcount(cards)):
        card = nth_set_bit(cards, k)
        value = value_of(rules, view, player, card, memory.style)
        if value > best_value:
            best, best_value = card, value
    if has_bit(mask[0], HIKI) != ZERO:
        return HIKI
    return best if best >= 0 else lowest_card(mask[0])


@rule
def value_of(rules, view, player, card, style):
    """Return the value of playing or taking ``card``."""
    mine, theirs, field = view.captured[player], view.captured[1 - player], view.field
    if view.phase == PHASE_PLAY:
        taken = best_capture(rules, mine, theirs, field, card)
        left = field & ~taken if taken != ZERO else field | bit(card)
    else:
        taken = bit(card) | bit(GAJI if view.phase == PHASE_JOKER_TARGET else view.pending)
        left = field & ~taken
    value = pile_value(rules, mine | taken, theirs) - pile_value(rules, mine, theirs)
    if style != STYLE_COUNT:
        return value - 0.01 * pile_value(rules, bit(card), ZERO) * np.int64(taken == ZERO)
    value += DENIAL * (pile_value(rules, theirs, mine) - pile_value(rules, theirs, mine | taken))
    if view.phase == PHASE_PLAY:
        value += value_of_draw(rules, view, mine | taken, theirs, left)
    return value - DENIAL * value_given_away(rules, view, mine | taken, theirs, left, bit(card))


@rule
def value_of_draw(rules, view, pile, theirs, field):
    """Return the mean value of what the next card from the deck captures; every unseen card is equally likely."""
    cards = unseen(view)
    count, total, before = popcount(cards), 0.0, pile_value(rules, pile, theirs)
    for k in range(count):
        card = nth_set_bit(cards, k)
        if field & month_set(month_of(card)) != ZERO:
            total += pile_value(rules, pile | best_capture(rules, pile, theirs, field, card), theirs) - before
    return total / max(count, 1)


@rule
def value_given_away(rules, view, mine, theirs, field, played):
    """Return the value that the other player can expect to take from the field on the next turn.

    It is the maximum over the field's cards of the gain times the probability of holding a card of that month.
    """
    hidden = unseen(view)
    total, before = 0.0, pile_value(rules, theirs, mine)
    for k in range(popcount(field)):
        card = nth_set_bit(field, k)
        wanted = popcount(hidden & month_set(month_of(card)) & ~played)
        gain = pile_value(rules, theirs | bit(card), mine) - before
        total = max(total, probability_to_hold(wanted, hand_left(view), popcount(hidden)) * gain)
    return total


@rule
def probability_to_hold(wanted, size, hidden):
    """Return the probability that ``size`` of ``hidden`` cards contain one of ``wanted``."""
    missed = 1.0
    for k in range(wanted):
        missed *= max(hidden - size - k, 0) / max(hidden - k, 1)
    return 1.0 - missed


# --- Whether to call Koi-Koi ------------------------------------------------------------------------------------------


@rule
def should_call(rules, view, player):
    """Whether Koi-Koi has more expected points than stopping, estimated by counting cards."""
    now = final_points(rules, view, player) * 1.0
    turns = popcount(view.hand[player])
    mine = probability_of_yaku(rules, view, player, True)
    theirs = probability_of_yaku(rules, view, 1 - player, False)
    win, lose, undecided = 0.0, 0.0, 1.0
    for _ in range(turns):
        lose += undecided * theirs
        undecided *= 1.0 - theirs
        win += undecided * mine
        undecided *= 1.0 - mine
    return win * points_if_won(rules, view, player) - lose * points_if_lost(rules, view, player) > now


@rule
def points_if_won(rules, view, player):
    """Return the points for stopping after one more yaku."""
    base = np.int64(view.base_points[player]) + NEXT_YAKU
    points = base * 1.0
    if rules.own_koi == OWN_KOI_CHAIN:
        points *= view.chain[player] + 1
    elif rules.own_koi:
        points += view.koikoi_called[player] + 1
    if view.koikoi_called[1 - player]:
        points *= rules.opponent_koi_factor
    return points * rules.seven_factor if base >= rules.seven else points


@rule
def points_if_lost(rules, view, player):
    """Return the points that the other player gets for stopping first."""
    base = np.int64(view.base_points[1 - player]) + NEXT_YAKU
    points = base * rules.opponent_koi_factor * 1.0
    return points * rules.seven_factor if base >= rules.seven else points


@rule
def probability_of_yaku(rules, view, player, is_me):
    """Return the probability that a player makes new points on a turn, from the cards that would score."""
    pile = view.captured[player]
    had = base_of(rules, pile, yaku_of(rules, pile), view.koikoi_called[player] > 0)
    hidden = unseen(view)
    count = max(popcount(hidden), 1)
    size = popcount(view.hand[player]) if is_me else hand_left(view)
    rest = ALL_CARDS & ~(view.captured[0] | view.captured[1])
    missed = 1.0
    for card in range(CARDS):
        if has_bit(rest, card) == ZERO:
            continue
        more = pile | bit(card)
        if base_of(rules, more, yaku_of(rules, more), view.koikoi_called[player] > 0) <= had:
            continue
        missed *= 1.0 - probability_to_take(view, player, card, hidden, count, size, is_me)
    return 1.0 - missed


@rule
def probability_to_take(view, player, card, hidden, count, size, is_me):
    """Return the probability that a player takes ``card`` on a turn: by a hand card, a drawn card, or playing it."""
    month = month_set(month_of(card))
    on_field = has_bit(view.field, card) != ZERO
    partners = month & hidden
    if is_me and view.hand[player] & bit(card) != ZERO:
        return 1.0 if view.field & month != ZERO else popcount(partners) / count
    if on_field:
        if is_me and view.hand[player] & month != ZERO:
            return 1.0
        by_hand = 0.0 if is_me else probability_to_hold(popcount(partners), size, count)
        return min(1.0, by_hand + popcount(partners) / count)
    if has_bit(hidden, card) == ZERO:  # already captured by the other player
        return 0.0
    has_place = view.field & month != ZERO
    by_deck = 1.0 / count
    by_hand = 0.0 if is_me else size / count
    return by_hand + by_deck if has_place else 0.1 * by_deck


GREEDY_STOP = Bot(name="greedy_stop", act=act, style=STYLE_STOP)
ALWAYS_KOI = Bot(name="always_koi", act=act, style=STYLE_KOI)
COUNTING = Bot(name="counting", act=act, style=STYLE_COUNT)
