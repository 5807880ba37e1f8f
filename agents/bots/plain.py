"""Bots as plain Python classes: one method, from what a seat sees in words to a move in words.

For a first idea, a course, or a language model:

    class Timid(PlainBot):
        def act(self, view):
            print(view.text())
            return "play 0" if "play 0" in view.legal else view.legal[0]

Such a bot sits wherever a policy does, and is slow: a decision costs about a millisecond before the bot has thought
(1.4 ms in Hanabi, 1.0 in Koi-Koi, 0.5 in Ikebana on one busy core), and one of the compiled bot `smart` 4 microseconds.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from hanabako.engine.game import Game
from hanabako.words.checks import shown

from ..playing.policy import GamesInPlay, Seated, rows_to_move, set_of

__all__ = ["PlainBot", "PlainView"]


class PlainView:
    """What a bot may know at one decision: the cards that its player sees, and what everybody was told.

    Args:
        game: the configured game.
        state: the game's record; what the player cannot see does not leave this object.
        player: who is to move.
        legal: the legal actions, by their numbers.
    """

    def __init__(self, game: Game, state: Any, player: int, legal: Sequence[int]) -> None:
        self.config = game.config
        self.player = player
        """Which player the bot is."""
        self.legal = [game.action_to_str(state, int(action)) for action in legal]
        """The words of the legal actions; one of them is the answer."""
        self._drawing = game.drawing()
        self._actions = dict(zip(self.legal, map(int, legal), strict=True))
        self.table: Any = self._drawing.view_of(game.to_dict(state), game.config, player)
        """The same as `text` in fields: see ``TableView`` in the module ``drawing.table_view`` of the game."""

    @classmethod
    def of(cls, games: GamesInPlay, row: int) -> "PlainView":
        """What the player to move in a game knows."""
        state, player = games.tables["state"].view(np.recarray)[row], int(games.tables["current_player"][row])
        return cls(games.game, state, player, np.flatnonzero(games.mask[row]).tolist())

    def action(self, word: str) -> int:
        """The number of one of the legal actions."""
        return self._actions[word]

    def text(self) -> str:
        """The table in lines of text, as the player sees it, and the legal actions."""
        return self._text

    @cached_property
    def _text(self) -> str:
        return f"{self._drawing.table_ansi(self.table).rstrip()}\nlegal: {', '.join(self.legal)}\n"


class PlainBot(ABC):
    """A bot with one method, `act`. It is a `agents.playing.policy.Policy`: hand it over wherever one is asked for.

    One object plays all its seats in all games, so what it keeps for itself it keeps for all of them.
    """

    name: str = "plain"
    observes = False
    specializes = False
    plays_apart = True

    @abstractmethod
    def act(self, view: PlainView) -> str:
        """The word of one of ``view.legal``."""

    def seat(self, games: GamesInPlay, seats: Sequence[int]) -> "PlainSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return PlainSeated(self, games, seats)


class PlainSeated(Seated):
    """A plain bot at some seats of some games."""

    def __init__(self, bot: PlainBot, games: GamesInPlay, seats: Sequence[int]) -> None:
        self._bot, self._games = bot, games
        self.seats = set_of(seats, len(games.tables))

    def act(self) -> None:
        """See `agents.playing.policy.Seated.act`.

        Raises:
            ValueError: the bot's word is that of no legal action.
        """
        games = self._games
        for row in rows_to_move(self.seats, games.tables):
            view = PlainView.of(games, row)
            word = self._bot.act(view)
            if word not in view.legal:
                raise ValueError(f"{self._bot.name} must answer one of {', '.join(view.legal)}, got {shown(word)}")
            games.actions[row] = view.action(word)
