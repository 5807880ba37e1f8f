"""Which action is best: roll-outs of all of them over the same hands and decks, by successive halving.

A roll-out deals the seat a hand that it may hold and the deck an order, makes the action, and lets the blueprint play
on to the end; its score counts. All actions meet the same hands and decks (common random numbers), so that differences
of two actions have less noise than their scores.

Successive halving (Karnin et al. 2013): there are as many rounds as it takes to come down to one action. In each the
actions that are left get the same part of the effort, and then the worse half goes, but never the blueprint's action,
which all others have to beat.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from .policy import Effort

__all__ = [
    "FIRST_BATCH",
    "Halving",
    "PlayOut",
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

PlayOut: TypeAlias = Callable[[NDArray[np.int64], int, int], NDArray[Any]]
"""The scores (n, k) of k actions over n deals: ``(actions, number of the first deal, n)``."""

FIRST_BATCH = 4
"""Deals of the first batch by the clock; later ones are as large as the time that is left allows, and at most four
times as large as the one before."""


class Halving(ABC):
    """The actions of one decision, which compete for roll-outs.

    Args:
        actions: (k,): the legal ones.
        effort: how long to think.
        began: when the decision began, by `time.perf_counter`.
        at_once: the most roll-outs of a request.
    """

    def __init__(self, actions: NDArray[np.int64], effort: Effort, began: float, at_once: int) -> None:
        self.left, self.effort, self.began, self.at_once = actions, effort, began, at_once
        self.deals = 0
        """Deals so far: each action that is left has met all of them."""
        self.spent = 0
        """Roll-outs so far."""
        self._batch = FIRST_BATCH

    @abstractmethod
    def means(self) -> NDArray[np.float64]:
        """The mean score of each action that is left, (k,)."""

    def best_half(self) -> NDArray[np.int64]:
        """The better half of the actions that are left, in their order."""
        best = np.argsort(-self.means(), kind="stable")[: (len(self.left) + 1) // 2]
        return self.left[np.sort(best)]

    def requests(self) -> Iterator[tuple[NDArray[np.int64], int]]:
        """Roll-outs to make: k actions, each over the same n fresh deals. Note their scores before the next request."""
        rounds = max(1, (len(self.left) - 1).bit_length())
        batches = self.by_count if self.effort.budget is None else self.by_clock
        for number in range(1, rounds + 1):
            for deals in batches(number, rounds):
                yield self.left, deals
            if not self.spent:
                break
            self.left = self.best_half()

    def by_count(self, number: int, rounds: int) -> Iterator[int]:
        """Deals of each batch of a round: its share of the roll-outs, one at least if there is room."""
        total, k, begins = self.effort.rollouts, len(self.left), True
        while (share := number / rounds - self.spent / total) > 0:
            deals = int(share * total) // k
            if deals == 0 and not (begins and self.spent + k <= total):
                break
            yield min(max(deals, 1), self.most_deals())
            begins = False

    def by_clock(self, number: int, rounds: int) -> Iterator[int]:
        """Deals of each batch of a round, until one more would hardly end in time."""
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
        """The most deals of a request."""
        return max(1, self.at_once // len(self.left))

    def time_spent(self) -> float:
        """The part of the budget that is over, from 0 to 1 and beyond."""
        assert self.effort.budget is not None
        return (time.perf_counter() - self.began) * 1000 / self.effort.budget


class Thought(Halving):
    """One decision in the making, by roll-outs: an action must beat the blueprint's.

    Args:
        actions: (k,): the legal ones.
        blueprint_action: one of them; it is never dropped.
        effort: how long to think, and when to believe it.
        began: when the decision began, by `time.perf_counter`.
        at_once: the most roll-outs of a request.
    """

    def __init__(
        self, actions: NDArray[np.int64], blueprint_action: int, effort: Effort, began: float, at_once: int
    ) -> None:
        super().__init__(actions, effort, began, at_once)
        self.blueprint_action = blueprint_action
        self.scores = {int(action): np.zeros(0) for action in actions}
        """Each action's scores over the deals that it has met: the first of those that the blueprint's has met."""

    def add(self, left: NDArray[np.int64], scores: NDArray[Any]) -> None:
        """Note the scores (n, k) of a request."""
        for action, column in zip(left, scores.T, strict=True):
            self.scores[int(action)] = np.concatenate([self.scores[int(action)], column])
        self.deals += len(scores)
        self.spent += scores.size

    def means(self) -> NDArray[np.float64]:
        """See `Halving.means`."""
        return np.array([self.scores[int(action)].mean() for action in self.left])

    def best_half(self) -> NDArray[np.int64]:
        """See `Halving.best_half`; the blueprint's action stays."""
        kept = {*super().best_half().tolist(), self.blueprint_action}
        return self.left[[action in kept for action in self.left.tolist()]]

    def verdict(self) -> int:
        """The action to play, as far as is known.

        It is the action that beats the blueprint's by the most, if by more than the margin; else the blueprint's.

        Few deals prove little, and who was the best of many actions on them was also lucky: to the n deals that both
        met one more is added which shows no difference, and the margin is widened as Student's distribution asks for.
        Two deals at least must tell.
        """
        best, gain = self.blueprint_action, 0.0
        for action in self.left.tolist():
            difference = self.scores[action] - self.scores[self.blueprint_action]
            if len(difference) > 1 and difference.mean() > gain:
                cautious = np.append(difference, 0.0)
                error = cautious.std(ddof=1) / np.sqrt(len(cautious))
                if cautious.mean() > widened(self.effort.margin, len(difference)) * error:
                    best, gain = action, float(difference.mean())
        return best

    def values(self) -> dict[int, float]:
        """The mean score that each action promises; empty if nothing was played out.

        It is the mean score of the blueprint's action plus the mean difference over common deals: an action that went
        early met fewer deals, but the blueprint's met them too.
        """
        base = self.scores[self.blueprint_action]
        return {
            action: float(base.mean() + (scores - base[: len(scores)]).mean())
            for action, scores in self.scores.items()
            if len(scores)
        }


def think(thought: Thought, play_out: PlayOut) -> Thought:
    """Bring a thought to its end, and return it.

    Args:
        thought: new.
        play_out: plays k actions out over n deals.
    """
    for left, n in thought.requests():
        thought.add(left, play_out(left, thought.deals, n))
    return thought


class Request(NamedTuple):
    """What one of many searches asks to be played out."""

    key: int
    """Tells the searches apart."""
    actions: NDArray[np.int64]
    """(k,): the actions to compare."""
    deals: int
    """Number of fresh deals; every action meets the same ones."""

    @property
    def rollouts(self) -> int:
        """Number of roll-outs."""
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
                first, scores = np.split(scores, [part.rollouts])
                thoughts[part.key].add(part.actions, first.reshape(part.deals, -1))


def first_moves(batch: list[Request]) -> NDArray[np.int64]:
    """The action of each roll-out of some requests, deal by deal."""
    return np.concatenate([np.tile(request.actions, request.deals) for request in batch])


def drawn(
    request: Request, weights: NDArray[np.float64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The deals of a request's roll-outs: rows drawn by their weights, and keys of decks; all actions meet the same."""
    rows, keys = systematic(weights, request.deals, rng), rng.integers(0, 2**64, request.deals, np.uint64)
    return np.repeat(rows, len(request.actions)), np.repeat(keys, len(request.actions))


def systematic(weights: NDArray[np.float64], count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Draw ``count`` rows by their weights, evenly spread: a row of weight w is drawn w / sum times, rounded."""
    points = (np.arange(count) + rng.random()) * (weights.sum() / count)
    return np.minimum(np.searchsorted(np.cumsum(weights), points, side="right"), len(weights) - 1)


def batches(asked: Iterable[T], at_once: int, size_of: Callable[[T], int]) -> Iterator[list[T]]:
    """Divide what is asked, in its order: each batch has a size of ``at_once`` at most, or is a single one."""
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


def widened(margin: float, freedom: int) -> float:
    """The quantile of Student's distribution that is as likely as ``margin`` standard deviations are of a normal one.

    Two terms of its expansion (Abramowitz and Stegun 1964, 26.7.5), low where there are very few degrees of freedom.
    """
    first = (margin**3 + margin) / 4
    second = (5 * margin**5 + 16 * margin**3 + 3 * margin) / 96
    return margin + first / freedom + second / freedom**2
