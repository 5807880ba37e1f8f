"""What the shared environments need to know of a game: one small class that every game fills in."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np

__all__ = ["DISABLED", "ENDED", "LONGEST_GAME", "NEXT_STEP", "REFUSED", "REWARDED", "SAME_STEP", "Game", "Loops"]

SAME_STEP = 0  # what a compiled step does at the end of a game: deal the next one at once,
NEXT_STEP = 1  # in the step that follows, or
DISABLED = 2  # nothing

LONGEST_GAME = 2**32 - 1  # steps that the field ``length`` of a record can count

REFUSED = -1  # what `Loops.play` returns: nothing happened, because the action is not legal; or the next player,
ENDED = 256  # plus this where the game is over,
REWARDED = 512  # plus this where somebody's reward is not zero


class Loops(NamedTuple):
    """The compiled loops over an array of tables. ``numbers`` are the rules as an int64 array.

    ``observation`` rows may be int8 or float32 (one number a bit), uint64 (packed words) or empty (nothing is written).
    """

    seat: Callable[..., Any]  # (tables, stream uint64 (2,): seed, first game index): give tables their random streams
    deal: Callable[..., Any]  # (numbers, tables, chosen): begin the current episode of the chosen tables
    look: Callable[..., Any]  # (numbers, tables, player or -1, observation (N, n), action_mask (N, A))
    refresh: Callable[..., Any]  # (numbers, tables): what follows from states that were set from outside
    step: Callable[..., Any]  # (numbers, tables, actions, observation, action_mask, final, mode) -> games ended
    step_parallel: Callable[..., Any]  # the same on several threads
    play: Callable[..., Any]  # (numbers, tables (1,), action, observation (n,), action_mask (A,)) -> code, see below
    roll: Callable[..., Any]  # (numbers, tables, observation (N, K, n), seed, first_step, steps, careful)
    roll_parallel: Callable[..., Any]


class Game(ABC):
    """A configured game, as `env_core.vector` and `env_core.aec` see it.

    A *table* is one record of ``table_dtype`` with at least the fields ``state`` (with ``game_key`` and ``episode``),
    ``mask``, ``rewards`` (players,), ``reward``, ``current_player``, ``terminated``, ``ended``, ``illegal``, ``length``
    and one field for every name in ``statistics``.
    """

    name: ClassVar[str]
    statistics: ClassVar[tuple[str, ...]]
    """Numbers of a finished game: int64 fields of the table, in ``infos`` beside ``length`` and ``illegal``."""

    deal_options: ClassVar[tuple[str, ...]]
    """Options of a reset that fix the deal."""

    config: Any
    rules: Any
    players: int
    num_actions: int
    observation_bits: int
    numbers: np.ndarray

    def __init__(self, config: Any) -> None:
        self.config = config
        self.rules = config.rules()
        self.players = self.rules.players
        self.num_actions = self.rules.num_actions
        self.observation_bits = config.observation_bits
        self.numbers = self.numbers_of(self.rules)

    def numbers_of(self, rules: Any) -> np.ndarray:
        """The rules as the int64 array that the loops take."""
        return np.array(rules, np.int64)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles carry the configuration alone."""
        return type(self), (self.config,)

    @abstractmethod
    def table_dtype(self, special: bool) -> np.dtype:
        """The record of one table: of exactly this configuration's size, or the general one."""

    @abstractmethod
    def loops(self, special: bool) -> Loops:
        """The compiled loops: special to this configuration, or general."""

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

    @abstractmethod
    def drawing(self) -> Any:
        """The game's module ``render``, imported when something is to be drawn."""

    def render(self, position: dict[str, Any], mode: str) -> Any:
        """A picture of a position: ``"ansi"`` text, ``"svg"`` text, or ``"rgb_array"`` pixels."""
        drawing = self.drawing()
        view = drawing.view_of(position, self.config, None)
        draw = {"ansi": drawing.table_ansi, "svg": drawing.table_svg, "rgb_array": drawing.table_rgb}[mode]
        return draw(view)
