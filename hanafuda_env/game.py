"""The interface of Koi-Koi to the shared environments: rules, texts, positions and pictures in one class."""

from typing import Any

import numpy as np

from hanabako.engine.game import Game
from hanabako.engine.turns import table_dtype
from hanafuda_env.config import PRESETS
from hanafuda_env.engine.observation import observation_words
from hanafuda_env.engine.rewards import FUNCTIONS, STATISTICS
from hanafuda_env.engine.state import roomy, state_dtype
from hanafuda_env.words import notation


class KoiKoiGame(Game):
    """A configured game of Koi-Koi: see `hanabako.engine.game.Game`."""

    name = "koikoi_v0"
    presets = PRESETS
    functions = FUNCTIONS
    statistics = STATISTICS
    deal_options = ("decks", "dealer")

    def table_dtype(self, specialize: bool) -> np.dtype:
        room = self.rules if specialize else roomy(self.rules)
        state = state_dtype(room.rounds, room.history)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def winners(self, tables: np.ndarray) -> np.ndarray:
        return tables["winner"][:, None] == np.arange(2)  # K29: no player in a tie

    def scores(self, tables: np.ndarray) -> np.ndarray:
        return np.maximum(tables["score"], tables["score_1"])

    def action_to_str(self, state: Any, action: int) -> str:
        return notation.action_to_str(state.phase, action)

    def str_to_action(self, state: Any, text: str) -> int:
        return notation.str_to_action(state.phase, text)

    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        return {**ending, "winner": notation.player_or_none(ending["winner"])}


make_game = KoiKoiGame.make
