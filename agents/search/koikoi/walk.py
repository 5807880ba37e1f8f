"""A walk through the whole rest of a round: every action, and every card from the deck.

With open hands the rest of a round is a game of perfect information. Its value (the lead of player 0 in points) is
computed by expectimax: the mean over the cards that may be drawn, the best over the actions of the player to move.
`walk` does that for one deal. During the walk, the game with *closed* hands can also be recorded (see
`benchmarks.strength.solvers.koikoi.written_game`), by two rules given as arguments:

* ``choice_of(s, way, game)`` returns the number of the first action at a player's choice, `NOT_WRITTEN` to skip it;
* ``end_of(way, value, game)`` is called for a way beyond which nothing hidden matters, with its value.

The game's rules are not repeated here: the engine makes a step with every card that it may turn up.
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
"""More than the longest sequence of decisions: four (hand, field, drawn card, call) in each of 8 turns with a card."""
NOT_WRITTEN = np.int64(-1)

WAY = interned(
    np.dtype(
        [
            ("options", np.uint64),  # actions still to be tried
            ("draws", np.uint64),  # cards still to be tried with the current action
            ("history", np.uint64),  # hash of what both players have seen since the root
            ("action", np.int64),  # the current action, -1 if none yet
            ("count", np.int64),  # ways finished after the current action
            ("total", np.float64),  # the sum of their values
            ("best", np.float64),  # the best value of the finished actions
            ("probability", np.float64),  # of the deal and the draws that lead here
            ("player", np.int64),  # the player to move
            ("plans", np.int64, (2,)),  # the numbers of the players' last actions that lead here
            ("first", np.int64),  # the number of the first action, or `NOT_WRITTEN`
            ("index", np.int64),  # index of the current action among all
            ("is_open", np.bool_),  # whether nothing is hidden any more
        ],
        align=True,
    )
)


def walk_scratch() -> tuple[np.ndarray, np.ndarray]:
    """Return the arrays to which a walk writes: the positions, root first, and the progress at each."""
    return np.zeros(DEPTH, ROUND_STATE), np.zeros(DEPTH, WAY)


@rule
def deck_of(s):
    """Return the cards in the deck."""
    return ALL_CARDS & ~(s.hand[0] | s.hand[1] | s.field | s.captured[0] | s.captured[1] | bit(s.pending))


@rule
def no_choice(s, way, game):  # noqa: ARG001 - same arguments as a recorder's
    """``choice_of`` for a walk that records nothing."""
    return NOT_WRITTEN


@rule
def no_end(way, value, game):
    """``end_of`` for a walk that records nothing."""


@rule
def walk(rules, states, ways, game, choice_of, end_of):
    """Return the value of ``states[0]`` with open hands; `enter` must have set ``ways[0]``.

    The values of numbered actions, times the probability of the cards, are added to ``game.opened[player]``.
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
    """Make the current action in ``after``, a copy of ``s``, with the next card that it may turn up."""
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
    """Initialize ``way`` for a new position."""
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
    """Take note of the current action's value, as all its ways are finished."""
    value = way.total / way.count
    way.best = max(way.best, value) if way.player == 0 else min(way.best, value)
    if way.first >= 0:
        game.opened[way.player, way.first + way.index] += way.probability * value


@rule
def receive(way, value, after, ends, game, end_of):
    """Add the value of one way ``after`` of the current action; ``ends``: nothing hidden matters beyond it."""
    way.total += value
    way.count += 1
    if ends and not way.is_open:
        end_of(after, value, game)
