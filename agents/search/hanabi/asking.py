"""Ask a blueprint without memory for its actions in many positions at once, for several beliefs together.

A network without memory can be asked about the steps of a game in any order, and one forward pass over many rows is
much faster than many passes over a few. So beliefs are generators: they yield lists of `Question` and are sent the
answers, and `ask_together` puts the questions of all beliefs into the same passes.
"""

from collections.abc import Callable, Generator, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...playing.block import GAMES_AT_ONCE
from ..choosing import batches
from .rollouts import HanabiRollouts, Simulator

T = TypeVar("T")


class Question(NamedTuple):
    """The question what the player to move would do if another player held each of these hands."""

    deal: Callable[[HanabiRollouts, NDArray[np.uint8], int], slice]
    """A function that deals the position with given hands to copies, from a given row on, and returns their rows."""
    step: int
    """The step of the position."""
    hands: NDArray[np.uint8]
    """(n, slots), at least one hand."""


Asking: TypeAlias = Generator[list[Question], list[NDArray[np.int64]], T]
"""A generator that yields questions and is sent the actions (n,) under each question's hands."""


def ask_together(simulator: Simulator, asking: Iterable[Asking[Any]]) -> None:
    """Run the generators in parallel, one round of questions from each at a time."""
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
    """Return the actions (n,) under each of a question's hands, question by question."""
    pieces = [
        question._replace(hands=question.hands[start : start + GAMES_AT_ONCE])
        for question in questions
        for start in range(0, len(question.hands), GAMES_AT_ONCE)
    ]
    actions = [answer(simulator, batch) for batch in batches(pieces, GAMES_AT_ONCE, lambda piece: len(piece.hands))]
    ends = np.cumsum([len(question.hands) for question in questions])
    return np.split(np.concatenate(actions), ends[:-1]) if actions else []


def answer(simulator: Simulator, batch: Sequence[Question]) -> NDArray[np.int64]:
    """Return the actions under all hands of the questions, at most `GAMES_AT_ONCE` hands, concatenated."""
    counts = [len(question.hands) for question in batch]
    copies, first = simulator.rollouts(sum(counts)), 0
    for question in batch:
        first = question.deal(copies, question.hands, first).stop
    return copies.decide(np.repeat([question.step for question in batch], counts))
