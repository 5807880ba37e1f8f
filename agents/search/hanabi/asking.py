"""What a blueprint that remembers nothing would do: many positions asked at once, of several beliefs side by side.

A network that remembers nothing can be asked of the moments of a game in any order, and one forward pass over many rows
takes a fraction of the time of many over a few. So beliefs are generators: they yield `Question` lists and are sent the
answers, and `ask_together` puts the questions of all of them into the same passes.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...playing.block import GAMES_AT_ONCE
from ..choosing import batches
from .imagined import Imagined, Studio

__all__ = ["Asking", "Question", "answers", "ask_together"]

T = TypeVar("T")


class Question(NamedTuple):
    """What would the player to move do, if another one held these hands?"""

    lay: Callable[[Imagined, NDArray[np.uint8], int], slice]
    """Lays the position out under some hands, from a row of a room on; says which rows these are."""
    step: int
    """Of the game's players."""
    hands: NDArray[np.uint8]
    """(n, slots), at least one."""


Asking: TypeAlias = Generator[list[Question], list[NDArray[np.int64]], T]
"""Yields questions, is sent what is done under each of their hands (n,), and comes to something."""


def ask_together(studio: Studio, asking: Iterable[Asking[Any]]) -> None:
    """Bring these to their ends side by side, one round of questions of each at a time."""
    going: dict[Asking[Any], list[NDArray[np.int64]] | None] = dict.fromkeys(asking)
    while going:
        asked: dict[Asking[Any], list[Question]] = {}
        for one, answer in going.items():
            try:
                asked[one] = next(one) if answer is None else one.send(answer)
            except StopIteration:
                continue
        answered = iter(answers(studio, [question for questions in asked.values() for question in questions]))
        going = {one: [next(answered) for _ in questions] for one, questions in asked.items()}


def answers(studio: Studio, questions: Sequence[Question]) -> list[NDArray[np.int64]]:
    """The actions under each of a question's hands (n,), question by question."""
    pieces = [
        question._replace(hands=question.hands[start : start + GAMES_AT_ONCE])
        for question in questions
        for start in range(0, len(question.hands), GAMES_AT_ONCE)
    ]
    actions = [answer(studio, batch) for batch in batches(pieces, GAMES_AT_ONCE, lambda piece: len(piece.hands))]
    ends = np.cumsum([len(question.hands) for question in questions])
    return np.split(np.concatenate(actions), ends[:-1]) if actions else []


def answer(studio: Studio, batch: Sequence[Question]) -> NDArray[np.int64]:
    """The actions under all hands of some questions that one room holds."""
    counts = [len(question.hands) for question in batch]
    room, first = studio.room(sum(counts)), 0
    for question in batch:
        first = question.lay(room, question.hands, first).stop
    return room.decide(np.repeat([question.step for question in batch], counts))
