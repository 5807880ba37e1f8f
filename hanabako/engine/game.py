"""What is asked of a game, on one page: its compiled functions, and the class that the environments talk to.

A game brings `GameFunctions`, from which `hanabako.engine.loops` makes its compiled `Loops`; a subclass of `Game` with
its words, positions and pictures; and a declaration of its names, `hanabako.games.GameEntry`.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hanabako.compiler.jit import interned

__all__ = [
    "DISABLED",
    "ENDED",
    "LONGEST_GAME",
    "NEXT_STEP",
    "REFUSED",
    "REWARDED",
    "SAME_STEP",
    "Game",
    "GameFunctions",
    "Loops",
    "rules_array",
]

SAME_STEP = 0  # what a compiled step does at the end of a game: deal the next one at once,
NEXT_STEP = 1  # in the step that follows, or
DISABLED = 2  # nothing

LONGEST_GAME = 2**32 - 1  # steps that the field ``length`` of a record can count

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


class Game(ABC):
    """A configured game, as `hanabako.envs.vector` and `hanabako.envs.aec` see it.

    A *table* is one record of ``table_dtype`` with at least the fields ``state`` (with ``game_key`` and ``episode``),
    ``mask``, ``rewards`` (players,), ``reward``, ``current_player``, ``terminated``, ``ended``, ``illegal``, ``length``
    and one field for every name in ``statistics``.
    """

    name: ClassVar[str]
    functions: ClassVar[GameFunctions]
    statistics: ClassVar[tuple[str, ...]]
    """Numbers of a finished game: int64 fields of the table, in ``infos`` beside ``length`` and ``illegal``."""

    deal_options: ClassVar[tuple[str, ...]]
    """Options of a reset that fix the deal."""

    config: Any
    rules: Any
    rules_array: np.ndarray
    players: int
    num_actions: int
    observation_bits: int

    def __init__(self, config: Any) -> None:
        self.config = config
        self.rules = config.rules()
        self.rules_array = rules_array(self.rules)
        self.players = self.rules.players
        self.num_actions = self.rules.num_actions
        self.observation_bits = config.observation_bits

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles carry the configuration alone."""
        return type(self), (self.config,)

    def loops(self, specialize: bool) -> Loops:
        """The compiled loops: specialized to this configuration, or generic."""
        from hanabako.engine.loops import compiled_loops

        return compiled_loops(self.functions, type(self.rules), self.rules if specialize else None)

    @abstractmethod
    def table_dtype(self, specialize: bool) -> np.dtype:
        """The record of one table: of exactly this configuration's size, or the general one."""

    @abstractmethod
    def action_to_str(self, state: Any, action: int) -> str:
        """The word of an action."""

    @abstractmethod
    def str_to_action(self, state: Any, text: str) -> int:
        """The action that a word names."""

    @abstractmethod
    def to_dict(self, state: Any) -> dict[str, Any]:
        """The whole hidden state in plain Python types and card names."""

    @abstractmethod
    def load_position(self, state: Any, position: dict[str, Any]) -> None:
        """Set the state from such a dict; ``ValueError`` for an impossible one."""

    @abstractmethod
    def load_deal(self, state: Any, options: dict[str, Any]) -> None:
        """Deal from the decks among the ``options`` of a reset, if any; ``ValueError`` for impossible ones."""

    @abstractmethod
    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        """The statistics of a finished game with their words."""

    def lost(self, tables: np.ndarray) -> np.ndarray:
        """Which of the games that just ended at ``tables`` the players lost together, bool (N,)."""
        return np.zeros(len(tables), np.bool_)

    @property
    def lost_score(self) -> int:
        """What such a game scores with ``score_on_loss="zero"``."""
        return 0

    @abstractmethod
    def drawing(self) -> Any:
        """The game's module ``drawing.render``, imported when something is to be drawn."""

    def render(self, position: dict[str, Any], mode: str) -> Any:
        """A picture of a position: ``"ansi"`` text, ``"svg"`` text, or ``"rgb_array"`` pixels."""
        drawing = self.drawing()
        view = drawing.view_of(position, self.config, None)
        draw = {"ansi": drawing.table_ansi, "svg": drawing.table_svg, "rgb_array": drawing.table_rgb}[mode]
        return draw(view)
