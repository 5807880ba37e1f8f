"""What a comparison has found: the results of its rows as scores of runs, pairs and algorithms."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hanabako.words.checks import shown

from .. import estimates
from ..estimates import Estimate
from ..study import Result, Results, key_of, words_of
from .rows import Comparison, Pair

MOST = 1e18
"""Numbers in results are smaller."""


class Found:
    """The results that belong to the rows of a comparison; those of rows that it no longer has are left out."""

    def __init__(self, comparison: Comparison, results: Results) -> None:
        self.comparison = comparison
        rows = comparison.rows()
        keys = {row.key for row in rows}
        self.rows = [result for result in results if key_of(result) in keys]
        for row in self.rows:
            check(row)
        self.asked = {(row.one, row.other) for row in rows if isinstance(row, Pair)}
        """The pairs that play together."""
        pairs = [row for row in self.rows if "one" in row["fields"]]
        self.cells = {(row["one"], row["other"]): float(row["score"]) for row in pairs}
        self.agreements = {(row["one"], row["other"]): float(row["agreement"]) for row in pairs if "agreement" in row}
        self.actions = {row["one"]: np.array(row["actions"]) / 100 for row in pairs if "actions" in row}
        """(A, A): the probability of an action, the column, after another one, for the runs that have it."""
        runs = [row for row in self.rows if "algorithm" in row["fields"]]
        self.runs = {name: [run for run in runs if run["algorithm"] == name] for name in comparison.algorithms}
        self.names = {name: [f"{name}-{run['seed']}" for run in runs] for name, runs in self.runs.items()}
        """The names of the runs by algorithm."""

    @cached_property
    def met(self) -> list[str]:
        """The partners and runs that have played all their pairs with themselves and with those listed before them."""
        met: list[str] = []
        for name in (*self.comparison.partners, *chain(*self.names.values())):
            pairs = {pair for other in (*met, name) for pair in ((name, other), (other, name))}
            expected = pairs & self.asked
            if expected.issubset(self.cells):
                met.append(name)
        return met

    @property
    def partners(self) -> list[str]:
        """The partners among `met`."""
        return [name for name in self.comparison.partners if name in self.met]

    @cached_property
    def teams(self) -> dict[str, list[str]]:
        """The runs among `met` by algorithm, without algorithms that have none."""
        found = {name: [run for run in own if run in self.met] for name, own in self.names.items()}
        return {name: own for name, own in found.items() if own}

    @property
    def several(self) -> dict[str, list[str]]:
        """The algorithms of `teams` that have at least two runs, and so cross-play."""
        return {name: own for name, own in self.teams.items() if len(own) > 1}

    def matrix(self, some: Sequence[str], others: Sequence[str]) -> NDArray[np.float64]:
        """Return the scores (n, m) with ``some`` at player 0 and ``others`` at all other seats.

        Those of pairs that do not play together are NaN.
        """
        return np.array([[self.cells.get((one, other), np.nan) for other in others] for one in some])

    def own_matrix(self, name: str) -> NDArray[np.float64]:
        """Return the scores (n, n) of ordered pairs of an algorithm's runs; the diagonal is self-play."""
        return self.matrix(self.teams[name], self.teams[name])

    def both(self, some: Sequence[str], others: Sequence[str]) -> NDArray[np.float64]:
        """Return the scores (n, m) averaged over seatings; in a competitive game half of the lead of ``some``."""
        first, second = self.matrix(some, others), self.matrix(others, some).T
        return (first + second) / 2 if self.comparison.cooperative else (first - second) / 2

    def agreement(self, name: str) -> list[float]:
        """Return the agreement of each pair of an algorithm's runs in both orders, as far as it is measured."""
        own = self.teams.get(name, [])
        return [self.agreements[pair] for pair in permutations(own, 2) if pair in self.agreements]

    def own_scores(self, name: str) -> list[float]:
        """Return the scores of an algorithm's runs in self-play, or in a competitive game those of their evaluation.

        A run that trained with partners was evaluated with them: its score is that of its pair with itself, or NaN.
        """
        if self.comparison.cooperative and "partners" in self.comparison.algorithms[name].settings:
            return [self.cells.get((run, run), np.nan) for run in self.names[name]]
        return [run["score"] for run in self.runs[name]]

    @property
    def everyone(self) -> list[str]:
        """The runs of `teams`."""
        return [run for own in self.teams.values() for run in own]

    def bounds(self, runs: Sequence[str]) -> tuple[float, float]:
        """Return the worst and the best mean score of the pairs of ``runs``, self-play included.

        In a cooperative game the worst is 0, or below.
        """
        both = self.both(runs, runs)
        worst = float(np.nanmin(both))
        return min(worst, 0.0) if self.comparison.cooperative else worst, float(np.nanmax(both))

    def cross_play(self, name: str) -> NDArray[np.float64]:
        """Return the scores (pairs,) of an algorithm's pairs of different runs, averaged over both seatings."""
        return estimates.pairs_of(estimates.mean_of_seatings(self.own_matrix(name)))

    @cached_property
    def leads(self) -> dict[str, Estimate]:
        """The lead of each algorithm's runs over those of all others, in a competitive game."""
        leads = dict.fromkeys(self.teams, Estimate(float("nan")))
        for name, own in self.teams.items():
            if others := [run for other, runs in self.teams.items() if other != name for run in runs]:
                leads[name] = estimates.between(self.both(own, others), self.bounds(self.everyone))
        return leads

    @cached_property
    def ordered(self) -> list[str]:
        """The algorithms with enough runs for inference, best first; then the others, in the order of the file."""
        sure = [name for name, own in self.teams.items() if len(own) >= estimates.FEWEST_RUNS]
        is_team = self.comparison.cooperative
        mean = {name: self.cross_play(name).mean() if is_team else self.leads[name].value for name in sure}
        sure.sort(key=mean.__getitem__, reverse=True)
        return [*sure, *(name for name in self.runs if name not in sure)]


def check(row: Result) -> None:
    """Raise ValueError if the result of a run or a pair lacks a number that all have, or cannot be drawn."""
    numbers = ["score"] if "one" in row["fields"] else ["score", "steps", "core_seconds"]
    for name in [*numbers, "agreement"] if "agreement" in row else numbers:
        if not is_number(row.get(name)):
            raise refusal(row, name, "a finite number")
    if "curve" in row and not are_numbers(row["curve"], 2):
        raise refusal(row, "curve", "pairs of decisions and score")
    if "actions" in row and not are_numbers(row["actions"]):
        raise refusal(row, "actions", "a square matrix of numbers")


def refusal(row: Result, name: str, what: str) -> ValueError:
    """Return the error for an entry of a row that must be something else."""
    return ValueError(f"{name} must be {what}, got {shown(row.get(name))} in the row {words_of(row)}")


def is_number(value: Any) -> bool:
    """Whether a value from a file is a finite number."""
    return type(value) in (int, float) and abs(value) < MOST


def are_numbers(value: Any, width: int | None = None) -> bool:
    """Whether a value from a file is a list of lists of ``width`` finite numbers; by default it must be square."""
    if not isinstance(value, list):
        return False
    size = len(value) if width is None else width
    return all(isinstance(line, list) and len(line) == size and all(map(is_number, line)) for line in value)
