"""The interface of Hanabi to the shared environments: rules, texts, positions and pictures in one class."""

from typing import Any

import numpy as np

from hanabako.engine.game import Game
from hanabako.engine.turns import table_dtype
from hanabi_env.config import PRESETS
from hanabi_env.engine.observation import observation_words
from hanabi_env.engine.rewards import FUNCTIONS, STATISTICS
from hanabi_env.engine.rules import opening_score
from hanabi_env.engine.state import LOST_ENDS, roomy, state_dtype
from hanabi_env.words import notation


class HanabiGame(Game):
    """A configured game of Hanabi: see `hanabako.engine.game.Game`."""

    name = "hanabi_v0"
    presets = PRESETS
    functions = FUNCTIONS
    statistics = STATISTICS
    deal_options = ("deck", "bonus_tiles")

    def table_dtype(self, specialize: bool) -> np.dtype:
        room = self.rules if specialize else roomy(self.rules)
        state = state_dtype(room.players, room.hand_size, room.suits, room.ranks, room.deck_size, room.history)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def can_be_shown(self, states: Any) -> np.ndarray:
        return self.is_whole(states)

    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        from hanabi_env.words.ratings import verdicts

        reason = notation.END_NAMES[ending["end_reason"]]
        words = verdicts(self.config, ending["score"], reason)
        return {**ending, "end_reason": reason, "verdict": words["english"], "verdicts": words}

    def lost(self, tables: np.ndarray) -> np.ndarray:
        return np.isin(tables["end_reason"], LOST_ENDS)

    @property
    def lost_score(self) -> int:
        return int(opening_score(self.rules))


make_game = HanabiGame.make
