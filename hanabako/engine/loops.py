"""The compiled loops over tables, made once for any game: thin drivers around its rules and its observation.

A *table* is one table in play, kept as one record: a game's state, its legal actions, and what its last step brought.
Loops write only to their own rows of preallocated arrays. They come in two kinds made of the same lines:

* *generic* loops read the rules from a record at run time. They are compiled once and play every configuration with the
  same record layout;
* *specialized* loops close over the rules as constants. They are faster and are compiled for one configuration alone.

A loop closes over the game's functions as they are written; Numba's disk cache knows such functions again in another
process by their names (compiled ones it would not). That their lines are still the same it learns from the digest.
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
from hanabako.engine.turns import TurnRules, has_rewards, is_legal, random_move, rollout_rule, turn_rules

__all__ = ["compiled_loops", "reader_of", "rollout_loops"]


@cache
def compiled_loops(functions: GameFunctions, kind: type, frozen: Any) -> Loops:
    """The loops over tables: specialized to ``frozen`` rules of the named tuple ``kind`` or, with ``None``, generic."""
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
    """The rule that gives a loop its rules: those in the array it is called with, or the ``frozen`` constants."""
    if frozen is None:

        @rule
        def rules_of(rules_array):
            return rules_tuple(kind, rules_array[0])

    else:

        @rule
        def rules_of(rules_array):  # noqa: ARG001 - as that of the generic loops
            return frozen

    return rules_of


# --- All tables: kernels ----------------------------------------------------------------------------------------------


def setup_loops(
    functions: GameFunctions, rules_of: Callable[..., Any], turn: TurnRules, digest: int
) -> tuple[Callable[..., None], ...]:
    """See `Loops.seed`, `Loops.reset` and `Loops.refresh`."""
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
    """See `Loops.observe`."""
    observe = turn.observe

    @kernel
    def observe_tables(rules_array, tables, player, observation, action_mask):
        rules = keyed(rules_of(rules_array), digest)
        for i in range(tables.shape[0]):
            observer = np.int64(tables[i].state.current_player) if player < 0 else player
            observe(rules, tables[i], observer, observation[i])
            if observer == tables[i].state.current_player:
                unpack_row(tables[i].mask, action_mask.shape[1], action_mask[i])
            else:
                clear_row(action_mask[i])

    return observe_tables


def step_loop(rules_of: Callable[..., Any], turn: TurnRules, digest: int) -> Callable[..., int]:
    """See `Loops.step`."""
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
    """See `Loops.step_parallel`."""
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
    """See `Loops.step_one`."""
    step, observe, offer_actions = turn.step, turn.observe, turn.offer_actions

    @kernel
    def step_one(rules_array, tables, action, observation, action_mask):
        """One step of a single game that refuses what is not legal.

        Everything a caller needs at once is in the returned number: `REFUSED`, or the next player, plus `ENDED` and
        `REWARDED` if they hold.
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
    """See `Loops.rollout` and `Loops.rollout_parallel`, with another choice of actions than a random one.

    Args:
        functions: the game's.
        kind: the class of the game's rules.
        frozen: rules as constants, or ``None``.
        choose: a rule ``(rules, table, stream, t)`` that gives the legal action of step ``t``;
            its chance comes from ``stream``.
        turn: the rules of one table, if they are there already.
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
