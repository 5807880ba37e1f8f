"""What papers say about cross-play, and what our comparisons found.

A statement is *confirmed* if its whole interval over training runs agrees, and *contradicted* if none of it does.
Otherwise it is *undecided*. With fewer than five runs of an algorithm there is no inference.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from agents.results import estimates
from agents.results.comparison.found import Found
from agents.results.estimates import Estimate
from hanabako.generated import table

from .scale import MEASURED, found_in

__all__ = ["STATEMENTS", "Statement", "directions", "stopped", "verdict"]

NEAR = 0.3
"""Points between self-play and cross-play that count as little."""
FAR = 0.5
"""The part of its self-play below which cross-play is far from it."""
TOO_FEW = "no inference: too few runs"


class Finding(NamedTuple):
    """A number that a comparison found."""

    estimate: Estimate
    words: str
    algorithms: tuple[str, ...]
    """The algorithms whose runs it is of."""


Measure = Callable[[Found], Finding | None]
"""Returns what was found; None if an algorithm has fewer than two runs."""


@dataclass(frozen=True)
class Statement:
    """A statement of a paper about cross-play, as one number and its limit."""

    words: str
    source: str
    measure: Measure
    limit: float
    above: bool
    """Whether the statement says that the number is above the limit, or below it."""


def better(found: Found, one: str, other: str) -> Finding:
    """Return the probability that two runs of ``one`` score more together than two of ``other``, with both scores."""
    chance = estimates.probability_of_improvement(found.own_matrix(one), found.own_matrix(other))
    scores = " and ".join(f"{name} {found.together[name].words()}" for name in (one, other))
    return Finding(chance, f"{scores}; higher with probability {chance.words()}", (one, other))


def better_than_dense(name: str) -> Measure:
    """Return the comparison of an algorithm with IPPO that has a dense network."""
    return lambda found: better(found, name, "ippo-dense") if has(found, name, "ippo-dense") else None


def lost_by(name: str) -> Measure:
    """Return the measure of how much pairs of runs of an algorithm score less than its runs alone."""

    def measure(found: Found) -> Finding | None:
        if not has(found, name):
            return None
        scores = found.own_matrix(name)
        alone = scores.diagonal()
        most = float(alone.mean()) - found.bounds(found.teams[name])[0]
        lost = estimates.among((alone[:, None] + alone[None, :]) / 2 - scores, (0.0, most))
        words = f"{name} {found.together[name].words()}, which is less than its self-play by {lost.words()}"
        return Finding(lost, words, (name,))

    return measure


def recurrent(found: Found) -> Finding | None:
    """Compare recurrent IPPO with the best of the others, if possible of those that allow inference."""
    others = [name for name in found.several if name != "ippo-recurrent"]
    if not has(found, "ippo-recurrent") or not others:
        return None
    best = max(others, key=lambda name: (found.together[name].inference, found.together[name].value))
    return better(found, "ippo-recurrent", best)


def simplified(found: Found) -> Finding | None:
    """Return which part of its self-play SAD keeps in cross-play."""
    if not has(found, "sad"):
        return None
    alone, together = found.own_matrix("sad").diagonal().mean(), found.together["sad"]
    part = Estimate(*(float(end / alone) for end in together))
    ends = f" ({part.low:.0%} to {part.high:.0%})" if part.inference else ""
    return Finding(part, f"sad {together.words()}, {part.value:.0%}{ends} of its self-play", ("sad",))


def has(found: Found, *names: str) -> bool:
    """Whether each algorithm has cross-play."""
    return found.several.keys() >= set(names)


STATEMENTS = (
    Statement(
        "Other-Play's cross-play is higher than dense IPPO's",
        "Hu et al. 2020",
        better_than_dense("other-play-plain"),
        0.5,
        above=True,
    ),
    Statement(
        "Other-Play's cross-play with the auxiliary task is higher than dense IPPO's",
        "Hu et al. 2020",
        better_than_dense("other-play"),
        0.5,
        above=True,
    ),
    Statement(
        "Off-Belief Learning's cross-play is within 0.3 of its self-play, at its first level",
        "Hu et al. 2021",
        lost_by("obl-1"),
        NEAR,
        above=False,
    ),
    Statement(
        "The same at its second level",
        "Hu et al. 2021",
        lost_by("obl-2"),
        NEAR,
        above=False,
    ),
    Statement("Recurrent IPPO's cross-play is the highest", "Forkel and Foerster 2025", recurrent, 0.5, above=True),
    Statement("SAD's cross-play is below half of its self-play", "Hu et al. 2020", simplified, FAR, above=False),
)


def verdict(estimate: Estimate, limit: float, above: bool) -> str:
    """Return in words whether an estimate confirms that a number is ``above`` a limit, or below it."""
    if math.isnan(estimate.low):
        return TOO_FEW
    low, value, high = ((end - limit) * (1 if above else -1) for end in (estimate.low, estimate.value, estimate.high))
    low, high = min(low, high), max(low, high)
    if low > 0 or high < 0:
        return "confirmed" if low > 0 else "contradicted"
    return f"undecided; the estimate {'agrees' if value > 0 else 'disagrees'}"


def stopped(found: Found, algorithms: Sequence[str]) -> str:
    """Return a remark on those ``algorithms`` with runs that ended before their budget did; empty if there are none."""
    short = [name for name in algorithms if any("note" in run for run in found.runs[name])]
    return f"; stopped early: {', '.join(short)}" if short else ""


def directions() -> str:
    """Return the table of the statements, with a line for each comparison that has two runs of their algorithms."""
    found = {name: found_in(name) for name in MEASURED}
    rows = []
    for statement in STATEMENTS:
        for name in MEASURED:
            if told := statement.measure(found[name]):
                judged = verdict(told.estimate, statement.limit, statement.above)
                where = f"`{name}`{stopped(found[name], told.algorithms)}"
                rows.append([statement.words, statement.source, where, told.words, judged])
    return table(["statement", "source", "comparison", "found: cross-play", "verdict"], rows) + "\n"
