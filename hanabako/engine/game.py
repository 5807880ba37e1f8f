"""What is asked of a game, on one page.

A game brings its compiled functions (`hanabako.engine.protocol.GameFunctions`: seven rules, from which the loops are
made), a subclass of `Game` with its words, positions and pictures, and a declaration of its names
(`hanabako.games.GameEntry`).
"""

from abc import ABC, abstractmethod
from importlib import import_module
from typing import Any, ClassVar

import numpy as np

from hanabako.engine.bounds import Bounds
from hanabako.engine.loops import compiled_loops
from hanabako.engine.protocol import GameFunctions, Loops, rules_array

__all__ = ["Game"]


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
        return compiled_loops(self.functions, type(self.rules), self.rules if specialize else None)

    @abstractmethod
    def table_dtype(self, specialize: bool) -> np.dtype:
        """The record of one table: of exactly this configuration's size, or the general one."""

    @abstractmethod
    def state_bounds(self) -> Bounds:
        """What the fields of a state may hold, for states that come from outside."""

    @abstractmethod
    def is_whole(self, states: Any) -> np.ndarray:
        """Which of the states (N,) of games under way, all within their bounds, the rules can go on from: bool (N,)."""

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

    def drawing(self) -> Any:
        """The module ``drawing.render`` of the game's package, imported when something is to be drawn."""
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.drawing.render")

    def render(self, position: dict[str, Any], mode: str) -> Any:
        """A picture of a position: ``"ansi"`` text, ``"svg"`` text, or ``"rgb_array"`` pixels."""
        drawing = self.drawing()
        view = drawing.view_of(position, self.config, None)
        draw = {"ansi": drawing.table_ansi, "svg": drawing.table_svg, "rgb_array": drawing.table_rgb}[mode]
        return draw(view)
