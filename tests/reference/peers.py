"""OpenSpiel's and the Learning Environment's Hanabi as machines of `lockstep`, with forced decks.

Both are optional: a missing one raises ImportError at construction. Impossible settings abort the whole process in
either library, so use only settings from checked lists.
"""

import warnings
from functools import cache
from typing import Any

from .hanabi_plain import COLORS, hand_size_of

OBSERVATION_TYPES = {"minimal": 0, "card_knowledge": 1, "seer": 2}


def card_number(card: str, ranks: int) -> int:
    return COLORS.index(card[0]) * ranks + int(card[1:]) - 1


class OpenSpiel:
    """OpenSpiel's (pyspiel's) hanabi; chance nodes take the cards from the given deck."""

    name = "OpenSpiel"

    def __init__(self, config: Any, deck: list[str]) -> None:
        import pyspiel

        self.game = pyspiel.load_game(
            "hanabi",
            {
                "players": config.players,
                "colors": config.colors,
                "ranks": config.ranks,
                "hand_size": hand_size_of(config),
                "max_information_tokens": config.max_information_tokens,
                "max_life_tokens": config.max_life_tokens,
                "observation_type": config.observation_type,
            },
        )
        self.ranks = config.ranks
        self.deck = list(deck)
        self.state = self.game.new_initial_state()
        self._deal()

    def _deal(self) -> None:
        while self.state.is_chance_node():
            self.state.apply_action(card_number(self.deck.pop(0), self.ranks))

    @property
    def current_player(self) -> int:
        return self.state.current_player()

    @property
    def is_over(self) -> bool:
        return self.state.is_terminal()

    @property
    def score(self) -> float:
        return self.state.returns()[0]

    def legal(self) -> set[int]:
        return set(self.state.legal_actions())

    def observation(self, player: int) -> list[int]:
        return [int(bit) for bit in self.state.observation_tensor(player)]

    def step(self, action: int) -> float:
        before = self.score
        self.state.apply_action(action)
        self._deal()
        return self.score - before


@cache
def learning_environment() -> Any:
    """Import its Python module, without the warning that it leaves a header file open."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        from hanabi_learning_environment import pyhanabi
    return pyhanabi


@cache
def deal_moves() -> dict[str, Any]:
    """Return the Learning Environment's deal move of every card, collected from a game that deals the whole deck."""
    pyhanabi = learning_environment()
    game = pyhanabi.HanabiGame({"players": 2, "hand_size": 25, "seed": 1})  # must outlive its states
    state = game.new_initial_state()
    moves = {}
    while state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
        state.deal_random_card()
        move = state.move_history()[-1].move()
        moves[f"{COLORS[move.color()]}{move.rank() + 1}"] = move
    assert len(moves) == 25
    return moves


class LearningEnvironment:
    """DeepMind's hanabi_learning_environment."""

    name = "Learning Environment"

    def __init__(self, config: Any, deck: list[str]) -> None:
        pyhanabi = learning_environment()
        self.chance = pyhanabi.CHANCE_PLAYER_ID
        self.game = pyhanabi.HanabiGame(
            {
                "players": config.players,
                "colors": config.colors,
                "ranks": config.ranks,
                "hand_size": hand_size_of(config),
                "max_information_tokens": config.max_information_tokens,
                "max_life_tokens": config.max_life_tokens,
                "observation_type": OBSERVATION_TYPES[config.observation_type],
            }
        )
        self.encoder = pyhanabi.ObservationEncoder(self.game)
        self.deck = list(deck)
        self.state = self.game.new_initial_state()
        self._deal()

    def _deal(self) -> None:
        while not self.is_over and self.state.cur_player() == self.chance:
            self.state.apply_move(deal_moves()[self.deck.pop(0)])

    @property
    def current_player(self) -> int:
        return self.state.cur_player()

    @property
    def is_over(self) -> bool:
        return self.state.is_terminal()

    @property
    def score(self) -> float:
        return self.state.score()

    def legal(self) -> set[int]:
        return {self.game.get_move_uid(move) for move in self.state.legal_moves()}

    def observation(self, player: int) -> list[int]:
        return list(self.encoder.encode(self.state.observation(player)))

    def step(self, action: int) -> float:
        before = self.score
        self.state.apply_move(self.game.get_move(action))
        self._deal()
        return self.score - before
