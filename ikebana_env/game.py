"""Ikebana as the shared environments see it."""

from typing import Any

import numpy as np

from env_core.game import Game, Loops
from env_core.loops import compiled_loops, table_dtype
from ikebana_env import notation
from ikebana_env import position as positions
from ikebana_env.config import MOST_ROUNDS, IkebanaConfig
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

    def __init__(self, config: IkebanaConfig) -> None:
        rules = config.rules()
        self.config = config
        self.rules = rules
        self.players = rules.players
        self.num_actions = rules.num_actions
        self.observation_bits = config.observation_bits
        self.numbers = np.array(rules, np.int64)
        self.words = notation.action_words(config)

    def table_dtype(self, special: bool) -> np.dtype:
        room = self.rules if special else LARGEST
        state = state_dtype(room.players, room.rounds)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def loops(self, special: bool) -> Loops:
        return compiled_loops(PROGRAM, self.rules if special else None, self.rules.source_digest)

    def action_to_str(self, state: Any, action: int) -> str:
        return self.words[action]

    def str_to_action(self, state: Any, text: str) -> int:
        return notation.number_of("action", self.words, text)

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

    def render(self, position: dict[str, Any], mode: str) -> Any:
        from ikebana_env import render

        view = render.view_of(position, self.config, None)
        if mode == "ansi":
            return render.table_ansi(view)
        return render.table_svg(view) if mode == "svg" else render.table_rgb(view)
