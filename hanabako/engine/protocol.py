"""The compiled part of a game's interface: its functions, and the loops that are made from them.

The other part, with texts, positions and pictures, is `hanabako.engine.game.Game`.
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

SAME_STEP = 0  # mode of a step: deal the next game in the step that ends one
NEXT_STEP = 1  # mode of a step: deal the next game in the following step
DISABLED = 2  # mode of a step: leave finished games as they are

REFUSED = -1  # returned by `Loops.step_one` for an illegal action, which changes nothing; otherwise the next player
ENDED = 256  # added by `Loops.step_one` if the game is over
REWARDED = 512  # added by `Loops.step_one` if any reward is not zero


class GameFunctions(NamedTuple):
    """A game's functions, from which the loops are made. Each is a `hanabako.compiler.jit.rule`.

    ``rules`` are the game's numbers, including ``players`` and ``num_actions``: its named tuple as a constant, or a
    record of `rules_array`. ``s`` is the state's record, with ``game_key``, ``episode``, ``length`` and
    ``current_player``. ``table`` is a record of `hanabako.engine.turns.table_dtype`.
    """

    init: Callable[..., None]  # (rules, s): deal episode ``s.episode`` of ``s.game_key``
    legal_action_mask: Callable[..., None]  # (rules, s, mask)
    observe: Callable[..., None]  # (rules, s, player, words)
    is_terminal: Callable[..., Any]  # (s)
    act: Callable[..., None]  # (rules, table, action): take a legal step; set ``table.rewards``, which are zero before
    forfeit: Callable[..., None]  # (rules, s): end the game because of the current player's illegal action
    end_game: Callable[..., None]  # (rules, table): write the statistics of a finished game


class Loops(NamedTuple):
    """The compiled loops over an array of tables. ``rules_array`` has one record, the game's rules.

    Rows of ``observation`` may be int8 or float32 (one number per bit), uint64 (packed words) or empty (nothing is
    written).
    """

    seed: Callable[..., Any]  # (tables, stream uint64 (2,): seed, first game index): set the random streams
    reset: Callable[..., Any]  # (rules_array, tables, chosen): begin the current episode of the chosen tables
    observe: Callable[..., Any]  # (rules_array, tables, player or -1, observation (N, n), action_mask (N, A))
    refresh: Callable[..., Any]  # (rules_array, tables): update fields after states were set from outside
    step: Callable[..., Any]  # (rules_array, tables, actions, observation, action_mask, final, mode) -> games ended
    step_parallel: Callable[..., Any]  # the same on several threads
    step_one: Callable[
        ..., Any
    ]  # (rules_array, tables (1,), action, observation (n,), action_mask (A,)) -> see REFUSED
    rollout: Callable[..., Any]  # (rules_array, tables, observation (N, K, n), seed, first_step, steps)
    rollout_parallel: Callable[..., Any]  # the same on several threads


@cache
def rules_array(rules: Any) -> np.ndarray:
    """Return rules (a named tuple of ints and tuples of ints) as a structured array (1,), for generic loops."""
    fields = [(name, np.int64, np.shape(value)) for name, value in zip(rules._fields, rules, strict=True)]
    kind = np.dtype(fields, align=True)
    return np.array([tuple(rules)], interned(kind))
