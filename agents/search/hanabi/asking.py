"""The actions of a blueprint without memory: many positions asked at once, of several beliefs side by side.

A network without memory can be asked of the steps of a game in any order, and one forward pass over many rows takes a
fraction of the time of many over a few. So beliefs are generators: they yield `Question` lists and are sent the
answers, and `ask_together` puts the questions of all of them into the same passes.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...playing.block import GAMES_AT_ONCE
from ..choosing import batches
from .rollouts import HanabiRollouts, Simulator

__all__ = ["Asking", "Question", "answers", "ask_together"]

T = TypeVar("T")


class Question(NamedTuple):
    """What would the player to move do, if another one held these hands?"""

    deal: Callable[[HanabiRollouts, NDArray[np.uint8], int], slice]
    """Deals the position with some hands to copies, from a row on; returns their rows."""
    step: int
    """The step of the position."""
    hands: NDArray[np.uint8]
    """(n, slots), at least one."""


Asking: TypeAlias = Generator[list[Question], list[NDArray[np.int64]], T]
"""Yields questions, is sent the actions under each of their hands (n,), and returns something."""


def ask_together(simulator: Simulator, asking: Iterable[Asking[Any]]) -> None:
    """Bring these to their ends side by side, one round of questions of each at a time."""
    going: dict[Asking[Any], list[NDArray[np.int64]] | None] = dict.fromkeys(asking)
    while going:
        asked: dict[Asking[Any], list[Question]] = {}
        for one, answer in going.items():
            try:
                asked[one] = next(one) if answer is None else one.send(answer)
            except StopIteration:
                continue
        answered = iter(answers(simulator, [question for questions in asked.values() for question in questions]))
        going = {one: [next(answered) for _ in questions] for one, questions in asked.items()}


def answers(simulator: Simulator, questions: Sequence[Question]) -> list[NDArray[np.int64]]:
    """The actions under each of a question's hands (n,), question by question."""
    pieces = [
        question._replace(hands=question.hands[start : start + GAMES_AT_ONCE])
        for question in questions
        for start in range(0, len(question.hands), GAMES_AT_ONCE)
    ]
    actions = [answer(simulator, batch) for batch in batches(pieces, GAMES_AT_ONCE, lambda piece: len(piece.hands))]
    ends = np.cumsum([len(question.hands) for question in questions])
    return np.split(np.concatenate(actions), ends[:-1]) if actions else []


def answer(simulator: Simulator, batch: Sequence[Question]) -> NDArray[np.int64]:
    """The actions under all hands of some questions, `GAMES_AT_ONCE` at most."""
    counts = [len(question.hands) for question in batch]
    copies, first = simulator.rollouts(sum(counts)), 0
    for question in batch:
        first = question.deal(copies, question.hands, first).stop
    return copies.decide(np.repeat([question.step for question in batch], counts))
