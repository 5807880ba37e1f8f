"""The compiled loops over tables: thin drivers around `hanabi_env.rules` and `hanabi_env.observation`.

A *table* is one record: a game, its legal actions, and what its last step brought. Loops write only to their own rows
of preallocated arrays. They come in two programs made of the same lines:

* the *general* program reads the numbers of the rules at run time. It is compiled once and plays every configuration
  with the same record layout;
* a *special* program closes over the rules as constants. It is one and a half to two times as fast and is compiled for
  its configuration alone.
"""

from functools import cache

import numpy as np
from numba import prange

from env_core.bits import ZERO, clear_row, copy_row, has_bit, nth_set_bit, popcount, unpack
from env_core.game import ENDED, NEXT_STEP, REFUSED, REWARDED, SAME_STEP, Loops
from env_core.jit import interned, kernel, parallel_kernel, rule
from env_core.rng import game_key, random_below, random_word
from hanabi_env.config import compiled_digest
from hanabi_env.observation import observation_words, observe
from hanabi_env.rules import (
    END_ILLEGAL,
    Rules,
    fireworks_score,
    first_announced_play,
    first_color_hint,
    first_play,
    init,
    is_playable,
    is_terminal,
    is_tile_pending,
    legal_action_mask,
    rules_from,
    score,
    state_dtype,
    step,
    suit_of,
)


def table_dtype(room: Rules) -> np.dtype:
    """The record of one table with the sizes of ``room``: those of the table's rules, or larger ones."""
    state = state_dtype(room.players, room.hand_size, room.suits, room.ranks, room.deck_size, room.history)
    table = np.dtype(
        [
            ("state", state),
            ("mask", np.uint64, (-(-room.num_actions // 64),)),  # legal actions of the current player
            ("seen", np.uint64, (observation_words(room),)),  # the last observation that was asked for
            ("rewards", np.float64, (room.players,)),  # of the last step, as are all fields below
            ("reward", np.float64),  # of the team, or the penalty of an illegal action
            ("current_player", np.int64),
            ("score", np.int64),  # of the game that ended, as are all fields below
            ("fireworks_score", np.int64),
            ("length", np.int64),
            ("end_reason", np.int64),
            ("terminated", np.bool_),
            ("ended", np.bool_),  # the last step ended a game
            ("illegal", np.bool_),  # by an illegal action
        ],
        align=True,
    )
    return interned(table)


MOST_RETRIES = 64  # a careful roll-out looks so often for a move that is no error

# --- One table --------------------------------------------------------------------------------------------------------


@rule
def begin_episode(rules, table):
    """Deal the next game of the table."""
    table.state.episode += 1
    init(rules, table.state)


@rule
def step_table(rules, table, action):
    """One action, its rewards, and the statistics if it ended the game. Nothing happens where the game is over."""
    s = table.state
    table.ended = False
    table.illegal = False
    give_rewards(rules, table, 0)
    if not is_terminal(s):
        act(rules, table, action)
        if is_terminal(s):
            end_game(rules, table)
    table.terminated = is_terminal(s)


@rule
def is_legal(rules, table, action):
    """The current player may take ``action``, which may be any number."""
    return 0 <= action < rules.num_actions and has_bit(table.mask[action >> 6], action & 63) != ZERO


@rule
def act(rules, table, action):
    """The reward of a legal action is the change of score (E7); an illegal one ends the game at the offender's cost."""
    s = table.state
    if is_legal(rules, table, action):
        before = score(rules, s)
        step(rules, s, action)
        give_rewards(rules, table, score(rules, s) - before)
    else:
        s.end_reason = END_ILLEGAL
        table.illegal = True
        table.reward = -1.0
        table.rewards[s.current_player] = -1.0


@rule
def give_rewards(rules, table, reward):
    """Hanabi is co-operative: every player gets the same."""
    table.reward = reward
    for player in range(rules.players):
        table.rewards[player] = reward


@rule
def end_game(rules, table):
    """Note the statistics of the game."""
    s = table.state
    table.ended = True
    table.score = score(rules, s)
    table.fireworks_score = fireworks_score(rules, s)
    table.length = s.length
    table.end_reason = s.end_reason


@rule
def look(rules, table, player, out):
    """Write the observation of ``player`` to ``out``: words where it holds 64-bit numbers, else one number a bit."""
    if out.shape[0] == 0:
        return
    observe(rules, table.state, player, table.seen)
    if out.itemsize == 8:
        for w in range(out.shape[0]):
            out[w] = table.seen[w]
    else:
        unpack(table.seen, out.shape[0], out)


# --- All tables -------------------------------------------------------------------------------------------------------


@rule
def seat_all(tables, stream, digest):  # noqa: ARG001 - as in `rules_of`
    """Give every table its random stream; ``stream`` holds the seed and the game index of the first table (uint64)."""
    for i in range(tables.shape[0]):
        tables[i].state.game_key = game_key(stream[0], stream[1] + np.uint64(i))
        tables[i].state.episode = 0


@rule
def deal_all(rules, tables, chosen):
    """Begin the current episode of the chosen tables (one bool a table)."""
    for i in range(tables.shape[0]):
        if chosen[i]:
            init(rules, tables[i].state)
            refresh(rules, tables[i])


@rule
def refresh(rules, table):
    """What follows from a state that was set from outside: legal actions, current player, no result of a step."""
    legal_action_mask(rules, table.state, table.mask)
    table.current_player = table.state.current_player
    table.terminated = is_terminal(table.state)
    table.ended = False
    table.illegal = False
    give_rewards(rules, table, 0)


@rule
def look_all(rules, tables, player, observation, action_mask):
    """Observations and masks of one player, or of the current player with -1. Others than the current have no mask."""
    for i in range(tables.shape[0]):
        observer = np.int64(tables[i].state.current_player) if player < 0 else player
        look(rules, tables[i], observer, observation[i])
        if observer == tables[i].state.current_player:
            unpack(tables[i].mask, action_mask.shape[1], action_mask[i])
        else:
            clear_row(action_mask[i])


@rule
def step_one(rules, table, action, observation, action_mask, final, mode):
    """Step a table, deal again as ``mode`` says, look with the eyes of the next player. Returns 1 at an end, else 0.

    There is one `look` and one `begin_episode` in a loop of one or two rounds, because each is inlined where it stands.
    """
    deals = mode == NEXT_STEP and is_terminal(table.state)
    step_table(rules, table, action)
    rounds = 2 if table.ended and mode == SAME_STEP else 1
    for k in range(rounds):
        if deals or k == 1:
            begin_episode(rules, table)
        look(rules, table, np.int64(table.state.current_player), observation)
        if k + 1 < rounds:
            copy_row(observation, final)
    if deals:
        table.terminated = False
    offer_actions(rules, table, action_mask)
    return np.int64(table.ended)


@rule
def offer_actions(rules, table, action_mask):
    """Whose turn it is and what is legal now."""
    legal_action_mask(rules, table.state, table.mask)
    unpack(table.mask, action_mask.shape[0], action_mask)
    table.current_player = table.state.current_player


@rule
def play_one(rules, table, action, observation, action_mask):
    """One step of a single game that refuses what is not legal.

    Everything a caller needs at once is in the returned number: `REFUSED`, or the next player, plus `ENDED` and
    `REWARDED` where they hold.
    """
    if not is_legal(rules, table, action):
        return REFUSED
    step_table(rules, table, action)
    look(rules, table, np.int64(table.state.current_player), observation)
    offer_actions(rules, table, action_mask)
    return table.current_player + ENDED * np.int64(table.ended) + REWARDED * np.int64(table.reward != 0.0)


@rule
def roll_one(rules, table, observation, stream, first_step, steps, careful):
    """Random legal steps at one table; ``careful`` plays only cards that fit. Observes the current or all players."""
    for t in range(first_step, first_step + steps):
        action = random_action(table.mask, stream, t)
        for retry in range(1, MOST_RETRIES):
            if not careful or not is_misplay(rules, table.state, action):
                break
            action = random_action(table.mask, stream, (retry << 40) + t)
        step_table(rules, table, action)
        if table.ended:
            begin_episode(rules, table)
        legal_action_mask(rules, table.state, table.mask)
        for k in range(observation.shape[0]):
            player = np.int64(table.state.current_player) if observation.shape[0] == 1 else k
            look(rules, table, player, observation[k])


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


@rule
def is_misplay(rules, s, action):
    """The action plays a card that does not fit, or announces a wrong suit."""
    if is_tile_pending(rules, s):
        return False
    slot = action - first_play(rules)
    announced = -1
    if action >= first_announced_play(rules):
        slot = (action - first_announced_play(rules)) // rules.suits
        announced = (action - first_announced_play(rules)) % rules.suits
    elif action < first_play(rules) or action >= first_color_hint(rules):
        return False
    card = s.hands[s.current_player, slot]
    return not is_playable(rules, s, card) or (announced >= 0 and announced != suit_of(rules, card))


# --- Programs ---------------------------------------------------------------------------------------------------------


@rule
def rules_of(frozen, numbers, digest):  # noqa: ARG001
    """The rules a loop plays by. ``digest`` does nothing but join what the loop closes over: see `env_core.jit`."""
    return rules_from(numbers) if frozen is None else frozen


@cache
def compiled_loops(frozen: Rules | None) -> Loops:  # noqa: C901 - one loop after another, none of them nested
    """The loops over tables: the special program of ``frozen`` rules or, with ``None``, the general program."""
    digest = compiled_digest()

    @kernel
    def seat_tables(tables, stream):
        seat_all(tables, stream, digest)

    @kernel
    def deal_tables(numbers, tables, chosen):
        deal_all(rules_of(frozen, numbers, digest), tables, chosen)

    @kernel
    def look_tables(numbers, tables, player, observation, action_mask):
        look_all(rules_of(frozen, numbers, digest), tables, player, observation, action_mask)

    @kernel
    def refresh_tables(numbers, tables):
        rules = rules_of(frozen, numbers, digest)
        for i in range(tables.shape[0]):
            refresh(rules, tables[i])

    @kernel
    def step_tables(numbers, tables, actions, observation, action_mask, final, mode):
        rules = rules_of(frozen, numbers, digest)
        ended = 0
        for i in range(tables.shape[0]):
            ended += step_one(rules, tables[i], actions[i], observation[i], action_mask[i], final[i], mode)
        return ended

    @rule
    def step_row(numbers, tables, i, actions, observation, action_mask, final, mode):
        rules = rules_of(frozen, numbers, digest)
        return step_one(rules, tables[i], actions[i], observation[i], action_mask[i], final[i], mode)

    @parallel_kernel
    def step_tables_parallel(numbers, tables, actions, observation, action_mask, final, mode):
        ended = 0
        for i in prange(tables.shape[0]):  # the body of a prange cannot hold a named tuple: see step_row
            ended += step_row(numbers, tables, i, actions, observation, action_mask, final, mode)
        return ended

    @kernel
    def play_table(numbers, tables, action, observation, action_mask):
        return play_one(rules_of(frozen, numbers, digest), tables[0], action, observation, action_mask)

    @kernel
    def roll_tables(numbers, tables, observation, seed, first_step, steps, careful):
        rules = rules_of(frozen, numbers, digest)
        for i in range(tables.shape[0]):
            stream = random_word(seed, i)
            roll_one(rules, tables[i], observation[i], stream, first_step, steps, careful)

    @rule
    def roll_row(numbers, tables, i, observation, seed, first_step, steps, careful):
        rules = rules_of(frozen, numbers, digest)
        roll_one(rules, tables[i], observation[i], random_word(seed, i), first_step, steps, careful)

    @parallel_kernel
    def roll_tables_parallel(numbers, tables, observation, seed, first_step, steps, careful):
        for i in prange(tables.shape[0]):
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
