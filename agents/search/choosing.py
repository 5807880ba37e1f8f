"""Find the best action by roll-outs over the same hidden cards, with successive halving (Karnin et al. 2013).

All actions use the same deals (common random numbers), so differences between them have less noise than their scores.
There are as many rounds as it takes to halve the actions down to one. Every round has an equal share of the effort,
divided equally among the remaining actions. Then the worse half is dropped.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from typing_extensions import override

from ..playing.block import GAMES_AT_ONCE
from .policy import Effort

T = TypeVar("T")

FIRST_BATCH = 4
"""Deals in the first batch under a time budget. Later batches are as large as the remaining time allows, but at most
four times as large as the one before."""


class Halving(ABC):
    """The legal actions (k,) of one decision, which ``began`` at this `time.perf_counter`, compete for roll-outs."""

    at_once = GAMES_AT_ONCE
    """The most roll-outs of a request."""

    def __init__(self, actions: NDArray[np.int64], effort: Effort, began: float) -> None:
        self.left, self.effort, self.began = actions, effort, began
        self.deals = 0
        """Number of deals so far; each remaining action has been played on all of them."""
        self.spent = 0
        """Number of roll-outs so far."""
        self._batch = FIRST_BATCH

    @abstractmethod
    def means(self) -> NDArray[np.float64]:
        """Return the mean score of each remaining action, (k,)."""

    def best_half(self) -> NDArray[np.int64]:
        """Return the better half of the remaining actions, in their order."""
        best = np.argsort(-self.means(), kind="stable")[: (len(self.left) + 1) // 2]
        return self.left[np.sort(best)]

    def requests(self) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Yield roll-outs to make: k actions, and the number of new deals. Add their scores before asking for more."""
        rounds = max(1, (len(self.left) - 1).bit_length())
        batches = self.by_count if self.effort.budget is None else self.by_clock
        for number in range(1, rounds + 1):
            for deals in batches(number, rounds):
                yield self.left, deals
            if not self.spent:
                break
            self.left = self.best_half()

    def by_count(self, number: int, rounds: int) -> Iterator[int]:
        """Yield the number of deals in each batch of a round: its share of the roll-outs, at least one if possible."""
        total, k, begins = self.effort.rollouts, len(self.left), True
        while (share := number / rounds - self.spent / total) > 0:
            deals = int(share * total) // k
            if deals == 0 and not (begins and self.spent + k <= total):
                break
            yield min(max(deals, 1), self.most_deals())
            begins = False

    def by_clock(self, number: int, rounds: int) -> Iterator[int]:
        """Yield the number of deals in each batch of a round, until another batch would probably end too late."""
        end = number / rounds
        while (asked := self.time_spent()) < end:
            deals = min(self._batch, self.most_deals())
            yield deals
            now = self.time_spent()
            allowed, taken = end - now, now - asked
            if 4 * allowed < taken:
                break
            self._batch = max(1, min(4 * deals, int(allowed / max(taken, 1e-9) * deals)))

    def most_deals(self) -> int:
        """Return the most deals per request."""
        return max(1, self.at_once // len(self.left))

    def time_spent(self) -> float:
        """Return the fraction of the time budget that is spent, which may exceed 1."""
        assert self.effort.budget is not None
        return (time.perf_counter() - self.began) * 1000 / self.effort.budget


class Thought(Halving):
    """A decision by roll-outs, in which an action must beat ``blueprint_action``, which is never dropped."""

    def __init__(self, actions: NDArray[np.int64], blueprint_action: int, effort: Effort, began: float) -> None:
        super().__init__(actions, effort, began)
        self.blueprint_action = blueprint_action
        self.scores = {int(action): np.zeros(0) for action in actions}
        """Each action's scores over its deals; these are the first deals of the blueprint's action."""

    def add(self, left: NDArray[np.int64], scores: NDArray[Any]) -> None:
        """Add the scores (n, k) of a request, all or, if Ctrl-C comes, none."""
        columns = zip(left.tolist(), scores.T, strict=True)
        self.scores |= {action: np.concatenate([self.scores[action], column]) for action, column in columns}
        self.deals += len(scores)
        self.spent += scores.size

    @override
    def means(self) -> NDArray[np.float64]:
        return np.array([self.scores[int(action)].mean() for action in self.left])

    def best_half(self) -> NDArray[np.int64]:
        """See `Halving.best_half`; the blueprint's action stays."""
        kept = {*super().best_half().tolist(), self.blueprint_action}
        return self.left[[action in kept for action in self.left.tolist()]]

    def verdict(self) -> int:
        """Return the action that beats the blueprint's by the most, if by more than margin and threshold, else that.

        Few deals prove little, and the best of many actions was probably also lucky. So one deal without a difference
        is added to the n common deals, at least two, and the margin is widened by Student's distribution.
        """
        best, gain = self.blueprint_action, self.effort.threshold
        for action in self.left.tolist():
            difference = self.scores[action] - self.scores[self.blueprint_action]
            if len(difference) > 1 and difference.mean() > gain:
                cautious = np.append(difference, 0.0)
                error = cautious.std(ddof=1) / np.sqrt(len(cautious))
                if cautious.mean() > widened(self.effort.margin, len(difference)) * error:
                    best, gain = action, float(difference.mean())
        return best

    def values(self) -> dict[int, float]:
        """Return the estimated score of each action; empty if there were no roll-outs.

        It is the blueprint's mean plus the mean difference over common deals, which is fair to actions dropped early.
        """
        base = self.scores[self.blueprint_action]
        return {
            action: float(base.mean() + (scores - base[: len(scores)]).mean())
            for action, scores in self.scores.items()
            if len(scores)
        }


class Request(NamedTuple):
    """Roll-outs that one of several searches asks for."""

    key: int
    """The search's key."""
    actions: NDArray[np.int64]
    """(k,): the actions to compare."""
    deals: int
    """Number of new deals, the same for every action."""

    @property
    def rollouts(self) -> int:
        """The number of roll-outs."""
        return len(self.actions) * self.deals


def think_together(thoughts: Mapping[int, Thought], play_out: Callable[[list[Request]], NDArray[Any]]) -> None:
    """Run searches in parallel, by the keys of their requests, so that their roll-outs share the loops.

    ``play_out`` returns the scores (n, k) of requests of at most `GAMES_AT_ONCE` roll-outs together, concatenated.
    """
    open_requests = {key: thought.requests() for key, thought in thoughts.items()}
    while open_requests:
        asked = []
        for key, requests in list(open_requests.items()):
            if (request := next(requests, None)) is None:
                del open_requests[key]
            else:
                asked.append(Request(key, *request))
        for batch in batches(asked, lambda request: request.rollouts):
            scores = play_out(batch)
            for part in batch:
                first, scores = np.split(scores, [part.rollouts])
                thoughts[part.key].add(part.actions, first.reshape(part.deals, -1))


def first_moves(batch: list[Request]) -> NDArray[np.int64]:
    """Return the action of each roll-out of the requests, deal by deal."""
    return np.concatenate([np.tile(request.actions, request.deals) for request in batch])


def drawn(
    request: Request, weights: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """Return rows drawn by their weights, and random keys of decks, the same for all actions: both (roll-outs,)."""
    rows, keys = systematic(weights, request.deals, rng), rng.integers(0, 2**64, request.deals, np.uint64)
    return np.repeat(rows, len(request.actions)), np.repeat(keys, len(request.actions))


def systematic(weights: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw ``count`` rows by their weights, spread evenly: weight w gives count * w / sum draws, rounded up or down."""
    points = (np.arange(count) + rng.random()) * (weights.sum() / count)
    return np.minimum(np.searchsorted(np.cumsum(weights), points, side="right"), len(weights) - 1)


def batches(asked: Iterable[T], size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Divide requests into batches, in order, each of at most the size `GAMES_AT_ONCE` or of a single request."""
    batch: list[T] = []
    size = 0
    for request in asked:
        if batch and size + size_of(request) > GAMES_AT_ONCE:
            yield batch
            batch, size = [], 0
        batch.append(request)
        size += size_of(request)
    if batch:
        yield batch


def widened(margin: float, freedom: int) -> float:
    """Return the quantile of Student's distribution that corresponds to ``margin`` standard deviations of a normal one.

    Uses two terms of the expansion (Abramowitz and Stegun 1964, 26.7.5), too low for very few degrees of freedom.
    """
    first = (margin**3 + margin) / 4
    second = (5 * margin**5 + 16 * margin**3 + 3 * margin) / 96
    return margin + first / freedom + second / freedom**2
