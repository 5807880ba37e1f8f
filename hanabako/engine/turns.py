"""The record of one table, and the part of a step that is the same in every game.

Every function here is a `hanabako.compiler.jit.rule`, or makes such rules from a game's functions. The loops in
`hanabako.engine.loops` call them for all tables.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hanabako.compiler.jit import interned, rule
from hanabako.engine.bits import ZERO, clear_row, copy_row, has_bit, nth_set_bit, popcount, popcount_row, unpack_row
from hanabako.engine.protocol import DISABLED, SAME_STEP, GameFunctions
from hanabako.engine.rng import random_below
from hanabako.engine.sections import words_for

__all__ = [
    "TurnRules",
    "has_rewards",
    "is_legal",
    "owner",
    "random_action",
    "random_move",
    "rollout_rule",
    "table_dtype",
    "turn_rules",
]


def table_dtype(state: np.dtype, players: int, num_actions: int, words: int, statistics: Sequence[str]) -> np.dtype:
    """Return the dtype of a table's record around a ``state``. ``words`` is the number of words of an observation."""
    table = np.dtype(
        [
            ("state", state),
            ("mask", np.uint64, (words_for(num_actions),)),  # legal actions of the current player
            ("seen", np.uint64, (words,)),  # the last observation that was written
            ("rewards", np.float64, (players,)),  # of the last step, like all fields below
            ("reward", np.float64),  # of the player who acted
            ("returns", np.float64, (players,)),  # each player's sum of rewards in the game of the last step
            ("current_player", np.int64),
            ("terminated", np.bool_),
            ("ended", np.bool_),  # the last step ended a game
            ("illegal", np.bool_),  # the last step ended a game by an illegal action
            ("length", np.int64),  # steps of the game that ended; the fields below are of that game, too
            *((name, np.int64) for name in statistics),
        ],
        align=True,
    )
    return interned(table)


class TurnRules(NamedTuple):
    """The functions that loops call for one table. `turn_rules` makes them from a game's functions."""

    step: Callable[..., None]  # (rules, table, action): one action and its rewards
    observe: Callable[..., None]  # (rules, table, player, out)
    refresh: Callable[..., None]  # (rules, table): update fields after the state was set from outside
    offer_actions: Callable[..., None]  # (rules, table, action_mask): write the player to move and the legal actions
    step_and_observe: Callable[
        ..., Any
    ]  # (rules, table, action, observation, action_mask, final, mode) -> ended, 0 or 1


def turn_rules(functions: GameFunctions) -> TurnRules:
    """Return the functions for one table of a game."""
    step, observe = step_rule(functions), observe_rule(functions)
    refresh, offer_actions = legality_rules(functions)
    combined = step_and_observe_rule(functions, step, observe, offer_actions)
    return TurnRules(step, observe, refresh, offer_actions, combined)


def step_rule(functions: GameFunctions) -> Callable[..., None]:
    """Make `TurnRules.step`."""
    is_terminal, act, forfeit, end_game = functions.is_terminal, functions.act, functions.forfeit, functions.end_game

    @rule
    def step_table(rules, table, action):
        """Take one step. Do nothing if the game is over; end it if the action is illegal."""
        s = table.state
        if table.ended:
            clear_row(table.returns)
        table.ended = False
        table.illegal = False
        clear_rewards(table)
        if not is_terminal(s):
            player = np.int64(s.current_player)
            if is_legal(rules, table, action):
                act(rules, table, action)
            else:
                forfeit(rules, s)
                table.illegal = True
                table.rewards[player] = -1.0
            table.reward = table.rewards[player]
            for k in range(rules.players):
                table.returns[k] += table.rewards[k]
            if is_terminal(s):
                table.ended = True
                table.length = s.length
                end_game(rules, table)
        table.terminated = is_terminal(s)

    return step_table


def observe_rule(functions: GameFunctions) -> Callable[..., None]:
    """Make `TurnRules.observe`."""
    observe = functions.observe

    @rule
    def observe_table(rules, table, player, out):
        """Write the observation of ``player`` to ``out``: packed words if ``out`` is uint64, else a number per bit."""
        if out.shape[0] == 0:
            return
        observe(rules, table.state, player, table.seen)
        if out.itemsize == 8:
            for w in range(out.shape[0]):
                out[w] = table.seen[w]
        else:
            unpack_row(table.seen, out.shape[0], out)

    return observe_table


def legality_rules(functions: GameFunctions) -> tuple[Callable[..., None], Callable[..., None]]:
    """Make `TurnRules.refresh` and `TurnRules.offer_actions`."""
    legal_action_mask, is_terminal = functions.legal_action_mask, functions.is_terminal

    @rule
    def refresh(rules, table):
        legal_action_mask(rules, table.state, table.mask)
        table.current_player = table.state.current_player
        table.terminated = is_terminal(table.state)
        table.ended = False
        table.illegal = False
        clear_rewards(table)
        clear_row(table.returns)

    @rule
    def offer_actions(rules, table, action_mask):
        legal_action_mask(rules, table.state, table.mask)
        unpack_row(table.mask, action_mask.shape[0], action_mask)
        table.current_player = table.state.current_player

    return refresh, offer_actions


def step_and_observe_rule(
    functions: GameFunctions,
    step: Callable[..., None],
    observe: Callable[..., None],
    offer_actions: Callable[..., None],
) -> Callable[..., Any]:
    """Make `TurnRules.step_and_observe`."""
    init, is_terminal = functions.init, functions.is_terminal

    @rule
    def step_and_observe(rules, table, action, observation, action_mask, final, mode):
        """Step a table, deal the next game as ``mode`` says, and observe as the next player.

        Return 1 if a game ended, else 0. A game that was over before is followed by the next one, except in mode
        DISABLED. The calls of `observe` and `init` are in a loop of one or two rounds, so that each is inlined once.
        """
        deals = mode != DISABLED and is_terminal(table.state)
        step(rules, table, action)
        rounds = 2 if table.ended and mode == SAME_STEP else 1
        for k in range(rounds):
            if deals or k == 1:
                table.state.episode += 1
                init(rules, table.state)
            observe(rules, table, np.int64(table.state.current_player), observation)
            if k + 1 < rounds:
                copy_row(observation, final)
        if deals:
            table.terminated = False
        offer_actions(rules, table, action_mask)
        return np.int64(table.ended)

    return step_and_observe


def rollout_rule(functions: GameFunctions, turn: TurnRules, choose: Callable[..., Any]) -> Callable[..., None]:
    """Make the function that plays steps at one table, with actions from ``choose``.

    It deals the next game after every end. If ``observation`` has one row, the current player observes; otherwise all
    players do.
    """
    init, legal_action_mask, step, observe = functions.init, functions.legal_action_mask, turn.step, turn.observe

    @rule
    def roll_out(rules, table, observation, stream, first_step, steps):
        for t in range(first_step, first_step + steps):
            step(rules, table, choose(rules, table, stream, t))
            if table.ended:
                table.state.episode += 1
                init(rules, table.state)
            legal_action_mask(rules, table.state, table.mask)
            for k in range(observation.shape[0]):
                player = np.int64(table.state.current_player) if observation.shape[0] == 1 else k
                observe(rules, table, player, observation[k])

    return roll_out


# --- Rules that need none of a game's functions -----------------------------------------------------------------------


@rule
def clear_rewards(table):
    """Set all rewards to zero."""
    table.reward = 0.0
    clear_row(table.rewards)


@rule
def owner(s, player):
    """Return ``player``, or the player to move if it is below 0."""
    return np.int64(s.current_player) if player < 0 else player


@rule
def is_legal(rules, table, action):
    """Whether the current player may take ``action``, which may be any integer."""
    return 0 <= action < rules.num_actions and has_bit(table.mask[action >> 6], action & 63) != ZERO


@rule
def has_rewards(table):
    """Return 1 if some player's reward is not zero, else 0."""
    found = 0
    for player in range(table.rewards.shape[0]):
        if table.rewards[player] != 0.0:
            found = 1
    return found


@rule
def random_move(rules, table, stream, t):  # noqa: ARG001 - see `rollout_loops`
    """Return a uniformly random legal action: the ``choose`` of random roll-outs."""
    return random_action(table.mask, stream, t)


@rule
def random_action(mask, stream, counter):
    """Return a uniformly random action of the packed ``mask``."""
    wanted = random_below(stream, counter, popcount_row(mask))
    for w in range(mask.shape[0] - 1):
        here = popcount(mask[w])
        if wanted < here:
            return (w << 6) + nth_set_bit(mask[w], wanted)
        wanted -= here
    w = mask.shape[0] - 1
    return (w << 6) + nth_set_bit(mask[w], wanted)
