"""Endings with open hands: a relaxation of the last turns, for a player who sees one hand.

For every hand that the other may hold, the rest of the round is solved as if all cards but the deck lay open: a game of
perfect information. Its value (the lead of player 0 in points) is computed by expectimax in a walk through the whole
rest: the mean over the cards that the engine may turn up, the best over the actions of the player to move.

The value of an action is its mean over the other's hands. Neither player can know that much;
``hanafuda_env/README.md`` has the error of these values and the cost of these choices.
"""

from collections.abc import Callable
from functools import cache

import numpy as np

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, rule
from hanabako.engine.bits import ONE, ZERO, bit, popcount
from hanabako.engine.loops import reader_of
from hanafuda_env.engine.cards import ALL_CARDS
from hanafuda_env.engine.rules import legal_actions, step
from hanafuda_env.engine.state import PHASE_END, Rules

from ...bots.koikoi.judgement import lead_in, lowest_card
from .one_round import ROUND_STATE, hidden_cards

DEPTH = 48
"""More than the longest sequence of decisions: four (hand, field, drawn card, call) in each of 8 turns with a card."""

WAY = interned(
    np.dtype(
        [
            ("options", np.uint64),  # actions still to be tried
            ("draws", np.uint64),  # cards still to be tried with the current action
            ("action", np.int64),  # the current action, -1 if none yet
            ("count", np.int64),  # ways finished after the current action
            ("total", np.float64),  # the sum of their values
            ("best", np.float64),  # the best value of the finished actions
            ("player", np.int64),  # the player to move
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
def walk(rules, states, ways, values):
    """Add the values of the actions in ``states[0]`` to ``values``, in the order of the actions' numbers."""
    depth, index = 0, -1
    enter(rules, states[0], ways[0])
    while True:
        s, way = states[depth], ways[depth]
        if way.draws == ZERO:
            if way.action >= 0:
                value = way.total / way.count
                way.best = max(way.best, value) if way.player == 0 else min(way.best, value)
                if depth == 0:
                    values[index] += value
            if way.options == ZERO:
                if depth == 0:
                    return
                depth -= 1
                receive(ways[depth], way.best)
                continue
            way.action = lowest_card(way.options)
            way.options &= way.options - ONE
            way.draws = deck_of(s)
            way.total = 0.0
            way.count = 0
            if depth == 0:
                index += 1
        states[depth + 1] = s
        after = states[depth + 1]
        go_on(rules, way, after)
        if after.phase == PHASE_END:
            receive(way, np.float64(lead_in(after.results[0], 0)))
        else:
            depth += 1
            enter(rules, after, ways[depth])


@rule
def go_on(rules, way, after):
    """Make the current action in ``after``, a copy of the position, with the next card that it may turn up."""
    card = lowest_card(way.draws)
    way.draws &= way.draws - ONE
    drawn = np.int64(after.drawn)
    after.deck[drawn] = card
    step(rules, after, way.action)
    if after.drawn == drawn:
        way.draws = ZERO


@rule
def enter(rules, s, way):
    """Initialize ``way`` for a new position."""
    way.options = legal_actions(rules, s)
    way.draws = ZERO
    way.action = -1
    way.player = np.int64(s.current_player)
    way.best = -np.inf if way.player == 0 else np.inf


@rule
def receive(way, value):
    """Add the value of one way of the current action."""
    way.total += value
    way.count += 1


# --- Every hand of the other ------------------------------------------------------------------------------------------


@cache
def ending_loop() -> Callable[..., None]:
    """Return the loop ``(rules_array, root (1,), hidden (2,), scratch, values (actions,))``.

    It writes the mean value of each action for the player to move, in the order of the actions' numbers. The rules are
    of one round, ``hidden[1]`` are the cards that the other cannot hold, and ``scratch`` is from `walk_scratch`.
    """
    rules_of = reader_of(Rules, None)
    digest = digest_of(walk, hidden_cards, ending_loop)

    @kernel
    def solve_ending(rules_array, root, hidden, scratch, values):
        rules, (states, ways) = keyed(rules_of(rules_array), digest), scratch
        player, missing = np.int64(root[0].current_player), hidden_cards(rules, root[0], hidden)
        allowed = hidden[0] & ~hidden[1]
        values[:] = 0.0
        chosen, hands = ZERO, 0
        while True:
            if popcount(chosen) == missing:
                states[0] = root[0]
                states[0].hand[1 - player] |= chosen
                walk(rules, states, ways, values)
                hands += 1
            if chosen == allowed:
                break
            chosen = ((chosen | ~allowed) + ONE) & allowed  # the next larger subset
        values /= hands if player == 0 else -hands

    return solve_ending
