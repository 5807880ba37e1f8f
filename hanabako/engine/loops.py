"""The compiled loops over tables, written once for all games: thin drivers around a game's rules and observation.

A *table* is one game in play, stored as one record: its state, its legal actions, and the results of its last step.
Each iteration writes only to its own row of preallocated arrays. There are two kinds of loops, made from the same code:

* *generic* loops read the rules from a record at run time. They are compiled once, for all configurations with the same
  record layout;
* *specialized* loops close over the rules as constants. They are faster, and are compiled for one configuration only.

A loop closes over the game's plain Python functions. In another process Numba's disk cache recognizes them by their
names, which it could not do with compiled functions. The digest tells whether their code is still the same.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import prange

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import kernel, keyed, parallel_kernel, rule
from hanabako.compiler.numba_hooks.rules_tuple import rules_tuple
from hanabako.engine.bits import clear_row, unpack_row
from hanabako.engine.protocol import ENDED, REFUSED, REWARDED, GameFunctions, Loops
from hanabako.engine.rng import game_key, random_word
from hanabako.engine.turns import TurnRules, has_rewards, is_legal, owner, random_move, rollout_rule, turn_rules

__all__ = ["compiled_loops", "reader_of", "rollout_loops"]


@cache
def compiled_loops(functions: GameFunctions, kind: type, frozen: Any) -> Loops:
    """Return the loops for a game: specialized to the rules ``frozen`` or, if it is ``None``, generic.

    ``kind`` is the named tuple of the game's rules.
    """
    digest = digest_of(functions, compiled_loops)
    rules_of, turn = reader_of(kind, frozen), turn_rules(functions)
    seed_tables, reset_tables, refresh_tables = setup_loops(functions, rules_of, turn, digest)
    rollout, rollout_parallel = rollout_loops(functions, kind, frozen, random_move, turn)
    return Loops(
        seed=seed_tables,
        reset=reset_tables,
        observe=observe_loop(rules_of, turn, digest),
        refresh=refresh_tables,
        step=step_loop(rules_of, turn, digest),
        step_parallel=parallel_step_loop(rules_of, turn, digest),
        step_one=single_step(rules_of, turn, digest),
        rollout=rollout,
        rollout_parallel=rollout_parallel,
    )


def reader_of(kind: type, frozen: Any) -> Callable[..., Any]:
    """Return the function that gives a loop its rules: those in the loop's argument, or the ``frozen`` constants."""
    if frozen is None:

        @rule
        def rules_of(rules_array):
            return rules_tuple(kind, rules_array[0])

    else:

        @rule
        def rules_of(rules_array):  # noqa: ARG001 - same signature as for generic loops
            return frozen

    return rules_of


# --- Kernels over all tables ------------------------------------------------------------------------------------------


def setup_loops(
    functions: GameFunctions, rules_of: Callable[..., Any], turn: TurnRules, digest: int
) -> tuple[Callable[..., None], ...]:
    """Make `Loops.seed`, `Loops.reset` and `Loops.refresh`."""
    init, refresh = functions.init, turn.refresh

    @kernel
    def seed_tables(tables, stream):
        first = keyed(stream[1], digest)
        for i in range(tables.shape[0]):
            tables[i].state.game_key = game_key(stream[0], first + np.uint64(i))
            tables[i].state.episode = 0

    @kernel
    def reset_tables(rules_array, tables, chosen):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            if chosen[i]:
                init(rules, tables[i].state)
                refresh(rules, tables[i])

    @kernel
    def refresh_tables(rules_array, tables):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            refresh(rules, tables[i])

    return seed_tables, reset_tables, refresh_tables


def observe_loop(rules_of: Callable[..., Any], turn: TurnRules, digest: int) -> Callable[..., None]:
    """Make `Loops.observe`."""
    observe = turn.observe

    @kernel
    def observe_tables(rules_array, tables, player, observation, action_mask):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            observer = owner(tables[i].state, player)
            observe(rules, tables[i], observer, observation[i])
            if observer == tables[i].state.current_player:
                unpack_row(tables[i].mask, action_mask.shape[1], action_mask[i])
            else:
                clear_row(action_mask[i])

    return observe_tables


def step_loop(rules_of: Callable[..., Any], turn: TurnRules, digest: int) -> Callable[..., int]:
    """Make `Loops.step`."""
    step_and_observe = turn.step_and_observe

    @kernel
    def step_tables(rules_array, tables, actions, observation, action_mask, final, mode):
        rules = keyed(rules_of(rules_array), digest)
        ended = 0
        for i in range(tables.shape[0]):
            ended += step_and_observe(rules, tables[i], actions[i], observation[i], action_mask[i], final[i], mode)
        return ended

    return step_tables


def parallel_step_loop(rules_of: Callable[..., Any], turn: TurnRules, digest: int) -> Callable[..., int]:
    """Make `Loops.step_parallel`."""
    step_and_observe = turn.step_and_observe

    @parallel_kernel
    def step_tables_parallel(rules_array, tables, actions, observation, action_mask, final, mode):
        ended = keyed(0, digest)
        for i in prange(tables.shape[0]):
            ended += step_and_observe(
                rules_of(rules_array), tables[i], actions[i], observation[i], action_mask[i], final[i], mode
            )
        return ended

    return step_tables_parallel


def single_step(rules_of: Callable[..., Any], turn: TurnRules, digest: int) -> Callable[..., int]:
    """Make `Loops.step_one`."""
    step, observe, offer_actions = turn.step, turn.observe, turn.offer_actions

    @kernel
    def step_one(rules_array, tables, action, observation, action_mask):
        """Take one step of a single game, unless the action is illegal.

        Return `REFUSED` for an illegal action. Otherwise return the next player, plus `ENDED` if the game is over, plus
        `REWARDED` if some reward is not zero.
        """
        rules, table = keyed(rules_of(rules_array), digest), tables[0]
        if not is_legal(rules, table, action):
            return REFUSED
        step(rules, table, action)
        observe(rules, table, np.int64(table.state.current_player), observation)
        offer_actions(rules, table, action_mask)
        return table.current_player + ENDED * np.int64(table.ended) + REWARDED * has_rewards(table)

    return step_one


def rollout_loops(
    functions: GameFunctions, kind: type, frozen: Any, choose: Callable[..., Any], turn: TurnRules | None = None
) -> tuple[Callable[..., None], Callable[..., None]]:
    """Make `Loops.rollout` and `Loops.rollout_parallel`, with any choice of actions.

    Args:
        functions: the game's functions.
        kind: the named tuple of the game's rules.
        frozen: the rules as constants, or ``None``.
        choose: a rule ``(rules, table, stream, t)`` that returns the legal action of step ``t``;
            its random numbers come from ``stream``.
        turn: the result of `turn_rules`, if it exists already.
    """
    digest = digest_of(functions, compiled_loops, choose)
    rules_of, turn = reader_of(kind, frozen), turn or turn_rules(functions)
    roll_out = rollout_rule(functions, turn, choose)

    @kernel
    def rollout_tables(rules_array, tables, observation, seed, first_step, steps):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            roll_out(rules, tables[i], observation[i], random_word(seed, i), first_step, steps)

    @parallel_kernel
    def rollout_tables_parallel(rules_array, tables, observation, seed, first_step, steps):
        count = keyed(tables.shape[0], digest)
        for i in prange(count):
            roll_out(rules_of(rules_array), tables[i], observation[i], random_word(seed, i), first_step, steps)

    return rollout_tables, rollout_tables_parallel
