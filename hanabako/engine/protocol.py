"""The compiled half of what is asked of a game: its functions, and the loops that are made of them.

The other half, words, positions and pictures, is `hanabako.engine.game.Game`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from hanabako.compiler.jit import interned

__all__ = [
    "DISABLED",
    "ENDED",
    "NEXT_STEP",
    "REFUSED",
    "REWARDED",
    "SAME_STEP",
    "GameFunctions",
    "Loops",
    "rules_array",
]

SAME_STEP = 0  # what a compiled step does at the end of a game: deal the next one at once,
NEXT_STEP = 1  # in the step that follows, or
DISABLED = 2  # nothing

REFUSED = -1  # what `Loops.step_one` returns: nothing happened, because the action is not legal; or the next player,
ENDED = 256  # plus this if the game is over,
REWARDED = 512  # plus this if somebody's reward is not zero


class GameFunctions(NamedTuple):
    """A game's functions, all of them `hanabako.compiler.jit.rule`: what the loops are made of.

    ``rules`` are the game's numbers, among them ``players`` and ``num_actions``: its named tuple as a constant, or a
    record of `rules_array`. ``s`` is the state's record, with ``game_key``, ``episode``, ``length`` and
    ``current_player``; ``table`` is a record of `hanabako.engine.turns.table_dtype`.
    """

    init: Callable[..., None]  # (rules, s): deal the episode ``s.episode`` of ``s.game_key``
    legal_action_mask: Callable[..., None]  # (rules, s, mask)
    observe: Callable[..., None]  # (rules, s, player, words)
    is_terminal: Callable[..., Any]  # (s)
    act: Callable[..., None]  # (rules, table, action): a legal step and its ``table.rewards``, which are zero before
    forfeit: Callable[..., None]  # (rules, s): the game ends because the current player did what is not legal
    end_game: Callable[..., None]  # (rules, table): note the statistics of the game that has ended


class Loops(NamedTuple):
    """The compiled loops over an array of tables. ``rules_array`` is the game's, with its rules as the only record.

    ``observation`` rows may be int8 or float32 (one number per bit), uint64 (packed words) or empty (nothing is
    written).
    """

    seed: Callable[..., Any]  # (tables, stream uint64 (2,): seed, first game index): give tables their random streams
    reset: Callable[..., Any]  # (rules_array, tables, chosen): begin the current episode of the chosen tables
    observe: Callable[..., Any]  # (rules_array, tables, player or -1, observation (N, n), action_mask (N, A))
    refresh: Callable[..., Any]  # (rules_array, tables): what follows from states that were set from outside
    step: Callable[..., Any]  # (rules_array, tables, actions, observation, action_mask, final, mode) -> games ended
    step_parallel: Callable[..., Any]  # the same on several threads
    step_one: Callable[
        ..., Any
    ]  # (rules_array, tables (1,), action, observation (n,), action_mask (A,)) -> see REFUSED
    rollout: Callable[..., Any]  # (rules_array, tables, observation (N, K, n), seed, first_step, steps)
    rollout_parallel: Callable[..., Any]  # the same on several threads


@cache
def rules_array(rules: Any) -> np.ndarray:
    """A named tuple of ints and of tuples of ints as the one record of an array (1,), for generic loops."""
    fields = [(name, np.int64, np.shape(value)) for name, value in zip(rules._fields, rules, strict=True)]
    kind = np.dtype(fields, align=True)
    return np.array([tuple(rules)], interned(kind))
