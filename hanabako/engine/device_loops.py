"""The loops of `hanabako.engine.loops` as kernels for a GPU: one thread per table, from the same functions.

A kernel is compiled for one configuration, whose rules are constants. It reads and writes arrays on the device.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hanabako.compiler.cuda import DeviceKernel, device_kernel, thread_number
from hanabako.engine.bits import clear_row, unpack_row
from hanabako.engine.protocol import GameFunctions
from hanabako.engine.rng import game_key, random_word
from hanabako.engine.turns import TurnRules, random_move, rollout_rule, turn_rules

__all__ = ["DeviceLoops", "device_loops"]


class DeviceLoops(NamedTuple):
    """The kernels over an array of tables. The first argument is the number of rows, one per thread.

    Rows of ``observation`` are as in `hanabako.engine.protocol.Loops`.
    """

    deal: DeviceKernel  # (N, tables, chosen, stream (2,), is_new): deal the next games, or the first of a new stream
    observe: DeviceKernel  # (N, tables, observation (N, n), action_mask (N, A)): for the players to move
    observe_all: DeviceKernel  # (N, tables, observation (N, P, n), action_mask (N, P, A)): for every player
    step: DeviceKernel  # (N, tables, actions, observation, action_mask, final, mode)
    rollout: DeviceKernel  # (N, tables, observation (N, K, n), seed, first_step, steps): random legal actions


@cache
def device_loops(functions: GameFunctions, rules: Any) -> DeviceLoops:
    """Return the kernels of a game, for the ``rules`` of one configuration."""
    turn = turn_rules(functions)
    observe, observe_all = observing_kernels(rules, turn)
    return DeviceLoops(
        deal=dealing_kernel(functions, rules, turn),
        observe=observe,
        observe_all=observe_all,
        step=stepping_kernel(rules, turn),
        rollout=rollout_kernel(functions, rules, turn),
    )


def dealing_kernel(functions: GameFunctions, rules: Any, turn: TurnRules) -> DeviceKernel:
    """Make `DeviceLoops.deal`."""
    init, refresh = functions.init, turn.refresh

    @device_kernel
    def deal(rows, tables, chosen, stream, is_new):
        i = thread_number()
        if i < rows and chosen[i]:
            if is_new:
                tables[i].state.game_key = game_key(stream[0], stream[1] + np.uint64(i))
                tables[i].state.episode = 0
            else:
                tables[i].state.episode += 1
            init(rules, tables[i].state)
            refresh(rules, tables[i])

    return deal


def observing_kernels(rules: Any, turn: TurnRules) -> tuple[DeviceKernel, DeviceKernel]:
    """Make `DeviceLoops.observe` and `DeviceLoops.observe_all`."""
    observe, players = turn.observe, rules.players

    @device_kernel
    def observe_movers(rows, tables, observation, action_mask):
        i = thread_number()
        if i < rows:
            observe(rules, tables[i], np.int64(tables[i].state.current_player), observation[i])
            unpack_row(tables[i].mask, action_mask.shape[1], action_mask[i])

    @device_kernel
    def observe_everybody(rows, tables, observation, action_mask):
        i = thread_number()
        if i < rows:
            for player in range(players):  # in turn, as they share the table's memory for an observation
                observe(rules, tables[i], player, observation[i, player])
                if player == tables[i].state.current_player:
                    unpack_row(tables[i].mask, action_mask.shape[2], action_mask[i, player])
                else:
                    clear_row(action_mask[i, player])

    return observe_movers, observe_everybody


def stepping_kernel(rules: Any, turn: TurnRules) -> DeviceKernel:
    """Make `DeviceLoops.step`."""
    step_and_observe = turn.step_and_observe

    @device_kernel
    def step_tables(rows, tables, actions, observation, action_mask, final, mode):
        i = thread_number()
        if i < rows:
            step_and_observe(rules, tables[i], actions[i], observation[i], action_mask[i], final[i], mode)

    return step_tables


def rollout_kernel(functions: GameFunctions, rules: Any, turn: TurnRules) -> DeviceKernel:
    """Make `DeviceLoops.rollout`."""
    roll_out: Callable[..., None] = rollout_rule(functions, turn, random_move)

    @device_kernel
    def rollout_tables(rows, tables, observation, seed, first_step, steps):
        i = thread_number()
        if i < rows:
            roll_out(rules, tables[i], observation[i], random_word(seed, i), first_step, steps)

    return rollout_tables
