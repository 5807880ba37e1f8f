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


class Peer:
    """A game of Hanabi whose cards come from the given deck. A subclass has ``deal`` and ``apply``."""

    def __init__(self, game: Any, deck: list[str]) -> None:
        self.game, self.deck, self.state = game, list(deck), game.new_initial_state()
        self.deal()

    def deal(self) -> None:
        """Deal until a player is to move or the game is over."""
        raise NotImplementedError

    def apply(self, action: int) -> None:
        raise NotImplementedError

    @property
    def score(self) -> float:
        raise NotImplementedError

    @property
    def is_over(self) -> bool:
        return self.state.is_terminal()

    def step(self, action: int) -> float:
        before = self.score
        self.apply(action)
        self.deal()
        return self.score - before


def settings_of(config: Any, observation_type: Any) -> dict[str, Any]:
    names = ("players", "colors", "ranks", "max_information_tokens", "max_life_tokens")
    own = {"hand_size": hand_size_of(config), "observation_type": observation_type}
    return {name: getattr(config, name) for name in names} | own


class OpenSpiel(Peer):
    """OpenSpiel's (pyspiel's) hanabi."""

    name = "OpenSpiel"

    def __init__(self, config: Any, deck: list[str]) -> None:
        import pyspiel

        self.ranks = config.ranks
        super().__init__(pyspiel.load_game("hanabi", settings_of(config, config.observation_type)), deck)

    def deal(self) -> None:
        while self.state.is_chance_node():
            self.state.apply_action(card_number(self.deck.pop(0), self.ranks))

    @property
    def current_player(self) -> int:
        return self.state.current_player()

    @property
    def score(self) -> float:
        return self.state.returns()[0]

    def legal(self) -> set[int]:
        return set(self.state.legal_actions())

    def observation(self, player: int) -> list[int]:
        return [int(bit) for bit in self.state.observation_tensor(player)]

    def apply(self, action: int) -> None:
        self.state.apply_action(action)


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


class LearningEnvironment(Peer):
    """DeepMind's hanabi_learning_environment."""

    name = "Learning Environment"

    def __init__(self, config: Any, deck: list[str]) -> None:
        pyhanabi = learning_environment()
        self.chance = pyhanabi.CHANCE_PLAYER_ID
        game = pyhanabi.HanabiGame(settings_of(config, OBSERVATION_TYPES[config.observation_type]))
        self.encoder = pyhanabi.ObservationEncoder(game)
        super().__init__(game, deck)

    def deal(self) -> None:
        while not self.is_over and self.state.cur_player() == self.chance:
            self.state.apply_move(deal_moves()[self.deck.pop(0)])

    @property
    def current_player(self) -> int:
        return self.state.cur_player()

    @property
    def score(self) -> float:
        return self.state.score()

    def legal(self) -> set[int]:
        return {self.game.get_move_uid(move) for move in self.state.legal_moves()}

    def observation(self, player: int) -> list[int]:
        return list(self.encoder.encode(self.state.observation(player)))

    def apply(self, action: int) -> None:
        self.state.apply_move(self.game.get_move(action))
