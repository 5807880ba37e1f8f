"""The compiled loops over tables, made once for any game: thin drivers around its rules and its observation.

A *table* is one record: a game, its legal actions, and what its last step brought. Loops write only to their own rows
of preallocated arrays. They come in two programs made of the same lines:

* the *general* program reads the numbers of the rules at run time. It is compiled once and plays every configuration
  with the same record layout;
* a *special* program closes over the rules as constants. It is faster and is compiled for its configuration alone.

A loop closes over the game's functions as they are written; Numba's disk cache knows such functions again in another
process by their names (compiled ones it would not). That their lines are still the same it learns from the digest.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numba import prange

from env_core.bits import ZERO, clear_row, copy_row, has_bit, nth_set_bit, popcount, unpack
from env_core.game import ENDED, NEXT_STEP, REFUSED, REWARDED, SAME_STEP, Loops
from env_core.jit import interned, kernel, parallel_kernel, rule
from env_core.rng import game_key, random_below, random_word
from env_core.sections import words_for

__all__ = ["Program", "compiled_loops", "table_dtype"]

MOST_RETRIES = 64  # a careful roll-out looks so often for a move that is no error


@rule
def never_careless(rules, s, action):  # noqa: ARG001 - the protocol of a program
    """``is_careless`` of a game without moves that are plain errors."""
    return False


class Program(NamedTuple):
    """A game's functions, all of them `env_core.jit.rule`: what the loops are made of.

    ``rules`` is the game's named tuple of numbers, with ``players`` and ``num_actions``; ``s`` is the state's record,
    with ``game_key``, ``episode``, ``length`` and ``current_player``; ``table`` is a record of `table_dtype`.
    """

    rules_from: Callable[..., Any]  # (numbers): the rules out of their int64 array
    init: Callable[..., None]  # (rules, s): deal the episode ``s.episode`` of ``s.game_key``
    legal_action_mask: Callable[..., None]  # (rules, s, mask)
    observe: Callable[..., None]  # (rules, s, player, words)
    is_terminal: Callable[..., Any]  # (s)
    act: Callable[..., None]  # (rules, table, action): a legal step and its ``table.rewards``, which are zero before
    forfeit: Callable[..., None]  # (rules, s): the game ends because the current player did what is not legal
    end_game: Callable[..., None]  # (rules, table): note the statistics of the game that has ended
    is_careless: Callable[..., Any] = never_careless  # (rules, s, action): what careful roll-outs of benchmarks avoid


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
def compiled_loops(game: Program, frozen: Any, digest: int) -> Loops:  # noqa: C901 - one loop after another
    """The loops over tables: the special program of ``frozen`` rules or, with ``None``, the general program.

    ``digest`` covers every module whose lines are in ``game``, and this one: see `env_core.jit`.
    """
    rules_from, init, legal_action_mask, observe, is_terminal, act, forfeit, end_game, is_careless = game

    @rule
    def rules_of(numbers):
        return rules_from(numbers) if frozen is None else frozen

    # --- One table ----------------------------------------------------------------------------------------------------

    @rule
    def clear_rewards(table):
        table.reward = 0.0
        clear_row(table.rewards)

    @rule
    def step_table(rules, table, action):
        """One action and its rewards. Nothing happens where the game is over; an illegal action ends it."""
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

    @rule
    def look(rules, table, player, out):
        """Write the observation of ``player`` to ``out``: words if it holds 64-bit numbers, else one number a bit."""
        if out.shape[0] == 0:
            return
        observe(rules, table.state, player, table.seen)
        if out.itemsize == 8:
            for w in range(out.shape[0]):
                out[w] = table.seen[w]
        else:
            unpack(table.seen, out.shape[0], out)

    @rule
    def refresh(rules, table):
        """What follows from a state that was set from outside."""
        legal_action_mask(rules, table.state, table.mask)
        table.current_player = table.state.current_player
        table.terminated = is_terminal(table.state)
        table.ended = False
        table.illegal = False
        clear_rewards(table)

    @rule
    def offer_actions(rules, table, action_mask):
        """Whose turn it is and what is legal now."""
        legal_action_mask(rules, table.state, table.mask)
        unpack(table.mask, action_mask.shape[0], action_mask)
        table.current_player = table.state.current_player

    @rule
    def step_one(rules, table, action, observation, action_mask, final, mode):
        """Step a table, deal again as ``mode`` says, look with the next player's eyes. Returns 1 at an end, else 0.

        There is one `look` and one `init` in a loop of one or two rounds, because each is inlined where it stands.
        """
        deals = mode == NEXT_STEP and is_terminal(table.state)
        step_table(rules, table, action)
        rounds = 2 if table.ended and mode == SAME_STEP else 1
        for k in range(rounds):
            if deals or k == 1:
                table.state.episode += 1
                init(rules, table.state)
            look(rules, table, np.int64(table.state.current_player), observation)
            if k + 1 < rounds:
                copy_row(observation, final)
        if deals:
            table.terminated = False
        offer_actions(rules, table, action_mask)
        return np.int64(table.ended)

    @rule
    def roll_one(rules, table, observation, stream, first_step, steps, careful):
        """Random legal steps at one table; ``careful`` avoids what is careless. Looks with the current or all eyes."""
        for t in range(first_step, first_step + steps):
            action = random_action(table.mask, stream, t)
            for retry in range(1, MOST_RETRIES):
                if not careful or not is_careless(rules, table.state, action):
                    break
                action = random_action(table.mask, stream, (retry << 40) + t)
            step_table(rules, table, action)
            if table.ended:
                table.state.episode += 1
                init(rules, table.state)
            legal_action_mask(rules, table.state, table.mask)
            for k in range(observation.shape[0]):
                player = np.int64(table.state.current_player) if observation.shape[0] == 1 else k
                look(rules, table, player, observation[k])

    # --- All tables ---------------------------------------------------------------------------------------------------

    @kernel
    def seat_tables(tables, stream):
        for i in range(tables.shape[0]):
            tables[i].state.game_key = seat_key(stream, i, digest)
            tables[i].state.episode = 0

    @kernel
    def deal_tables(numbers, tables, chosen):
        rules = keyed(rules_of(numbers), digest)
        for i in range(tables.shape[0]):
            if chosen[i]:
                init(rules, tables[i].state)
                refresh(rules, tables[i])

    @kernel
    def look_tables(numbers, tables, player, observation, action_mask):
        rules = keyed(rules_of(numbers), digest)
        for i in range(tables.shape[0]):
            observer = np.int64(tables[i].state.current_player) if player < 0 else player
            look(rules, tables[i], observer, observation[i])
            if observer == tables[i].state.current_player:
                unpack(tables[i].mask, action_mask.shape[1], action_mask[i])
            else:
                clear_row(action_mask[i])

    @kernel
    def refresh_tables(numbers, tables):
        rules = keyed(rules_of(numbers), digest)
        for i in range(tables.shape[0]):
            refresh(rules, tables[i])

    @kernel
    def step_tables(numbers, tables, actions, observation, action_mask, final, mode):
        rules = keyed(rules_of(numbers), digest)
        ended = 0
        for i in range(tables.shape[0]):
            ended += step_one(rules, tables[i], actions[i], observation[i], action_mask[i], final[i], mode)
        return ended

    @rule
    def step_row(numbers, tables, i, actions, observation, action_mask, final, mode):
        return step_one(rules_of(numbers), tables[i], actions[i], observation[i], action_mask[i], final[i], mode)

    @parallel_kernel
    def step_tables_parallel(numbers, tables, actions, observation, action_mask, final, mode):
        ended = keyed(0, digest)
        for i in prange(tables.shape[0]):  # the body of a prange cannot hold a named tuple: see step_row
            ended += step_row(numbers, tables, i, actions, observation, action_mask, final, mode)
        return ended

    @kernel
    def play_table(numbers, tables, action, observation, action_mask):
        """One step of a single game that refuses what is not legal.

        Everything a caller needs at once is in the returned number: `REFUSED`, or the next player, plus `ENDED` and
        `REWARDED` where they hold.
        """
        rules, table = keyed(rules_of(numbers), digest), tables[0]
        if not is_legal(rules, table, action):
            return REFUSED
        step_table(rules, table, action)
        look(rules, table, np.int64(table.state.current_player), observation)
        offer_actions(rules, table, action_mask)
        return table.current_player + ENDED * np.int64(table.ended) + REWARDED * has_rewards(table)

    @kernel
    def roll_tables(numbers, tables, observation, seed, first_step, steps, careful):
        rules = keyed(rules_of(numbers), digest)
        for i in range(tables.shape[0]):
            roll_one(rules, tables[i], observation[i], random_word(seed, i), first_step, steps, careful)

    @rule
    def roll_row(numbers, tables, i, observation, seed, first_step, steps, careful):
        stream = random_word(seed, i)
        roll_one(rules_of(numbers), tables[i], observation[i], stream, first_step, steps, careful)

    @parallel_kernel
    def roll_tables_parallel(numbers, tables, observation, seed, first_step, steps, careful):
        games = keyed(tables.shape[0], digest)
        for i in prange(games):
            roll_row(numbers, tables, i, observation, seed, first_step, steps, careful)

    return Loops(
        seat=seat_tables,
        deal=deal_tables,
        look=look_tables,
        refresh=refresh_tables,
        step=step_tables,
        step_parallel=step_tables_parallel,
        play=play_table,
        roll=roll_tables,
        roll_parallel=roll_tables_parallel,
    )


# --- What is the same for every game ----------------------------------------------------------------------------------


@rule
def keyed(value, digest):  # noqa: ARG001
    """``value``. ``digest`` does nothing but join what a loop closes over: see `env_core.jit`."""
    return value


@rule
def seat_key(stream, index, digest):  # noqa: ARG001 - as in `keyed`
    """The random stream of a table; ``stream`` holds the seed and the game index of the first table (uint64)."""
    return game_key(stream[0], stream[1] + np.uint64(index))


@rule
def is_legal(rules, table, action):
    """The current player may take ``action``, which may be any number."""
    return 0 <= action < rules.num_actions and has_bit(table.mask[action >> 6], action & 63) != ZERO


@rule
def has_rewards(table):
    """1 where somebody's reward is not zero, else 0."""
    found = 0
    for player in range(table.rewards.shape[0]):
        if table.rewards[player] != 0.0:
            found = 1
    return found


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
