"""The interface of Ikebana to the shared environments: rules, texts, positions and pictures in one class."""

from typing import Any

import numpy as np

from hanabako.engine.bounds import Bounds
from hanabako.engine.game import Game
from hanabako.engine.turns import table_dtype
from ikebana_env.config import IkebanaConfig, make_config
from ikebana_env.engine.bounds import is_whole, state_bounds
from ikebana_env.engine.observation import observation_words
from ikebana_env.engine.rewards import FUNCTIONS, STATISTICS
from ikebana_env.engine.state import roomy, state_dtype
from ikebana_env.words import notation, positions


class IkebanaGame(Game):
    """A configured game of Ikebana: see `hanabako.engine.game.Game`."""

    name = "ikebana_v0"
    functions = FUNCTIONS
    statistics = STATISTICS
    deal_options = ("decks",)

    def table_dtype(self, specialize: bool) -> np.dtype:
        room = self.rules if specialize else roomy(self.rules)
        state = state_dtype(room.players, room.rounds)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def state_bounds(self) -> Bounds:
        return state_bounds(self.rules)

    def is_whole(self, states: Any) -> np.ndarray:
        return is_whole(self.rules, states)

    def winners(self, tables: np.ndarray) -> np.ndarray:
        return (tables["winners"][:, None] >> np.arange(self.players) & 1) == 1

    def action_to_str(self, state: Any, action: int) -> str:
        return notation.action_to_str(self.config, action)

    def str_to_action(self, state: Any, text: str) -> int:
        return notation.str_to_action(self.config, text)

    def to_dict(self, state: Any) -> dict[str, Any]:
        return positions.to_dict(self.config, state)

    def load_position(self, state: Any, position: dict[str, Any]) -> None:
        positions.load_position(self.config, state, position)

    def load_deal(self, state: Any, options: dict[str, Any]) -> None:
        if "decks" in options:
            positions.load_decks(self.config, state, options["decks"])

    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        winners = [player for player in range(self.players) if ending["winners"] >> player & 1]
        return {**ending, "winners": winners, "end_reason": notation.END_NAMES[ending["end_reason"]]}


def make_game(config: IkebanaConfig | None = None, preset: str | None = None, **fields: Any) -> IkebanaGame:
    """Return the configured game from a factory's keywords.

    Raises:
        ValueError: a keyword has a wrong name or value.
    """
    return IkebanaGame(make_config(config, preset, **fields))
