"""A walk through all that may still happen in a round: every action, every card from the deck.

With open hands the rest of a round is a game of perfect information, whose value (the lead of player 0 in points) is
worked out from its end (expectimax): the mean over the cards that may be drawn, the best over the actions of the player
to move. `walk` does that for one deal. On its way the game can be written down as it is with *closed* hands (see
`benchmarks.strength.solvers.koikoi.written_game`), by two rules that it is given:

* ``choice_of(s, way, game)``: the number of the first action where a player chooses, `NOT_WRITTEN` if it is not kept;
* ``end_of(way, value, game)``: nothing that is hidden matters behind this way, whose value is known.

Rules are asked, not repeated: a step of the engine is made with every card that it may turn up.
"""

import numpy as np

from hanabako.compiler.jit import interned, rule
from hanabako.engine.bits import ONE, ZERO, bit, popcount
from hanabako.engine.rng import mix64
from hanafuda_env.engine.cards import ALL_CARDS
from hanafuda_env.engine.rules import legal_actions, step
from hanafuda_env.engine.state import PHASE_END, TURNS

from ...bots.koikoi.judgement import lowest_card
from .one_round import ROUND_STATE, lead_of

__all__ = ["NOT_WRITTEN", "enter", "no_choice", "no_end", "walk", "walk_scratch"]

DEPTH = 48
"""Decisions in a row, at most: four in a turn with a card in hand (hand, field, drawn card, call), and eight turns."""
NOT_WRITTEN = np.int64(-1)

WAY = interned(
    np.dtype(
        [
            ("options", np.uint64),  # actions that are still to be tried
            ("draws", np.uint64),  # cards that the present action is still to meet
            ("history", np.uint64),  # what all have seen since the root, as a number
            ("action", np.int64),  # the present one, -1: none yet
            ("count", np.int64),  # ways that the present action has led to
            ("total", np.float64),  # their values
            ("best", np.float64),  # of the actions that are done
            ("probability", np.float64),  # of the deal and the draws that lead here
            ("player", np.int64),  # who acts
            ("plans", np.int64, (2,)),  # the numbers of the players' last actions that lead here
            ("first", np.int64),  # the number of the first action, or `NOT_WRITTEN`
            ("index", np.int64),  # of the present action among all
            ("is_open", np.bool_),  # nothing is hidden any more
        ],
        align=True,
    )
)


def walk_scratch() -> tuple[np.ndarray, np.ndarray]:
    """The arrays that a walk writes to: positions, the root first, and how far each is worked out."""
    return np.zeros(DEPTH, ROUND_STATE), np.zeros(DEPTH, WAY)


@rule
def deck_of(s):
    """The cards that are in the deck."""
    return ALL_CARDS & ~(s.hand[0] | s.hand[1] | s.field | s.captured[0] | s.captured[1] | bit(s.pending))


@rule
def no_choice(s, way, game):  # noqa: ARG001 - as that of a writer
    """``choice_of`` of a walk that is not written down."""
    return NOT_WRITTEN


@rule
def no_end(way, value, game):
    """``end_of`` of a walk that is not written down."""


@rule
def walk(rules, states, ways, game, choice_of, end_of):
    """The value of ``states[0]`` with open hands; ``ways[0]`` is as `enter` has left it.

    Actions with a number leave their values in ``game.opened[player]``, times the probability that cards lead there.
    """
    depth = 0
    while True:
        s, way = states[depth], ways[depth]
        if way.draws == ZERO:
            if way.action >= 0:
                end_action(way, game)
            if way.options == ZERO:
                if depth == 0:
                    return way.best
                depth -= 1
                receive(ways[depth], way.best, way, way.is_open, game, end_of)
                continue
            way.action = lowest_card(way.options)
            way.options &= way.options - ONE
            way.draws = deck_of(s)
            way.total = 0.0
            way.count = 0
            way.index += 1
        states[depth + 1] = s
        after = states[depth + 1]
        go_on(rules, s, way, after, ways[depth + 1])
        if after.phase == PHASE_END:
            receive(way, np.float64(lead_of(after, 0)), ways[depth + 1], True, game, end_of)
        else:
            enter(rules, after, ways[depth + 1], game, way.is_open, choice_of)
            depth += 1


@rule
def go_on(rules, s, way, after, its_way):
    """Make the present action in ``after``, a copy of ``s``, with the next card that it may turn up."""
    card = lowest_card(way.draws)
    way.draws &= way.draws - ONE
    drawn = np.int64(after.drawn)
    after.deck[drawn] = card
    step(rules, after, way.action)
    its_way.probability = way.probability
    its_way.history = mix64(way.history ^ np.uint64(64 + way.action))
    if after.drawn == drawn:
        way.draws = ZERO
    else:
        its_way.probability /= popcount(deck_of(s))
        its_way.history = mix64(its_way.history ^ np.uint64(256 + card))
    its_way.plans[0] = way.plans[0]
    its_way.plans[1] = way.plans[1]
    if way.first >= 0:
        its_way.plans[way.player] = way.first + way.index


@rule
def enter(rules, s, way, game, is_open, choice_of):
    """Look at a position for the first time."""
    way.options = legal_actions(rules, s)
    way.draws = ZERO
    way.action = -1
    way.index = -1
    way.player = np.int64(s.current_player)
    way.best = -np.inf if way.player == 0 else np.inf
    way.is_open = is_open or s.turn == TURNS
    way.first = NOT_WRITTEN
    if not way.is_open and popcount(way.options) > 1:
        way.first = choice_of(s, way, game)


@rule
def end_action(way, game):
    """All ways of the present action are known."""
    value = way.total / way.count
    way.best = max(way.best, value) if way.player == 0 else min(way.best, value)
    if way.first >= 0:
        game.opened[way.player, way.first + way.index] += way.probability * value


@rule
def receive(way, value, after, ends, game, end_of):
    """One way of the present action, ``after``, is known; ``ends``: nothing that is hidden matters behind it."""
    way.total += value
    way.count += 1
    if ends and not way.is_open:
        end_of(after, value, game)
