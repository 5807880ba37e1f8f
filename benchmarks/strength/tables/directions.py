"""What papers say about agreement between runs, and what our comparisons found; the rule is in ``statements.toml``."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hanabako.agents.results import estimates
from hanabako.agents.results.comparison.found import Found
from hanabako.agents.results.declared import contents, filled_in
from hanabako.agents.results.estimates import Estimate
from hanabako.generated import table

from .scale import STUDIES, found_in

__all__ = ["Statement", "directions", "runs_to_decide", "share", "statements", "verdict"]

SIZES = (10, 12, 15, 20, 25, 30, 40)
"""The numbers of runs among which `runs_to_decide` looks."""
DRAWS, SURE = 10, 8
"""The samples that `runs_to_decide` draws of each size, and how many of them must decide."""


@dataclass(frozen=True)
class Statement:
    """A statement that holds or fails for each pair of runs; exactly one of its last four fields is given."""

    says: str
    source: str
    comparison: str
    """The stem of the comparison's file."""
    part: float = 1.0
    """The part of self-play for ``keeps`` and ``loses``."""
    keeps: str | None = None
    loses: str | None = None
    more: tuple[str, ...] = ()
    alone: tuple[str, ...] = ()

    @property
    def algorithms(self) -> tuple[str, ...]:
        """The algorithms that it is about."""
        return (*(name for name in (self.keeps, self.loses) if name is not None), *self.more, *self.alone)


def statements() -> list[Statement]:
    """Return the declared statements; errors as in `agents.results.declared.contents`."""
    with contents(STUDIES / "tables" / "statements.toml") as content:
        return [filled_in(Statement, given, "a statement") for given in content["statements"]]


def share(statement: Statement, matrices: list[Any]) -> Estimate:
    """Estimate the share of pairs of runs for which a statement holds.

    Args:
        statement: the statement.
        matrices: for each of its algorithms the scores (n, n) of ordered pairs of runs; the diagonal is self-play.
    """
    if statement.more:
        return estimates.probability_of_improvement(*matrices)
    if statement.alone:
        one, other = (np.diagonal(matrix) for matrix in matrices)
        return estimates.between(estimates.wins(one, other), (0.0, 1.0))
    kept = estimates.understanding(matrices[0], statement.part)
    return estimates.among(kept if statement.keeps else 1 - kept, (0.0, 1.0))


def verdict(estimate: Estimate) -> str:
    """Return in a word whether a statement that holds for this share of pairs holds for most."""
    if not estimate.inference:
        return "too few runs"
    return {True: "confirmed", False: "contradicted", None: "undecided"}[estimate.most]


def runs_to_decide(statement: Statement, matrices: list[Any]) -> int | None:
    """Return how many runs of each algorithm decide a statement in four of five samples drawn from these runs.

    None: 40 do not.
    """
    generator = np.random.default_rng(1)
    for size in SIZES:
        drawn = ([resampled(matrix, size, generator) for matrix in matrices] for _ in range(DRAWS))
        if sum(verdict(share(statement, sample)) != "undecided" for sample in drawn) >= SURE:
            return size
    return None


def resampled(matrix: Any, size: int, generator: np.random.Generator) -> Any:
    """Draw ``size`` runs with their scores (size, size); a run drawn twice meets itself as it meets some other run."""
    runs = generator.integers(len(matrix), size=size)
    others = (runs[None, :] + generator.integers(1, len(matrix), size=(size, size))) % len(matrix)
    columns = np.where(runs[:, None] == runs[None, :], others, runs[None, :])
    np.fill_diagonal(columns, runs)
    return matrix[runs[:, None], columns]


def lines() -> Iterator[list[str]]:
    """Yield the cells of each statement whose comparison has two runs of its algorithms."""
    for statement in statements():
        found: Found = found_in(statement.comparison)
        if not found.several.keys() >= set(statement.algorithms):
            continue
        matrices = [found.own_matrix(name) for name in statement.algorithms]
        estimate = share(statement, matrices)
        judged = verdict(estimate)
        if judged == "undecided":
            needed = runs_to_decide(statement, matrices)
            judged += f"; {needed or 'more than 40'} runs would decide"
        else:
            judged = f"**{judged}**"
        runs = " and ".join(dict.fromkeys(str(len(matrix)) for matrix in matrices))
        yield [statement.says, statement.source, f"`{statement.comparison}`", runs, estimate.words(), judged]


def directions() -> str:
    """Return the table of the statements."""
    return table(["statement", "source", "comparison", "runs of each", "share of pairs", "verdict"], lines()) + "\n"
