"""The interface that every game implements.

A game provides compiled functions (`hanabako.engine.protocol.GameFunctions`: seven rules, from which the loops are
made), a subclass of `Game` with its texts, positions and pictures, and a declaration (`hanabako.games.GameEntry`).
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Self

import numpy as np

from hanabako.engine.bounds import Bounds
from hanabako.engine.loops import compiled_loops
from hanabako.engine.protocol import GameFunctions, Loops, rules_array
from hanabako.words.checks import build_config

__all__ = ["Game"]


class Game(ABC):
    """A configured game, as `hanabako.envs.vector` and `hanabako.envs.aec` use it.

    A *table* is one record of ``table_dtype`` with at least the fields ``state`` (with ``game_key`` and ``episode``),
    ``mask``, ``rewards`` (players,), ``reward``, ``current_player``, ``terminated``, ``ended``, ``illegal``, ``length``
    and one field for every name in ``statistics``.
    """

    name: ClassVar[str]
    functions: ClassVar[GameFunctions]
    statistics: ClassVar[tuple[str, ...]]
    """The names of a finished game's statistics: int64 fields of the table, which ``infos`` hold too."""

    deal_options: ClassVar[tuple[str, ...]]
    """Names of the options of `reset` that fix the deal."""

    presets: ClassVar[Mapping[str, Any]]
    """The configurations by name. The first is the default."""

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

    @classmethod
    def make(cls, config: Any = None, preset: str | None = None, **fields: Any) -> Self:
        """Return the configured game from a factory's keywords: see `hanabako.words.checks.build_config`."""
        return cls(build_config(cls.presets, config, preset, fields))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle only the configuration."""
        return type(self), (self.config,)

    def loops(self, specialize: bool) -> Loops:
        """Return the compiled loops: specialized to this configuration, or generic."""
        return compiled_loops(self.functions, type(self.rules), self.rules if specialize else None)

    @abstractmethod
    def table_dtype(self, specialize: bool) -> np.dtype:
        """Return the dtype of a table's record: of this configuration's size, or the generic one."""

    def state_bounds(self) -> Bounds:
        """Return the bounds of a state's fields, to check states that come from outside."""
        return self.module("engine.bounds").state_bounds(self.rules)

    def is_whole(self, states: Any) -> np.ndarray:
        """Return from which states (N,) of unfinished games, all within bounds, the rules can continue, bool (N,)."""
        return self.module("engine.bounds").is_whole(self.rules, states)

    def can_be_shown(self, states: Any) -> np.ndarray:
        """Return which states (N,) of finished games `to_dict` can show, bool (N,). All are within their bounds."""
        return np.ones(len(states), np.bool_)

    def action_to_str(self, state: Any, action: int) -> str:
        """Return the text of an action."""
        return self.module("words.notation").action_to_str(self.config, action)

    def str_to_action(self, state: Any, text: str) -> int:
        """Return the action that a text names."""
        return self.module("words.notation").str_to_action(self.config, text)

    def to_dict(self, state: Any) -> dict[str, Any]:
        """Return the whole state, hidden cards included, in plain Python types and card names."""
        return self.module("words.positions").to_dict(self.config, state)

    def load_position(self, state: Any, position: dict[str, Any]) -> None:
        """Set the state from a dict of `to_dict`; raise ``ValueError`` if it is impossible."""
        self.module("words.positions").load_position(self.config, state, position)

    def load_deal(self, state: Any, options: dict[str, Any]) -> None:
        """Deal as the ``options`` of a reset say, if any; raise ``ValueError`` if they are impossible."""
        if options:
            self.module("words.positions").load_deal(self.config, state, options)

    @abstractmethod
    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        """Return the statistics of a finished game, with names added for numbers that stand for something."""

    def lost(self, tables: np.ndarray) -> np.ndarray:
        """Return in which of the games that just ended at ``tables`` all players lost together, bool (N,)."""
        return np.zeros(len(tables), np.bool_)

    def winners(self, tables: np.ndarray) -> np.ndarray:
        """Return who won the games that just ended at ``tables``, bool (N, players); none if cooperative."""
        return np.zeros((len(tables), self.players), np.bool_)

    def scores(self, tables: np.ndarray) -> np.ndarray:
        """Return the scores of the games that just ended at ``tables``, (N,); if competitive, those of the winners."""
        return tables["score"]

    @property
    def lost_score(self) -> int:
        """The score of a game that all players lost, with ``score_on_loss="zero"``."""
        return 0

    def module(self, name: str) -> ModuleType:
        """Return a module of the game's package, imported at its first use."""
        return import_module(f"{type(self).__module__.rpartition('.')[0]}.{name}")

    def drawing(self) -> ModuleType:
        """Return the module ``drawing.render``."""
        return self.module("drawing.render")

    def render(self, position: dict[str, Any], mode: str) -> Any:
        """Draw a position as ``"ansi"`` text, ``"svg"`` text, or ``"rgb_array"`` pixels."""
        drawing = self.drawing()
        view = drawing.view_of(position, self.config, None)
        draw = {"ansi": drawing.table_ansi, "svg": drawing.table_svg, "rgb_array": drawing.table_rgb}[mode]
        return draw(view)
