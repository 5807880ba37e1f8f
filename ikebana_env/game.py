"""Ikebana as the shared environments see it."""

from typing import Any

import numpy as np

from env_core.game import Game, Loops
from env_core.loops import compiled_loops, table_dtype
from ikebana_env import notation
from ikebana_env import position as positions
from ikebana_env.config import MOST_ROUNDS, IkebanaConfig, make_config
from ikebana_env.loops import PROGRAM, STATISTICS
from ikebana_env.observation import observation_words
from ikebana_env.rules import state_dtype

LARGEST = IkebanaConfig(players=5, rounds=MOST_ROUNDS, perfect_recall=True, derived=True).rules()
"""The general record has room for every table."""


class IkebanaGame(Game):
    """A configured game of Ikebana: see `env_core.game.Game`."""

    name = "ikebana_v0"
    statistics = STATISTICS
    deal_options = ("decks",)

    def table_dtype(self, special: bool) -> np.dtype:
        room = self.rules if special else LARGEST
        state = state_dtype(room.players, room.rounds)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def loops(self, special: bool) -> Loops:
        return compiled_loops(PROGRAM, self.rules if special else None, self.rules.source_digest)

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

    def drawing(self) -> Any:
        from ikebana_env import render

        return render


def make_game(config: IkebanaConfig | None = None, preset: str | None = None, **fields: Any) -> IkebanaGame:
    """The game that the keywords of every factory mean.

    Raises:
        ValueError: a keyword is wrong, by name and value.
    """
    return IkebanaGame(make_config(config, preset, **fields))
