"""Hanabi as the shared environments see it."""

from typing import Any

import numpy as np

from env_core.game import Game, Loops
from env_core.loops import compiled_loops, table_dtype
from hanabi_env import notation
from hanabi_env import position as positions
from hanabi_env.box import EVENTS_A_TURN, Rules, state_dtype
from hanabi_env.config import MOST_HISTORY, MOST_TOKENS, HanabiConfig, make_config
from hanabi_env.loops import PROGRAM, STATISTICS
from hanabi_env.observation import observation_words


class HanabiGame(Game):
    """A configured game of Hanabi: see `env_core.game.Game`."""

    name = "hanabi_v0"
    statistics = STATISTICS
    deal_options = ("deck", "bonus_tiles")

    def table_dtype(self, special: bool) -> np.dtype:
        room = self.rules if special else roomy(self.rules)
        state = state_dtype(room.players, room.hand_size, room.suits, room.ranks, room.deck_size, room.history)
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
        if "bonus_tiles" in options:
            positions.parse_bonus_tiles(self.config, options["bonus_tiles"])  # before anything is changed
        if "deck" in options:
            positions.load_deck(self.config, state, options["deck"])
        if "bonus_tiles" in options:
            positions.load_bonus_tiles(self.config, state, options["bonus_tiles"])

    def describe_end(self, ending: dict[str, Any]) -> dict[str, Any]:
        from hanabi_env.ratings import verdicts

        reason = notation.END_NAMES[ending["end_reason"]]
        words = verdicts(self.config, ending["score"], reason)
        return {**ending, "end_reason": reason, "verdict": words["english"], "verdicts": words}

    def drawing(self) -> Any:
        from hanabi_env import render

        return render


def make_game(config: HanabiConfig | None = None, preset: str | None = None, **fields: Any) -> HanabiGame:
    """The game that the keywords of every factory mean.

    Raises:
        ValueError: a keyword is wrong, by name and value.
    """
    return HanabiGame(make_config(config, preset, **fields))


def roomy(rules: Rules) -> Rules:
    """Sizes of the general record: room for every table of the booklets, or for this one where it is larger."""
    return rules._replace(
        players=5,
        hand_size=max(5, rules.hand_size),
        colors=6,
        suits=7,
        ranks=5,
        deck_size=70,
        max_information_tokens=MOST_TOKENS,
        max_life_tokens=MOST_TOKENS,
        multicolor_suit=-1,
        black_suit=-1,
        flamboyants=1,
        choreography=1,
        num_actions=max(128, rules.num_actions),
        observation_type=1,
        history=EVENTS_A_TURN if rules.history <= EVENTS_A_TURN else MOST_HISTORY,
        belief=1,
        derived=1,
    )
