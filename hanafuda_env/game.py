"""The interface of Koi-Koi to the shared environments: rules, texts, positions and pictures in one class."""

from typing import Any

import numpy as np

from hanabako.engine.bounds import Bounds
from hanabako.engine.game import Game
from hanabako.engine.turns import table_dtype
from hanafuda_env.config import KoiKoiConfig, make_config
from hanafuda_env.engine.bounds import is_whole, state_bounds
from hanafuda_env.engine.observation import observation_words
from hanafuda_env.engine.rewards import FUNCTIONS, STATISTICS
from hanafuda_env.engine.state import roomy, state_dtype
from hanafuda_env.words import notation, positions


class KoiKoiGame(Game):
    """A configured game of Koi-Koi: see `hanabako.engine.game.Game`."""

    name = "koikoi_v0"
    functions = FUNCTIONS
    statistics = STATISTICS
    deal_options = ("decks", "dealer")

    def table_dtype(self, specialize: bool) -> np.dtype:
        room = self.rules if specialize else roomy(self.rules)
        state = state_dtype(room.rounds, room.history)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def state_bounds(self) -> Bounds:
        return state_bounds(self.rules)

    def is_whole(self, states: Any) -> np.ndarray:
        return is_whole(self.rules, states)

    def winners(self, tables: np.ndarray) -> np.ndarray:
        return tables["winner"][:, None] == np.arange(2)  # K29: no player in a tie

    def scores(self, tables: np.ndarray) -> np.ndarray:
        return np.maximum(tables["score"], tables["score_1"])

    def action_to_str(self, state: Any, action: int) -> str:
        return notation.action_to_str(state.phase, action)

    def str_to_action(self, state: Any, text: str) -> int:
        return notation.str_to_action(state.phase, text)

    def to_dict(self, state: Any) -> dict[str, Any]:
        return positions.to_dict(self.config, state)

    def load_position(self, state: Any, position: dict[str, Any]) -> None:
        positions.load_position(self.config, state, position)

    def load_deal(self, state: Any, options: dict[str, Any]) -> None:
        if options:
            positions.load_deal(self.config, state, options.get("decks"), options.get("dealer"))

    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        return {**ending, "winner": notation.player_or_none(ending["winner"])}


def make_game(config: KoiKoiConfig | None = None, preset: str | None = None, **fields: Any) -> KoiKoiGame:
    """Return the configured game from a factory's keywords.

    Raises:
        ValueError: a keyword has a wrong name or value.
    """
    return KoiKoiGame(make_config(config, preset, **fields))
