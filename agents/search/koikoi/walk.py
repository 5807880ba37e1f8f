"""A walk through all that may still happen in a round: every action, every card from the deck.

With open hands the rest of a round is a game of chance and skill without secrets, whose value (the lead of player 0
in points) is worked out from its end: the mean over the cards that may be drawn, the best over the actions of whoever
acts. `walk` does that for one deal. On its way it can write down the game as it is with *closed* hands (see
`benchmarks.strength.solvers.koikoi.equilibrium`): who chooses where, knowing what, and what each pair of plans leads
to.

Rules are asked, not repeated: a step of the engine is made with every card that it may turn up.
"""

from typing import NamedTuple

import numpy as np

from hanabako.compiler.jit import interned, rule
from hanabako.engine.bits import ONE, ZERO, bit, popcount
from hanabako.engine.rng import mix64
from hanafuda_env.engine.cards import ALL_CARDS, CARDS
from hanafuda_env.engine.rules import legal_actions, step
from hanafuda_env.engine.state import PHASE_END, TURNS

from ...bots.koikoi.judgement import lowest_card
from .one_round import ROUND_STATE, lead_of

__all__ = ["WrittenGame", "deck_of", "empty_game", "enter", "walk", "walk_room"]

DEPTH = 48
"""Decisions in a row, at most: four in a turn with an own card (hand, field, drawn card, call), and eight turns."""
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
            ("chance", np.float64),  # the probability of the deal and the draws that lead here
            ("player", np.int64),  # who acts
            ("plans", np.int64, (2,)),  # the players' plans that lead here, see `equilibrium`
            ("first", np.int64),  # the plan of the first action, `NOT_WRITTEN`: nothing is written down here
            ("place", np.int64),  # of the present action among all
            ("is_open", np.bool_),  # nothing is hidden any more
        ],
        align=True,
    )
)

CHOICES = interned(
    np.dtype(  # who chooses where
        [("key", np.uint64), ("player", np.int64), ("parent", np.int64), ("first", np.int64), ("count", np.int64)]
    )
)
PAIRS = interned(np.dtype([("key", np.uint64), ("value", np.float64)]))
SIZES = interned(np.dtype([("choices", np.int64), ("plans", np.int64, (2,)), ("pairs", np.int64), ("full", np.int64)]))


def walk_room() -> tuple[np.ndarray, np.ndarray]:
    """Room for one walk: positions, the root first, and how far each is worked out."""
    return np.zeros(DEPTH, ROUND_STATE), np.zeros(DEPTH, WAY)


class WrittenGame(NamedTuple):
    """A game that a walk writes down. Index and pairs are twice as long as what they may hold, a power of two."""

    choices: np.ndarray
    """Who chooses where: `CHOICES`, in an order in which plans come before those they lead to."""
    index: np.ndarray
    """Of the choices by their keys."""
    opened: np.ndarray
    """(2, plans): what each player's plans are worth with open hands, times the probability to get there by chance."""
    pairs: np.ndarray
    """`PAIRS`: what a plan of player 0 and one of player 1 lead to, times the same probability."""
    sizes: np.ndarray
    """(1,): how much of all this there is."""


def empty_game(choices: int, pairs: int) -> WrittenGame:
    """Room for at most so many choices, and pairs of plans; both are powers of two."""
    sizes = np.zeros(1, SIZES)
    sizes["plans"] = 1  # plan 0 is to do nothing yet
    index, opened = np.zeros(2 * choices, np.int64), np.zeros((2, 4 * choices))
    return WrittenGame(np.zeros(choices, CHOICES), index, opened, np.zeros(2 * pairs, PAIRS), sizes)


@rule
def deck_of(s):
    """The cards that are in the deck."""
    return ALL_CARDS & ~(s.hand[0] | s.hand[1] | s.field | s.captured[0] | s.captured[1] | bit(s.pending))


@rule
def walk(rules, states, ways, game):
    """The value of ``states[0]`` with open hands; ``ways[0]`` is as `enter` has left it."""
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
                receive(ways[depth], way.best, way, way.is_open, game)
                continue
            way.action = lowest_card(way.options)
            way.options &= way.options - ONE
            way.draws = deck_of(s)
            way.total = 0.0
            way.count = 0
            way.place += 1
        states[depth + 1] = s
        after = states[depth + 1]
        go_on(rules, s, way, after, ways[depth + 1])
        if after.phase == PHASE_END:
            receive(way, np.float64(lead_of(after, 0)), ways[depth + 1], True, game)
        else:
            enter(rules, after, ways[depth + 1], game, way.is_open)
            depth += 1


@rule
def go_on(rules, s, way, after, its_way):
    """Make the present action in ``after``, a copy of ``s``, with the next card that it may turn up."""
    card = lowest_card(way.draws)
    way.draws &= way.draws - ONE
    drawn = np.int64(after.drawn)
    after.deck[drawn] = card
    step(rules, after, way.action)
    its_way.chance = way.chance
    its_way.history = mix64(way.history ^ np.uint64(64 + way.action))
    if after.drawn == drawn:
        way.draws = ZERO
    else:
        its_way.chance /= popcount(deck_of(s))
        its_way.history = mix64(its_way.history ^ np.uint64(256 + card))
    its_way.plans[0] = way.plans[0]
    its_way.plans[1] = way.plans[1]
    if way.first >= 0:
        its_way.plans[way.player] = way.first + way.place


@rule
def enter(rules, s, way, game, is_open):
    """Look at a position for the first time."""
    way.options = legal_actions(rules, s)
    way.draws = ZERO
    way.action = -1
    way.place = -1
    way.player = np.int64(s.current_player)
    way.best = -np.inf if way.player == 0 else np.inf
    way.is_open = is_open or s.turn == TURNS
    way.first = -1
    if not way.is_open and popcount(way.options) > 1:
        way.first = choice_of(s, way, game)


@rule
def end_action(way, game):
    """All ways of the present action are known."""
    value = way.total / way.count
    way.best = max(way.best, value) if way.player == 0 else min(way.best, value)
    if way.first >= 0:
        game.opened[way.player, way.first + way.place] += way.chance * value


@rule
def receive(way, value, after, ends, game):
    """One way of the present action, ``after``, is known; ``ends``: nothing that is hidden matters behind it."""
    way.total += value
    way.count += 1
    if ends and not way.is_open:
        add_to_pair(after, value * after.chance, game.pairs, game.sizes[0])


# --- What is written down ---------------------------------------------------------------------------------------------


@rule
def choice_of(s, way, game):
    """The plan of the first action where a player chooses, knowing the own hand and what all have seen."""
    player, size = way.player, game.sizes[0]
    key = mix64(way.history ^ mix64(np.uint64(s.hand[player]) | bit(CARDS + player))) | ONE
    mask = np.uint64(game.index.shape[0] - 1)
    place = key & mask
    while game.index[place] != 0:
        found = game.choices[game.index[place] - 1]
        if found.key == key:
            return found.first
        place = (place + ONE) & mask
    count = popcount(way.options)
    if size.choices == game.choices.shape[0] or size.plans[player] + count > game.opened.shape[1]:
        size.full = 1
        return NOT_WRITTEN
    new = game.choices[size.choices]
    new.key = key
    new.player = player
    new.parent = way.plans[player]
    new.first = size.plans[player]
    new.count = count
    size.plans[player] += count
    size.choices += 1
    game.index[place] = size.choices
    return new.first


@rule
def add_to_pair(way, value, pairs, size):
    """Two plans meet, with a part of the value."""
    key = (np.uint64(way.plans[0]) << np.uint64(32)) | np.uint64(way.plans[1])
    mask = np.uint64(pairs.shape[0] - 1)
    place = mix64(key) & mask
    key += ONE  # 0 is free
    while pairs[place].key != ZERO and pairs[place].key != key:
        place = (place + ONE) & mask
    if pairs[place].key == ZERO:
        if 2 * size.pairs >= pairs.shape[0]:
            size.full = 1
            return
        pairs[place].key = key
        size.pairs += 1
    pairs[place].value += value
