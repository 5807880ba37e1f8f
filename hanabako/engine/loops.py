"""The compiled loops over tables, made once for any game: thin drivers around its rules and its observation.

A *table* is one table in play, kept as one record: a game's state, its legal actions, and what its last step brought.
Loops write only to their own rows of preallocated arrays. They come in two kinds made of the same lines:

* *generic* loops read the rules from a record at run time. They are compiled once and play every configuration with the
  same record layout;
* *specialized* loops close over the rules as constants. They are faster and are compiled for one configuration alone.

A loop closes over the game's functions as they are written; Numba's disk cache knows such functions again in another
process by their names (compiled ones it would not). That their lines are still the same it learns from the digest.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import prange

from hanabako.compiler.digest import digest_of
from hanabako.compiler.jit import interned, kernel, keyed, parallel_kernel, rule
from hanabako.compiler.numba_hooks.rules_tuple import rules_tuple
from hanabako.engine.bits import ZERO, clear_row, copy_row, has_bit, nth_set_bit, popcount, unpack
from hanabako.engine.game import ENDED, NEXT_STEP, REFUSED, REWARDED, SAME_STEP, GameFunctions, Loops
from hanabako.engine.rng import game_key, random_below, random_word
from hanabako.engine.sections import words_for

__all__ = ["compiled_loops", "random_action", "reader_of", "rollout_loops", "table_dtype"]


def table_dtype(state: np.dtype, players: int, num_actions: int, words: int, statistics: Sequence[str]) -> np.dtype:
    """The record of one table around a ``state``; ``words`` are those of an observation."""
    table = np.dtype(
        [
            ("state", state),
            ("mask", np.uint64, (words_for(num_actions),)),  # legal actions of the current player
            ("seen", np.uint64, (words,)),  # the last observation that was asked for
            ("rewards", np.float64, (players,)),  # of the last step, as are all fields below
            ("reward", np.float64),  # of the player who acted
            ("current_player", np.int64),
            ("terminated", np.bool_),
            ("ended", np.bool_),  # the last step ended a game
            ("illegal", np.bool_),  # by an illegal action
            ("length", np.int64),  # steps of the game that ended, as are all fields below
            *((name, np.int64) for name in statistics),
        ],
        align=True,
    )
    return interned(table)


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


# --- One table: rules around the game's own ---------------------------------------------------------------------------


class TurnRules(NamedTuple):
    """What the loops do at one table; made of a game's functions by `turn_rules`."""

    step: Callable[..., None]  # (rules, table, action): one action and its rewards
    observe: Callable[..., None]  # (rules, table, player, out)
    refresh: Callable[..., None]  # (rules, table): what follows from a state that was set from outside
    offer_actions: Callable[..., None]  # (rules, table, action_mask): whose turn it is and what is legal now
    step_and_observe: Callable[
        ..., Any
    ]  # (rules, table, action, observation, action_mask, final, mode) -> ended, 0 or 1


def turn_rules(functions: GameFunctions) -> TurnRules:
    """The rules of one table for one game."""
    step, observe = step_rule(functions), observe_rule(functions)
    refresh, offer_actions = legality_rules(functions)
    combined = step_and_observe_rule(functions, step, observe, offer_actions)
    return TurnRules(step, observe, refresh, offer_actions, combined)


def step_rule(functions: GameFunctions) -> Callable[..., None]:
    """See `TurnRules.step`."""
    is_terminal, act, forfeit, end_game = functions.is_terminal, functions.act, functions.forfeit, functions.end_game

    @rule
    def step_table(rules, table, action):
        """Nothing happens if the game is over; an illegal action ends it."""
        s = table.state
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
            if is_terminal(s):
                table.ended = True
                table.length = s.length
                end_game(rules, table)
        table.terminated = is_terminal(s)

    return step_table


def observe_rule(functions: GameFunctions) -> Callable[..., None]:
    """See `TurnRules.observe`."""
    observe = functions.observe

    @rule
    def observe_table(rules, table, player, out):
        """Write the observation of ``player`` to ``out``: words if it holds 64-bit numbers, else one number per bit."""
        if out.shape[0] == 0:
            return
        observe(rules, table.state, player, table.seen)
        if out.itemsize == 8:
            for w in range(out.shape[0]):
                out[w] = table.seen[w]
        else:
            unpack(table.seen, out.shape[0], out)

    return observe_table


def legality_rules(functions: GameFunctions) -> tuple[Callable[..., None], Callable[..., None]]:
    """See `TurnRules.refresh` and `TurnRules.offer_actions`."""
    legal_action_mask, is_terminal = functions.legal_action_mask, functions.is_terminal

    @rule
    def refresh(rules, table):
        legal_action_mask(rules, table.state, table.mask)
        table.current_player = table.state.current_player
        table.terminated = is_terminal(table.state)
        table.ended = False
        table.illegal = False
        clear_rewards(table)

    @rule
    def offer_actions(rules, table, action_mask):
        legal_action_mask(rules, table.state, table.mask)
        unpack(table.mask, action_mask.shape[0], action_mask)
        table.current_player = table.state.current_player

    return refresh, offer_actions


def step_and_observe_rule(
    functions: GameFunctions,
    step: Callable[..., None],
    observe: Callable[..., None],
    offer_actions: Callable[..., None],
) -> Callable[..., Any]:
    """See `TurnRules.step_and_observe`."""
    init, is_terminal = functions.init, functions.is_terminal

    @rule
    def step_and_observe(rules, table, action, observation, action_mask, final, mode):
        """Step a table, deal again as ``mode`` says, observe as the next player. Returns 1 at an end, else 0.

        `observe` and `init` each stand once, in a loop of one or two rounds, because they are inlined where they stand.
        """
        deals = mode == NEXT_STEP and is_terminal(table.state)
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
                unpack(tables[i].mask, action_mask.shape[1], action_mask[i])
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
        choose: a rule ``(rules, table, stream, t)`` that gives the legal action of step ``t``; its chance is in ``stream``.
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


def rollout_rule(functions: GameFunctions, turn: TurnRules, choose: Callable[..., Any]) -> Callable[..., None]:
    """Steps at one table that ``choose`` takes, dealt anew at every end, observed by the current player or by all."""
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


# --- What is the same for every game ----------------------------------------------------------------------------------


@rule
def clear_rewards(table):
    """Nobody has earned anything."""
    table.reward = 0.0
    clear_row(table.rewards)


@rule
def is_legal(rules, table, action):
    """The current player may take ``action``, which may be any number."""
    return 0 <= action < rules.num_actions and has_bit(table.mask[action >> 6], action & 63) != ZERO


@rule
def has_rewards(table):
    """1 if somebody's reward is not zero, else 0."""
    found = 0
    for player in range(table.rewards.shape[0]):
        if table.rewards[player] != 0.0:
            found = 1
    return found


@rule
def random_move(rules, table, stream, t):  # noqa: ARG001 - see `rollout_loops`
    """``choose`` of a random roll-out."""
    return random_action(table.mask, stream, t)


@rule
def random_action(mask, stream, counter):
    """A uniformly random legal action."""
    count = 0
    for w in range(mask.shape[0]):
        count += popcount(mask[w])
    wanted = random_below(stream, counter, count)
    for w in range(mask.shape[0] - 1):
        here = popcount(mask[w])
        if wanted < here:
            return (w << 6) + nth_set_bit(mask[w], wanted)
        wanted -= here
    w = mask.shape[0] - 1
    return (w << 6) + nth_set_bit(mask[w], wanted)
