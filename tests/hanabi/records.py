"""Games of Hanabi as single records, stepped by the rules as plain Python; one is a machine of `reference.lockstep`."""

import random
from typing import Any

import numpy as np

from hanabako.engine.rng import game_key
from hanabi_env import HanabiConfig
from hanabi_env.engine import rules as hanabi
from hanabi_env.engine.observation import observation_words, observe
from hanabi_env.engine.state import state_dtype
from hanabi_env.game import HanabiGame
from hanabi_env.words.notation import str_to_action
from hanabi_env.words.positions import load_deal, load_position
from tests.interpreted import WRAPPING, Interpreted

from .table import cards, fill


@WRAPPING
def new_game(config: HanabiConfig, seed: int = 1, room: HanabiConfig | None = None) -> Any:
    """Return a dealt game; if ``room`` is given, the record has the sizes for that configuration."""
    size = (room or config).rules()
    dtype = state_dtype(size.players, size.hand_size, size.suits, size.ranks, size.deck_size, size.history)
    state = np.zeros(1, dtype).view(np.recarray)[0]
    state.game_key = game_key(seed, 0)
    hanabi.init(config.rules(), state)
    return state


def legal_actions(config: HanabiConfig, state: Any) -> list[int]:
    mask = np.zeros(-(-config.rules().num_actions // 64), np.uint64)
    hanabi.legal_action_mask(config.rules(), state, mask)
    return [action for action in range(config.rules().num_actions) if int(mask[action >> 6]) >> (action & 63) & 1]


@WRAPPING
def do(config: HanabiConfig, state: Any, *moves: str) -> None:
    for words in moves:
        action = str_to_action(config, words)
        assert action in legal_actions(config, state), words
        hanabi.step(config.rules(), state, action)


@WRAPPING
def play_on(config: HanabiConfig, state: Any, moves: int, rng: random.Random) -> None:
    for _ in range(moves):
        if state.end_reason:
            return
        hanabi.step(config.rules(), state, rng.choice(legal_actions(config, state)))


@WRAPPING
def observations(config: HanabiConfig, state: Any) -> list[list[int]]:
    rules, seen = config.rules(), []
    for player in range(config.players):
        out = np.zeros(observation_words(rules), np.uint64)
        observe(rules, state, player, out)
        seen.append(out.tolist())
    return seen


def stacked(config: HanabiConfig, start: str) -> Any:
    state = new_game(config)
    load_deal(config, state, {"deck": cards(start) + fill(config, cards(start))})
    return state


def check(config: HanabiConfig, position: Any) -> None:
    """Raise ``ValueError`` if this is not a position of the configuration."""
    load_position(config, new_game(config), position)


class PlainEngine(Interpreted):
    """One game from a given deck."""

    name = "hanabako as plain Python"

    def __init__(self, config: HanabiConfig, deck: list[str], bonus_tiles: str = "") -> None:
        super().__init__(HanabiGame(config))
        self.config = config
        self.game.load_deal(self.state, {"deck": deck} | ({"bonus_tiles": list(bonus_tiles)} if bonus_tiles else {}))

    @property
    def current_player(self) -> int:
        return int(self.state.current_player)

    @property
    def score(self) -> int:
        return int(hanabi.score(self.rules, self.state))

    def load(self, position: dict[str, Any]) -> None:
        """Continue from a position."""
        self.game.load_position(self.state, position)

    def legal(self) -> set[int]:
        return set(np.flatnonzero(self.mask()).tolist())

    def step(self, action: int) -> float:
        return self.act(action)[0]
