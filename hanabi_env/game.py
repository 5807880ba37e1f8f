"""The interface of Hanabi to the shared environments: rules, texts, positions and pictures in one class."""

from typing import Any

import numpy as np

from hanabako.engine.bounds import Bounds
from hanabako.engine.game import Game
from hanabako.engine.turns import table_dtype
from hanabi_env.config import HanabiConfig, make_config
from hanabi_env.engine.bounds import is_whole, state_bounds
from hanabi_env.engine.observation import observation_words
from hanabi_env.engine.rewards import FUNCTIONS, STATISTICS
from hanabi_env.engine.rules import opening_score
from hanabi_env.engine.state import LOST_ENDS, roomy, state_dtype
from hanabi_env.words import notation, positions


class HanabiGame(Game):
    """A configured game of Hanabi: see `hanabako.engine.game.Game`."""

    name = "hanabi_v0"
    functions = FUNCTIONS
    statistics = STATISTICS
    deal_options = ("deck", "bonus_tiles")

    def table_dtype(self, specialize: bool) -> np.dtype:
        room = self.rules if specialize else roomy(self.rules)
        state = state_dtype(room.players, room.hand_size, room.suits, room.ranks, room.deck_size, room.history)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def state_bounds(self) -> Bounds:
        return state_bounds(self.rules)

    def is_whole(self, states: Any) -> np.ndarray:
        return is_whole(self.rules, states)

    def can_be_shown(self, states: Any) -> np.ndarray:
        return is_whole(self.rules, states)

    def action_to_str(self, state: Any, action: int) -> str:
        return notation.action_to_str(self.config, action)

    def str_to_action(self, state: Any, text: str) -> int:
        return notation.str_to_action(self.config, text)

    def to_dict(self, state: Any) -> dict[str, Any]:
        return positions.to_dict(self.config, state)

    def load_position(self, state: Any, position: dict[str, Any]) -> None:
        positions.load_position(self.config, state, position)

    def load_deal(self, state: Any, options: dict[str, Any]) -> None:
        positions.load_deal(self.config, state, options)

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


def make_game(config: HanabiConfig | None = None, preset: str | None = None, **fields: Any) -> HanabiGame:
    """Return the configured game from a factory's keywords.

    Raises:
        ValueError: a keyword has a wrong name or value.
    """
    return HanabiGame(make_config(config, preset, **fields))
