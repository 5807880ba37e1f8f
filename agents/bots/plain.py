"""Bots as plain Python classes with one method, which takes what a seat sees, as text, and returns a move, as text.

They suit a first idea, a course, or a language model:

    class Timid(PlainBot):
        def act(self, view):
            print(view.text())
            return "play 0" if "play 0" in view.legal else view.legal[0]

Such a bot can be used wherever a policy can, but it is slow: the overhead per decision is about a millisecond (1.4 ms
in Hanabi, 1.0 in Koi-Koi, 0.5 in Ikebana on one busy core). The compiled bot `smart` takes 4 microseconds.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from typing_extensions import override

from hanabako.words.checks import shown

from ..playing.block import Block
from ..playing.policy import Seated, rows_to_move, set_of

__all__ = ["PlainBot", "PlainView"]


class PlainView:
    """What a bot may know at one decision: the cards that its player sees, and all public information.

    The bot is the player to move in the game at ``row``. The rest of the game's record is not revealed.
    """

    def __init__(self, games: Block, row: int) -> None:
        game, state = games.game, games.tables["state"].view(np.recarray)[row]
        legal = np.flatnonzero(games.mask[row]).tolist()
        self.config = game.config
        self.player = int(games.tables["current_player"][row])
        """The bot's player."""
        self.legal = [game.action_to_str(state, action) for action in legal]
        """The legal actions as text; the answer must be one of them."""
        self._drawing = game.drawing()
        self._actions = dict(zip(self.legal, legal, strict=True))
        self.table: Any = self._drawing.view_of(game.to_dict(state), game.config, self.player)
        """The contents of `text` as fields; see ``TableView`` in the game's module ``drawing.table_view``."""

    def action(self, word: str) -> int:
        """Return the number of one of the legal actions."""
        return self._actions[word]

    def text(self) -> str:
        """Return the table as the player sees it, and the legal actions, as lines of text."""
        return f"{self._drawing.table_ansi(self.table).rstrip()}\nlegal: {', '.join(self.legal)}\n"


class PlainBot(ABC):
    """A bot with one method, `act`. It is an `agents.playing.policy.Policy` and can be used wherever one is needed.

    One object plays all its seats in all games, so its attributes are shared by all of them.
    """

    name: str = "plain"
    """By default that of the class."""
    observes = False
    specializes = False
    plays_apart = True

    def __init_subclass__(cls, **settings: Any) -> None:
        """Name bots of a class without a name after the class."""
        super().__init_subclass__(**settings)
        if cls.name == PlainBot.name:
            cls.name = cls.__name__

    @abstractmethod
    def act(self, view: PlainView) -> str:
        """Return one of ``view.legal``."""

    def seat(self, games: Block, seats: Sequence[int]) -> "PlainSeated":
        """See `agents.playing.policy.Policy.seat`."""
        return PlainSeated(self, games, seats)


class PlainSeated(Seated):
    """A plain bot at some seats of some games."""

    def __init__(self, bot: PlainBot, games: Block, seats: Sequence[int]) -> None:
        self._bot, self._games = bot, games
        self.seats = set_of(seats, len(games.tables))

    @override
    def act(self) -> None:
        games = self._games
        for row in rows_to_move(self.seats, games.tables):
            view = PlainView(games, row)
            word = self._bot.act(view)
            if word not in view.legal:
                raise ValueError(f"{self._bot.name} must answer one of {', '.join(view.legal)}, got {shown(word)}")
            games.actions[row] = view.action(word)
