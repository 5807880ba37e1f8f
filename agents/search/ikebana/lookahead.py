"""Exact look-ahead for two: one's own turn and the other's reply, to win.

A turn is looked through with the odds of the cards that the player has not seen: what each draw would bring, whether to
refuse it at the price that is asked, what the last refused card then offers to the other, and for each of these ends of
the turn all that the other may answer: buy that card, or draw, keep and refuse, as is worst for the player who looks
ahead. What is left of the game beyond that has a chance to win:

* in the last round what `agents.search.ikebana.relaxed` solved, by the kinds of both bouquets and the lead;
* in rounds before it the lead to come is taken to be normal, with the mean and the variance that both bouquets have if
  they are filled for points, and with `SPREAD` for each round after it;
* with another ``reward`` than ``"win"`` it is no chance but the mean of the lead itself.

Two things are relaxed: while looking ahead, the odds stay as they are now, whichever cards are drawn on the way; and
buried cards count as not seen, so that they are as likely to come as those of the deck (with ``perfect_recall`` they
are seen).
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, rule, subroutine
from hanabako.engine.bits import ZERO, has_bit, popcount
from hanabako.engine.loops import reader_of
from ikebana_env.engine.actions import BUY, DRAW, KEEP, REFUSE
from ikebana_env.engine.cards import all_copies, copies, value_of, with_card
from ikebana_env.engine.private_view import hide
from ikebana_env.engine.rules import gain_factor, top_of_discard
from ikebana_env.engine.state import BOUQUET_SIZE, KINDS, NO_CARD, REWARD_WIN, START_PRESTIGE, Rules

from ...bots.ikebana.odds import MOST_REFUSALS, count_unseen, payable
from .kinds import BEGINS, MOST_LEFT, kind_of, worths
from .relaxed import MOMENTS, last_round, won

__all__ = ["SPREAD", "WORTH_OF", "Ahead", "ahead_loop", "best_action", "room_for"]

SPREAD = 21.0
"""What the standard deviation of a round's lead is to whoever takes leads to be normal, in points. With it normal
chances are nearest to the solved ones of two and three rounds, and fit those of games that were played: see
`benchmarks.strength.ikebana_prestige`. (The lead itself spreads wider, as whoever is behind pays for small
chances.)"""
RICH, WIDEST = 80, 60
"""With so much prestige together nobody runs out of it in the last round unless all is lost; and leads beyond the
widest are worth as much as that."""
STEPS = 64
WORTH_OF = {DRAW: 0, REFUSE: 0, KEEP: 1}
"""Which of the worths of `ahead_loop` is an action's; a purchase is the third."""
FURTHEST = 6
"""Beyond so many standard deviations a normal chance is 0 or 1."""
NORMAL = np.array([0.5 * math.erfc((FURTHEST - i / STEPS) / math.sqrt(2)) for i in range(2 * FURTHEST * STEPS + 1)])
"""The normal distribution, in `STEPS` steps for each standard deviation."""


class Ahead(NamedTuple):
    """What a look-ahead reads, and its room."""

    turns: NDArray[np.int64]
    """(1,): 1 looks through one's own turn, 2 also through the reply."""
    last: NDArray[np.uint16]
    """The chances of `agents.search.ikebana.relaxed.last_round`, one moment after another."""
    begins: NDArray[np.int64]
    """(MOMENTS + 1,): where the moments begin in `last`."""
    widest: int
    """The widest lead of `last`."""
    means: NDArray[np.float64]
    """(2, kinds, MOST_LEFT + 1): `agents.search.ikebana.kinds.Worths` of rounds before the last one, and of that."""
    variances: NDArray[np.float64]
    views: NDArray[Any]
    prices: NDArray[np.int64]
    """(KINDS,): what each card costs (I7); a small game has fewer kinds."""
    unseen: NDArray[np.int64]
    """(KINDS,): cards that the player to move does not see."""
    own: NDArray[np.int64]
    """(KINDS,): the kind of the own bouquet with each card."""
    theirs: NDArray[np.int64]
    kept: NDArray[np.float64]
    """(KINDS, KINDS + 1): what keeping a card is worth, by the top of one's discard; `KINDS` if there is none."""
    drawn: NDArray[np.float64]
    """(2, KINDS + 1): what it is worth to draw again, by that top, after one refusal more and after as many as now."""


class Position(NamedTuple):
    """What does not change while looking ahead."""

    mode: int
    """`POINTS`, `NORMALLY` or `SOLVED`: how what lies beyond is valued."""
    level: int
    """1 in the last round, which has worths of its own."""
    begin: int
    """Where the moment of the horizon begins in `Ahead.last`,"""
    mover: int
    """the first kind of the player to move there, the first kind of the other, and how many these are."""
    other: int
    others: int
    spread: float
    """The variance of the lead that later rounds will bring."""
    theirs: int
    """The kind of the other's bouquet."""
    replies: bool
    """The other's reply is looked through."""


POINTS, NORMALLY, SOLVED = range(3)


def room_for(config: Any, dtype: np.dtype, turns: int) -> Ahead:
    """What `best_action` needs for games of ``config``, whose states are of ``dtype``; made in a second or so."""
    factor = 2 if config.final_bouquet else 1
    poor = 2 * START_PRESTIGE
    total, widest = (poor, poor) if config.rounds == 1 else (RICH, WIDEST)
    last, begins = np.zeros(0, np.uint16), np.zeros(MOMENTS + 1, np.int64)
    if config.reward == "win":
        last, begins = last_round(total, factor, widest)
    by_factor = [worths(1), worths(factor)]
    return Ahead(
        turns=np.array([turns]),
        last=last,
        begins=begins,
        widest=widest,
        means=np.stack([one.mean for one in by_factor]),
        variances=np.stack([one.variance for one in by_factor]),
        views=np.zeros(1, dtype),
        prices=np.array([value_of(card) for card in range(KINDS)]),
        unseen=np.zeros(KINDS, np.int64),
        own=np.zeros(KINDS, np.int64),
        theirs=np.zeros(KINDS, np.int64),
        kept=np.zeros((KINDS, KINDS + 1)),
        drawn=np.zeros((2, KINDS + 1)),
    )


@cache
def ahead_loop() -> Callable[..., None]:
    """The loop: ``(rules_array, tables, seats, ahead, actions, worths)``.

    Where a player of ``seats`` (N,) is to move, its action goes to ``actions`` (N,), and what drawing or drawing again,
    keeping, and buying are worth to ``worths`` (N, 3); ``nan`` where that is no choice.
    """
    rules_of = reader_of(Rules, None)
    digest = digest_of(hide, best_action, ahead_loop)

    @kernel
    def choose(rules_array, tables, seats, ahead, actions, worths):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            table = tables[i]
            player = np.int64(table.current_player)
            if not table.terminated and has_bit(seats[i], player) != ZERO:
                ahead.views[0] = table.state
                hide(rules, ahead.views[0], player)
                actions[i] = best_action(rules, ahead.views[0], table.mask[0], ahead, worths[i])

    return choose


# --- One's own turn ---------------------------------------------------------------------------------------------------


@subroutine
def best_action(rules, view, mask, ahead, worths):
    """The best action of the player to move, and to ``worths`` what its choices are worth, see `ahead_loop`."""
    player = np.int64(view.current_player)
    mine, theirs = view.bouquets[player], view.bouquets[1 - player]
    own, other = np.int64(view.prestige[player]), np.int64(view.prestige[1 - player])
    top, refusals = top_of_discard(view, player), np.int64(view.refusals)
    if top == NO_CARD:
        top = KINDS
    position = position_of(rules, view, ahead, mine, theirs)
    note_kinds(rules, view, ahead, mine, theirs)
    worths[:] = np.nan
    if view.drawn != NO_CARD:
        drawn = np.int64(view.drawn)
        note_kept(ahead, position, drawn, own, other)
        worths[1] = ahead.kept[drawn, top]
        if has_bit(mask, REFUSE) == ZERO:
            return KEEP
        price = refusals + 1
        plan_turn(ahead, position, price, own - price, other + price)
        worths[0] = ahead.drawn[0, drawn]
        return REFUSE if worths[0] > worths[1] else KEEP
    if has_bit(mask, BUY + 1) != ZERO:
        offered = top_of_discard(view, 1 - player)
        price = value_of(offered)
        note_kept(ahead, position, offered, own - price, other + price)
        worths[2] = ahead.kept[offered, top]
    plan_turn(ahead, position, 0, own, other)
    worths[0] = ahead.drawn[0, top]
    return BUY + 1 if worths[2] > worths[0] else DRAW


@rule
def position_of(rules, view, ahead, mine, theirs):
    """The `Position` from which the player with the bouquet ``mine`` looks ahead."""
    moment = min(popcount(mine) + popcount(theirs) + ahead.turns[0], MOMENTS)
    left = rules.rounds - 1 - np.int64(view.round_index)
    mode = POINTS if rules.reward != REWARD_WIN else SOLVED if left == 0 and moment < MOMENTS else NORMALLY
    spread = 0.0
    for later in range(rules.rounds - left, rules.rounds):
        spread += (SPREAD * gain_factor(rules, later)) ** 2
    replies = bool(ahead.turns[0] > 1 and popcount(theirs) < BOUQUET_SIZE)
    size, others = moment // 2, min((moment + 1) // 2, BOUQUET_SIZE)
    return Position(
        mode,
        1 if left == 0 else 0,
        ahead.begins[moment],
        BEGINS[size],
        BEGINS[others],
        BEGINS[others + 1] - BEGINS[others],
        spread,
        kind_of(theirs),
        replies,
    )


@rule
def note_kinds(rules, view, ahead, mine, theirs):
    """Count the unseen cards, and write down the kinds of both bouquets with each card; -1 where that cannot be."""
    count_unseen(rules, ahead, view)
    for card in range(KINDS):
        ahead.own[card] = kind_of(with_card(mine, card)) if can_join(mine, card) else -1
        ahead.theirs[card] = kind_of(with_card(theirs, card)) if can_join(theirs, card) else -1


@rule
def can_join(cards, card):
    """A bouquet lacks a card, and not all copies of this one are in it."""
    return popcount(cards) < BOUQUET_SIZE and popcount(cards & all_copies(card)) < copies(card)


@subroutine
def plan_turn(ahead, position, refusals, own, other):
    """To ``ahead.drawn[0]`` what drawing is worth after that many refusals, by the top of one's discard.

    ``own`` and ``other`` are what both then have. After a refusal its card is the top, so that only before the first
    one there may be none.
    """
    most, paid = payable(own, refusals, MOST_REFUSALS)
    ahead.drawn[0, :] = -np.inf
    kinds = ahead.unseen.shape[0]
    for taken in range(most, refusals - 1, -1):
        for card in range(kinds):
            if ahead.unseen[card] > 0:
                twin = twin_of(ahead, card)
                if twin < card:
                    ahead.kept[card] = ahead.kept[twin]
                else:
                    note_kept(ahead, position, card, own - paid, other + paid)
        ahead.drawn[1] = ahead.drawn[0]
        for top in range(kinds + 1):
            total, count = 0.0, 0
            for card in range(kinds):
                number = ahead.unseen[card]
                if number > 0:
                    total += number * max(ahead.kept[card, top], ahead.drawn[1, card])
                    count += number
            ahead.drawn[0, top] = total / count
        paid -= taken


@rule
def twin_of(ahead, card):
    """The first card that may be drawn and makes the same of the bouquet."""
    twin = 0
    while ahead.unseen[twin] == 0 or ahead.own[twin] != ahead.own[card]:
        twin += 1
    return twin


# --- The other's reply ------------------------------------------------------------------------------------------------


@subroutine
def note_kept(ahead, position, card, own, other):
    """To ``ahead.kept`` what a turn is worth that ends with this card in the bouquet, by the top of one's discard.

    ``own`` and ``other`` are what both then have.
    """
    mine, row = ahead.own[card], ahead.kept[card]
    if not position.replies:
        row[:] = beyond(ahead, position, mine, own, position.theirs, other)
        return
    most, paid = payable(other, 0, MOST_REFUSALS)
    kinds, worst = ahead.unseen.shape[0], np.inf
    for price in range(most, -1, -1):
        total, count = 0.0, 0
        for reply in range(kinds):
            number = ahead.unseen[reply]
            if number > 0:
                worth = beyond(ahead, position, mine, own + paid, ahead.theirs[reply], other - paid)
                total += number * min(worth, worst)
                count += number
        worst = total / count
        paid -= price
    row[:] = worst
    for top in range(kinds):
        price = ahead.prices[top]
        if price <= other and ahead.theirs[top] >= 0:
            row[top] = min(worst, beyond(ahead, position, mine, own + price, ahead.theirs[top], other - price))


# --- The horizon ------------------------------------------------------------------------------------------------------


@rule
def beyond(ahead, position, mine, own, theirs, other):
    """What a position at the horizon is worth: the kinds of both bouquets, and what both have."""
    lead = own - other
    if position.mode == SOLVED:
        if ahead.turns[0] == 1:  # the other is to move
            return 1.0 - solved(ahead, position, theirs, mine, -lead)
        return solved(ahead, position, mine, theirs, lead)
    own, other = min(own, MOST_LEFT), min(other, MOST_LEFT)
    mean = lead + ahead.means[position.level, mine, own] - ahead.means[position.level, theirs, other]
    if position.mode == POINTS:
        return mean
    variances = ahead.variances[position.level]
    return normally(mean, variances[mine, own] + variances[theirs, other] + position.spread)


@rule
def solved(ahead, position, mover, other, lead):
    """The solved chance of the player to move."""
    place = (mover - position.mover) * position.others + other - position.other
    first = position.begin + place * (ahead.widest + 1)
    doubled = min(max(lead + ahead.widest, 0), 2 * ahead.widest)  # leads are two apart: one between is half of both
    return (np.int64(ahead.last[first + doubled // 2]) + ahead.last[first + (doubled + 1) // 2]) / (2 * 65535)


@rule
def normally(mean, variance):
    """The chance that a normal lead of that mean and variance is one; a tie is half a win."""
    if variance < 1e-9:
        return won(mean)
    steps = (mean / math.sqrt(variance) + FURTHEST) * STEPS
    if steps <= 0 or steps >= 2 * FURTHEST * STEPS:
        return 1.0 if steps > 0 else 0.0
    step = int(steps)
    return NORMAL[step] + (steps - step) * (NORMAL[step + 1] - NORMAL[step])
