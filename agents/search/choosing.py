"""Which action is best: roll-outs of all of them over the same hands and decks, by successive halving.

A roll-out deals the seat a hand that it may hold and the deck an order, makes the action, and lets the blueprint play
on to the end; its score counts. All actions meet the same hands and decks (common random numbers), so that differences
of two actions have less noise than their scores. The work is shared over rounds (Karnin et al. 2013): in each, all
actions that are left get the same share (one deal at least, if there is room), and then the worse half goes, but never
the blueprint's own action, which all others have to beat.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "MARGIN",
    "Effort",
    "Request",
    "Thought",
    "batches",
    "drawn",
    "first_moves",
    "systematic",
    "think",
    "think_together",
]

T = TypeVar("T")

MARGIN = 2.0
"""Standard errors, see `Effort.margin`, if nothing else is said."""

AT_ONCE = 4
"""Deals of the first batch where the clock decides; later ones are as large as the time that is left allows, and at
most four times as large as the one before."""


@dataclass(frozen=True)
class Effort:
    """How long to think, and when to believe it."""

    rollouts: int
    """Roll-outs a decision, all actions together, if the clock does not decide."""
    budget: float | None
    """Milliseconds a decision, by the clock; None: `rollouts` decides."""
    margin: float
    """By how many standard errors of the mean difference an action must beat the blueprint's own."""


class Thought:
    """One decision in the making.

    Args:
        actions: the legal ones.
        own: the blueprint's, one of them.
        effort: how long.
        began: when the decision began, by `time.perf_counter`.
        at_once: the most roll-outs of a request.
    """

    def __init__(self, actions: NDArray[np.int64], own: int, effort: Effort, began: float, at_once: int) -> None:
        self.left, self.own, self.effort, self.began, self.at_once = actions, own, effort, began, at_once
        self.scores = {int(action): np.zeros(0) for action in actions}
        """Of every action over the deals that it has met, the first of those that the blueprint's own has met."""
        self.spent = 0
        """Roll-outs so far."""

    def requests(self) -> Iterator[tuple[NDArray[np.int64], int]]:
        """What is to be played out: k actions, over the same n fresh deals. `add` the scores before the next."""
        effort, begun, clocked = self.effort, 0, AT_ONCE
        rounds = max(1, int(np.ceil(np.log2(len(self.left)))))
        for turn in range(1, rounds + 1):
            while (open_part := turn / rounds - part_spent(effort, self.spent, self.began)) > 0:
                k = len(self.left)
                n = clocked if effort.budget else int(open_part * effort.rollouts) // k
                if n == 0 and (begun == turn or self.spent + k > effort.rollouts):
                    break
                begun, n, asked = turn, min(max(n, 1), max(1, self.at_once // k)), time.perf_counter()
                yield self.left, n
                if effort.budget:
                    allowed = turn / rounds - part_spent(effort, self.spent, self.began)
                    taken = (time.perf_counter() - asked) * 1000 / effort.budget
                    if 4 * allowed < taken:
                        break
                    clocked = max(1, min(4 * n, int(allowed / max(taken, 1e-9) * n)))
            if not len(self.scores[self.own]):
                break
            self.left = best_half(self.left, self.own, self.scores)

    def add(self, left: NDArray[np.int64], scores: NDArray[Any]) -> None:
        """The scores (n, k) of a request."""
        for action, column in zip(left, scores.T, strict=True):
            self.scores[int(action)] = np.concatenate([self.scores[int(action)], column])
        self.spent += scores.size

    def verdict(self) -> int:
        """The action to play, as far as is known."""
        return verdict(self.left, self.own, self.scores, self.effort.margin)

    def values(self) -> dict[int, float]:
        """What each action brings; empty if nothing was played out.

        The mean score of the blueprint's own action, to which the mean difference over common deals is added: an action
        that went early met fewer deals, but the own one met them too.
        """
        own = self.scores[self.own]
        return {
            action: float(own.mean() + (scores - own[: len(scores)]).mean())
            for action, scores in self.scores.items()
            if len(scores)
        }


def think(
    actions: NDArray[np.int64],
    own: int,
    play_out: Callable[[NDArray[np.int64], int], NDArray[Any]],
    effort: Effort,
    began: float,
    at_once: int,
) -> Thought:
    """A whole `Thought`, with ``play_out`` the scores (n, k) of k actions over n fresh deals."""
    thought = Thought(actions, own, effort, began, at_once)
    for left, n in thought.requests():
        thought.add(left, play_out(left, n))
    return thought


class Request(NamedTuple):
    """What one of many searches asks to be played out."""

    key: int
    """Whose search."""
    actions: NDArray[np.int64]
    """(k,), each over the same"""
    deals: int
    """fresh deals."""

    @property
    def rollouts(self) -> int:
        """How many."""
        return len(self.actions) * self.deals


def think_together(
    thoughts: Mapping[int, Thought], play_out: Callable[[list[Request]], NDArray[Any]], at_once: int
) -> None:
    """Bring searches to their ends side by side, so that their roll-outs share the loops.

    Args:
        thoughts: by the keys of their requests.
        play_out: the scores of some requests, of ``at_once`` roll-outs at most, one after the other: (n, k) of each.
        at_once: at least the roll-outs of one request.
    """
    open_requests = {key: thought.requests() for key, thought in thoughts.items()}
    while open_requests:
        asked = []
        for key, requests in list(open_requests.items()):
            if (request := next(requests, None)) is None:
                del open_requests[key]
            else:
                asked.append(Request(key, *request))
        for batch in batches(asked, at_once, lambda request: request.rollouts):
            scores = play_out(batch)
            for part in batch:
                own, scores = np.split(scores, [part.rollouts])
                thoughts[part.key].add(part.actions, own.reshape(part.deals, -1))


def first_moves(batch: list[Request]) -> NDArray[np.int64]:
    """The action of each roll-out of some requests, deal by deal."""
    return np.concatenate([np.tile(request.actions, request.deals) for request in batch])


def drawn(
    request: Request, weights: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """What each roll-out of a request meets: a row by its weight, and the key of a deck; all actions meet the same."""
    rows, keys = systematic(weights, request.deals, rng), rng.integers(0, 2**64, request.deals, np.uint64)
    return np.repeat(rows, len(request.actions)), np.repeat(keys, len(request.actions))


def systematic(weights: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw ``count`` rows by their weights, evenly spread: a row of weight w is drawn w / sum times, rounded."""
    points = (np.arange(count) + rng.random()) * (weights.sum() / count)
    return np.minimum(np.searchsorted(np.cumsum(weights), points, side="right"), len(weights) - 1)


def batches(asked: Iterable[T], at_once: int, size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """The same in their order, as many at a time as have a size of ``at_once`` together, or one."""
    batch: list[T] = []
    size = 0
    for request in asked:
        if batch and size + size_of(request) > at_once:
            yield batch
            batch, size = [], 0
        batch.append(request)
        size += size_of(request)
    if batch:
        yield batch


def part_spent(effort: Effort, spent: int, began: float) -> float:
    """How much of the effort has been made, from 0 to 1 and beyond."""
    if effort.budget:
        return (time.perf_counter() - began) * 1000 / effort.budget
    return spent / effort.rollouts


def best_half(left: NDArray[np.int64], own: int, scores: dict[int, NDArray[np.float64]]) -> NDArray[np.int64]:
    """The better half of the actions, in their order, and the blueprint's own."""
    means = np.array([scores[int(action)].mean() for action in left])
    kept = set(left[np.argsort(-means, kind="stable")[: (len(left) + 1) // 2]].tolist()) | {own}
    return left[[int(action) in kept for action in left]]


def verdict(left: NDArray[np.int64], own: int, scores: dict[int, NDArray[np.float64]], margin: float) -> int:
    """The action that beats the blueprint's own by the most, if by more than the margin; else the blueprint's own.

    Few deals prove little, and who was the best of many actions on them was also lucky: to the n deals that both met
    one more is added which shows no difference, and the margin is widened as Student's distribution asks for.
    Two deals at least must tell.
    """
    best, gain = own, 0.0
    for action in left.tolist():
        difference = scores[action] - scores[own]
        if len(difference) > 1 and difference.mean() > gain:
            cautious = np.append(difference, 0.0)
            error = cautious.std(ddof=1) / np.sqrt(len(cautious))
            if cautious.mean() > widened(margin, len(difference)) * error:
                best, gain = action, float(difference.mean())
    return best


def widened(margin: float, freedom: int) -> float:
    """The quantile of Student's distribution that is as likely as ``margin`` standard deviations are of a normal one.

    Two terms of its expansion (Abramowitz and Stegun 1964, 26.7.5), low where there are very few degrees of freedom.
    """
    first = (margin**3 + margin) / 4
    second = (5 * margin**5 + 16 * margin**3 + 3 * margin) / 96
    return margin + first / freedom + second / freedom**2
