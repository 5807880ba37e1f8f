"""Exact look-ahead for two players: the player's turn and the other's reply.

A turn is expanded with the odds of the cards that the player has not seen: what each draw brings, whether to refuse it
at the price asked, and which card the last refusal offers to the other. For each end of the turn all replies are
expanded: the other buys that card, or draws, keeps and refuses, in the way that is worst for the player who looks
ahead. Positions beyond the reply, at the horizon, are valued as follows:

* in the last round, by the probability to win that `agents.search.ikebana.relaxed` has;
* in earlier rounds, by the probability of a lead, which is assumed to be normal, with the mean and variance of both
  bouquets if they are completed for points, and with `SPREAD` for each later round;
* if ``reward`` is not ``"win"``, by the mean of that lead.

Two simplifications: during the look-ahead the odds stay as they are now, whichever cards are drawn; and buried cards
count as unseen, so they are as likely to be drawn as those in the deck (with ``perfect_recall`` they are seen).
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
from .relaxed import BEGINS, MOST_LEFT, ROUND_TURNS, bouquet_values, kind_of, last_round, won

SPREAD = 21.0
"""The standard deviation of a round's lead, in points, under the normal assumption. With this value the normal
probabilities are closest to the solved ones for two and three rounds, and fit those of played games: see
``ikebana_env/README.md``. (Real leads spread wider, as a player who is behind pays for small chances.)"""
RICH, WIDEST = 80, 60
"""If both players have `RICH` prestige together, neither runs out of it in the last round unless that player has lost
anyway. Leads wider than `WIDEST` have the value of `WIDEST`."""
STEPS = 64
VALUE_INDEX = {DRAW: 0, REFUSE: 0, KEEP: 1}
"""The index of an action's value among the values of `lookahead_loop`; a purchase has index 2."""
FURTHEST = 6
"""Beyond this many standard deviations a normal probability counts as 0 or 1."""
NORMAL = np.array([0.5 * math.erfc((FURTHEST - i / STEPS) / math.sqrt(2)) for i in range(2 * FURTHEST * STEPS + 1)])
"""The normal distribution function, in `STEPS` steps per standard deviation."""


class Lookahead(NamedTuple):
    """The arrays that a look-ahead reads and writes."""

    solved: NDArray[np.uint16]
    """The probabilities of `agents.search.ikebana.relaxed.last_round`, one turn after another."""
    offsets: NDArray[np.int64]
    """(ROUND_TURNS + 1,): the index in `solved` at which each turn's probabilities begin."""
    widest: int
    """The widest lead in `solved`."""
    means: NDArray[np.float64]
    variances: NDArray[np.float64]
    """(2, kinds, MOST_LEFT + 1), as ``means``: those of `bouquet_values`, in earlier rounds and in the last."""
    views: NDArray[Any]
    """(1,): the view of the player to move."""
    unseen: NDArray[np.int64]
    """(KINDS,): the number of copies of each card that the player to move does not see."""
    mine: NDArray[np.int64]
    theirs: NDArray[np.int64]
    """(KINDS,), as ``mine``: the kind of a player's bouquet after adding each card; -1 if impossible."""
    kept: NDArray[np.float64]
    """(KINDS, KINDS + 1): the value of keeping a card, by the top of the player's discard; `KINDS` if there is none."""
    drawn: NDArray[np.float64]
    """(2, KINDS + 1): the value of drawing again, by the top of the player's discard; row 1 is a work array, with one
    more refusal."""


class Horizon(NamedTuple):
    """How positions at the horizon are valued; constant during a look-ahead."""

    mode: int
    """`POINTS`, `NORMALLY` or `SOLVED`."""
    level: int
    """1 in the last round, which has its own bouquet values; else 0."""
    offset: int
    """The index in `Lookahead.solved` at which the probabilities of the horizon's turn begin."""
    first_mover_kind: int
    first_other_kind: int
    """The first kind of bouquets that the player to move, or the other player, may have at the horizon."""
    num_other_kinds: int
    """The number of kinds that the other's bouquet may have there."""
    spread: float
    """The variance of the lead from later rounds."""
    theirs: int
    """The kind of the other's bouquet now."""
    replies: bool
    """Whether the other's reply is expanded."""


POINTS, NORMALLY, SOLVED = range(3)


def new_lookahead(config: Any, dtype: np.dtype) -> Lookahead:
    """Return the arrays of `best_action` for games of ``config`` with states of ``dtype``; takes about a second."""
    factor = 2 if config.final_bouquet else 1
    poor = 2 * START_PRESTIGE
    total, widest = (poor, poor) if config.rounds == 1 else (RICH, WIDEST)
    solved, offsets = np.zeros(0, np.uint16), np.zeros(ROUND_TURNS + 1, np.int64)
    if config.reward == "win":
        solved, offsets = last_round(total, factor, widest)
    means, variances = np.stack([bouquet_values(1), bouquet_values(factor)], axis=1)
    return Lookahead(
        solved=solved,
        offsets=offsets,
        widest=widest,
        means=means,
        variances=variances,
        views=np.zeros(1, dtype),
        unseen=np.zeros(KINDS, np.int64),
        mine=np.zeros(KINDS, np.int64),
        theirs=np.zeros(KINDS, np.int64),
        kept=np.zeros((KINDS, KINDS + 1)),
        drawn=np.zeros((2, KINDS + 1)),
    )


@cache
def lookahead_loop() -> Callable[..., None]:
    """Return the loop ``(rules_array, tables, seats, lookahead, actions, values)``.

    If a player in ``seats`` (N,) is to move, its action is written to ``actions`` (N,). The values of drawing (again),
    of keeping, and of buying are written to ``values`` (N, 3), ``nan`` for what is not possible.
    """
    rules_of = reader_of(Rules, None)
    digest = digest_of(hide, best_action, lookahead_loop)

    @kernel
    def choose(rules_array, tables, seats, lookahead, actions, values):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            table = tables[i]
            player = np.int64(table.current_player)
            if not table.terminated and has_bit(seats[i], player) != ZERO:
                lookahead.views[0] = table.state
                hide(rules, lookahead.views[0], player)
                actions[i] = best_action(rules, lookahead.views[0], table.mask[0], lookahead, values[i])

    return choose


# --- The player's turn ------------------------------------------------------------------------------------------------


@subroutine
def best_action(rules, view, mask, lookahead, values):
    """Return the best action of the player to move, and write the values of its choices; see `lookahead_loop`."""
    player = np.int64(view.current_player)
    mine, theirs = view.bouquets[player], view.bouquets[1 - player]
    my_prestige, their_prestige = np.int64(view.prestige[player]), np.int64(view.prestige[1 - player])
    top, refusals = top_of_discard(view, player), np.int64(view.refusals)
    if top == NO_CARD:
        top = KINDS
    horizon = horizon_of(rules, view, lookahead, mine, theirs)
    note_kinds(rules, view, lookahead, mine, theirs)
    values[:] = np.nan
    if view.drawn != NO_CARD:
        drawn = np.int64(view.drawn)
        note_kept(lookahead, horizon, drawn, my_prestige, their_prestige)
        values[1] = lookahead.kept[drawn, top]
        if has_bit(mask, REFUSE) == ZERO:
            return KEEP
        price = refusals + 1
        plan_turn(lookahead, horizon, price, my_prestige - price, their_prestige + price)
        values[0] = lookahead.drawn[0, drawn]
        return REFUSE if values[0] > values[1] else KEEP
    if has_bit(mask, BUY + 1) != ZERO:
        offered = top_of_discard(view, 1 - player)
        price = value_of(offered)
        note_kept(lookahead, horizon, offered, my_prestige - price, their_prestige + price)
        values[2] = lookahead.kept[offered, top]
    plan_turn(lookahead, horizon, 0, my_prestige, their_prestige)
    values[0] = lookahead.drawn[0, top]
    return BUY + 1 if values[2] > values[0] else DRAW


@rule
def variance_of_rounds(rules, left):
    """Return the variance of the lead that the last ``left`` rounds bring; I15 doubles the gains of the last one."""
    variance = 0.0
    for later in range(rules.rounds - left, rules.rounds):
        variance += (SPREAD * gain_factor(rules, later)) ** 2
    return variance


@rule
def horizon_of(rules, view, lookahead, mine, theirs):
    """Return the `Horizon` for the player with the bouquet ``mine``."""
    turn = min(popcount(mine) + popcount(theirs) + 2, ROUND_TURNS)
    left = rules.rounds - 1 - np.int64(view.round_index)
    mode = POINTS if rules.reward != REWARD_WIN else SOLVED if left == 0 and turn < ROUND_TURNS else NORMALLY
    mover_size, other_size = turn // 2, min((turn + 1) // 2, BOUQUET_SIZE)
    return Horizon(
        mode,
        1 if left == 0 else 0,
        lookahead.offsets[turn],
        BEGINS[mover_size],
        BEGINS[other_size],
        BEGINS[other_size + 1] - BEGINS[other_size],
        variance_of_rounds(rules, left),
        kind_of(theirs),
        bool(popcount(theirs) < BOUQUET_SIZE),
    )


@rule
def note_kinds(rules, view, lookahead, mine, theirs):
    """Count the unseen cards, and write the kinds of both bouquets after adding each card."""
    count_unseen(rules, lookahead, view)
    for card in range(KINDS):
        lookahead.mine[card] = kind_of(with_card(mine, card)) if can_join(mine, card) else -1
        lookahead.theirs[card] = kind_of(with_card(theirs, card)) if can_join(theirs, card) else -1


@rule
def can_join(cards, card):
    """Whether a bouquet is incomplete and does not have all copies of the card."""
    return popcount(cards) < BOUQUET_SIZE and popcount(cards & all_copies(card)) < copies(card)


@subroutine
def plan_turn(lookahead, horizon, refusals, my_prestige, their_prestige):
    """Write the values of drawing after ``refusals`` refusals to ``lookahead.drawn[0]``, by the player's top discard.

    A refused card becomes the top, so only before the first refusal there may be none.
    """
    most, paid = payable(my_prestige, refusals, MOST_REFUSALS)
    lookahead.drawn[0, :] = -np.inf
    for refused in range(most, refusals - 1, -1):
        for card in range(KINDS):
            if lookahead.unseen[card] > 0:
                twin = twin_of(lookahead, card)
                if twin < card:
                    lookahead.kept[card] = lookahead.kept[twin]
                else:
                    note_kept(lookahead, horizon, card, my_prestige - paid, their_prestige + paid)
        lookahead.drawn[1] = lookahead.drawn[0]
        for top in range(KINDS + 1):
            total, count = 0.0, 0
            for card in range(KINDS):
                number = lookahead.unseen[card]
                if number > 0:
                    total += number * max(lookahead.kept[card, top], lookahead.drawn[1, card])
                    count += number
            lookahead.drawn[0, top] = total / count
        paid -= refused


@rule
def twin_of(lookahead, card):
    """Return the first card that may be drawn and leads to the same kind of bouquet."""
    twin = 0
    while lookahead.unseen[twin] == 0 or lookahead.mine[twin] != lookahead.mine[card]:
        twin += 1
    return twin


# --- The other's reply ------------------------------------------------------------------------------------------------


@subroutine
def note_kept(lookahead, horizon, card, my_prestige, their_prestige):
    """Write the values of ending the turn with ``card`` to ``lookahead.kept``, by the top of the player's discard."""
    mine, row = lookahead.mine[card], lookahead.kept[card]
    if not horizon.replies:
        row[:] = horizon_value(lookahead, horizon, mine, my_prestige, horizon.theirs, their_prestige)
        return
    most, paid = payable(their_prestige, 0, MOST_REFUSALS)
    worst = np.inf
    for price in range(most, -1, -1):
        total, count = 0.0, 0
        for reply in range(KINDS):
            number = lookahead.unseen[reply]
            if number > 0:
                theirs = lookahead.theirs[reply]
                value = horizon_value(lookahead, horizon, mine, my_prestige + paid, theirs, their_prestige - paid)
                total += number * min(value, worst)
                count += number
        worst = total / count
        paid -= price
    row[:] = worst
    for top in range(KINDS):
        price = value_of(top)
        if price <= their_prestige and lookahead.theirs[top] >= 0:
            theirs = lookahead.theirs[top]
            bought = horizon_value(lookahead, horizon, mine, my_prestige + price, theirs, their_prestige - price)
            row[top] = min(worst, bought)


# --- The horizon ------------------------------------------------------------------------------------------------------


@rule
def horizon_value(lookahead, horizon, mine, my_prestige, theirs, their_prestige):
    """Return the value of a position at the horizon, given both bouquets' kinds and both players' prestige."""
    lead = my_prestige - their_prestige
    if horizon.mode == SOLVED:
        return solved_probability(lookahead, horizon, mine, theirs, lead)
    level, my_prestige, their_prestige = horizon.level, min(my_prestige, MOST_LEFT), min(their_prestige, MOST_LEFT)
    mean = lead + lookahead.means[level, mine, my_prestige] - lookahead.means[level, theirs, their_prestige]
    if horizon.mode == POINTS:
        return mean
    variances = lookahead.variances[level]
    return normal_probability(mean, variances[mine, my_prestige] + variances[theirs, their_prestige] + horizon.spread)


@rule
def solved_probability(lookahead, horizon, mover, other, lead):
    """Return the solved probability that the player to move wins, given both kinds and its lead."""
    pair = (mover - horizon.first_mover_kind) * horizon.num_other_kinds + other - horizon.first_other_kind
    first = horizon.offset + pair * (lookahead.widest + 1)
    # solved leads are two apart: a lead in between gets the mean of both
    doubled = min(max(lead + lookahead.widest, 0), 2 * lookahead.widest)
    both = np.int64(lookahead.solved[first + doubled // 2]) + lookahead.solved[first + (doubled + 1) // 2]
    return both / (2 * 65535)


@rule
def normal_probability(mean, variance):
    """Return the probability that a normal lead with this mean and variance is positive; a tie is half a win."""
    if variance < 1e-9:
        return won(mean)
    steps = (mean / math.sqrt(variance) + FURTHEST) * STEPS
    if steps <= 0 or steps >= 2 * FURTHEST * STEPS:
        return 1.0 if steps > 0 else 0.0
    step = int(steps)
    return NORMAL[step] + (steps - step) * (NORMAL[step + 1] - NORMAL[step])
