"""Koi-Koi as the shared environments see it."""

from typing import Any

import numpy as np

from env_core.game import Game, Loops
from env_core.loops import compiled_loops, table_dtype
from hanafuda_env import notation
from hanafuda_env import position as positions
from hanafuda_env.box import LEAST_TURNS, Rules, numbers_of, state_dtype
from hanafuda_env.config import MOST_HISTORY, KoiKoiConfig, make_config
from hanafuda_env.loops import PROGRAM, STATISTICS
from hanafuda_env.observation import observation_words

GENERAL_ROUNDS = 12


class KoiKoiGame(Game):
    """A configured game of Koi-Koi: see `env_core.game.Game`."""

    name = "koikoi_v0"
    statistics = STATISTICS
    deal_options = ("decks", "dealer")

    def numbers_of(self, rules: Any) -> np.ndarray:
        return numbers_of(rules)

    def table_dtype(self, special: bool) -> np.dtype:
        room = self.rules if special else roomy(self.rules)
        state = state_dtype(room.rounds, room.history)
        return table_dtype(state, room.players, room.num_actions, observation_words(room), STATISTICS)

    def loops(self, special: bool) -> Loops:
        return compiled_loops(PROGRAM, self.rules if special else None, self.rules.source_digest)

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

    def drawing(self) -> Any:
        from hanafuda_env import render

        return render


def make_game(config: KoiKoiConfig | None = None, preset: str | None = None, **fields: Any) -> KoiKoiGame:
    """The game that the keywords of every factory mean.

    Raises:
        ValueError: a keyword is wrong, by name and value.
    """
    return KoiKoiGame(make_config(config, preset, **fields))


def roomy(rules: Rules) -> Rules:
    """Sizes of the general record: room for every preset, or for this table where it is larger."""
    return rules._replace(
        rounds=max(GENERAL_ROUNDS, rules.rounds),
        history=MOST_HISTORY if rules.history > LEAST_TURNS else LEAST_TURNS,
    )
