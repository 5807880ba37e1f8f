"""Prompts for a language model: the rules as the system message, then every turn the table and the legal moves.

The prompts follow "Sparks of Cooperative Reasoning" (Ramesh et al. 2026, arXiv 2601.18077), in our own words and for
all three games: see `PROMPTS`.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hanabako.games import game_of
from hanabako.words.checks import shown
from hanabako.words.notation import player_name

from ...bots.plain import PlainView
from .parsing import counted_from, move_in, notes_in

__all__ = ["PROMPTS", "USUAL", "Chat", "Message", "checked_prompt"]

Message = dict[str, str]
"""A message with a ``role`` and a ``content``, as in OpenAI's protocol."""

PROMPTS: Mapping[str, str] = {
    "hints": "the table and the hints that were given (the paper's Watson)",
    "deductions": "also what can be deduced from them, and advice (Sherlock)",
    "scratch_pad": "no deductions: the model keeps notes from turn to turn (Mycroft)",
}
"""The prompts by name, with what each shows."""
USUAL = "deductions"
"""The default prompt."""

_ASKED = """\
Every turn you are shown the table, what has happened since your last turn, and your legal moves. Think as long as you
need."""
_NOTES = """\
Nothing of what you write is kept for your next turn but your notes. Before the last line write them down, in at most
150 words: what you and the others know of each card, and what you intend.
Notes: your notes"""
_ANSWER = """\
End with one line:
Answer: the words of one legal move, as they are listed"""


def checked_prompt(prompt: str) -> str:
    """Return the name of a prompt; raise ``ValueError`` if there is none with this name."""
    if prompt not in PROMPTS:
        raise ValueError(f"prompt must be one of {', '.join(PROMPTS)}, got {shown(prompt)}")
    return prompt


class Chat:
    """The conversation with one player in one game.

    Args:
        config: the config of the game.
        prompt: one of `PROMPTS`.

    Raises:
        ValueError: there is no such prompt.
    """

    def __init__(self, config: Any, prompt: str = USUAL) -> None:
        self.prompt = checked_prompt(prompt)
        self._game = import_module(f".{game_of(config).name}", __package__)
        self._choices = game_of(config).module("drawing.choices")
        advice = self._game.ADVICE if prompt == "deductions" else ""
        notes = _NOTES if prompt == "scratch_pad" else ""
        self.rules = "\n\n".join(filter(None, [self._game.rules(config), advice, _ASKED, notes, _ANSWER]))
        """The system message: the rules, and how to answer."""
        self.notes = ""
        """The notes in the model's last answer that had any."""
        self._news: list[str] = []

    def saw(self, news: str) -> None:
        """Add a sentence about something that every player saw."""
        self._news.append(news)

    def turn(self, view: PlainView) -> str:
        """Return the user message of a turn, where ``view`` is what the player knows."""
        you = f"You are {player_name(view.player)}."
        news = f"{you} Since your last turn:\n" + "\n".join(f"- {news}" for news in self._news) if self._news else you
        parts = [news, self._game.table(view)]
        if self.prompt == "deductions":
            parts.append(self._game.deductions(view))
        if self.prompt == "scratch_pad":
            parts.append(f"Your notes: {self.notes or 'none yet'}")
        means = {word: self._choices.describe_choice(view.table, word) for word in view.legal}
        moves = [
            f"{number}. {word}{f' - {means[word]}' if means[word] else ''}" for number, word in enumerate(means, 1)
        ]
        return "\n\n".join([*parts, "\n".join(["Your legal moves:", *moves])])

    def messages(self, view: PlainView) -> list[Message]:
        """Return the messages for a turn. Those of earlier turns are not repeated."""
        return [{"role": "system", "content": self.rules}, {"role": "user", "content": self.turn(view)}]

    def move(self, answer: str, view: PlainView) -> str | None:
        """Return the legal move that an answer to `turn` names, or None. With "scratch_pad" its notes are kept."""
        self._news.clear()
        if self.prompt == "scratch_pad":
            self.notes = notes_in(answer) or self.notes
        return move_in(counted_from(answer, view.player, view.config.players), view.legal, self._game.NAMES)
