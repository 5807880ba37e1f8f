"""The interface of Ikebana to the shared environments: rules, texts, positions and pictures in one class."""

from typing import Any

import numpy as np

from hanabako.engine.game import Game
from hanabako.engine.turns import table_dtype
from ikebana_env.config import PRESETS
from ikebana_env.engine.observation import observation_words
from ikebana_env.engine.rewards import FUNCTIONS, STATISTICS
from ikebana_env.engine.state import roomy, state_dtype
from ikebana_env.words import notation


class IkebanaGame(Game):
    """A configured game of Ikebana: see `hanabako.engine.game.Game`."""

    name = "ikebana_v0"
    presets = PRESETS
    functions = FUNCTIONS
    statistics = STATISTICS
    deal_options = ("decks",)

    def table_dtype(self, specialize: bool) -> np.dtype:
        room = self.rules if specialize else roomy(self.rules)
        state = state_dtype(room.players, room.rounds)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def winners(self, tables: np.ndarray) -> np.ndarray:
        return (tables["winners"][:, None] >> np.arange(self.players) & 1) == 1

    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        winners = [player for player in range(self.players) if ending["winners"] >> player & 1]
        return {**ending, "winners": winners, "end_reason": notation.END_NAMES[ending["end_reason"]]}


make_game = IkebanaGame.make
