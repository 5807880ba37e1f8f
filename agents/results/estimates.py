"""Estimates over training runs with intervals: what a comparison of algorithms may claim.

The unit is the training run: games of one run say nothing about the conventions of the next. All intervals are 95 %
bootstrap intervals over runs.

- Means of one number per run: SciPy's percentile bootstrap, its level widened for few runs as
  in Hesterberg 2015 ("What Teachers Should Know About the Bootstrap", section 5.3).
- Scores of pairs: a pair belongs to two runs, so the bootstrap draws runs instead of pairs, and a run drawn twice is
  not paired with itself. If all runs share one private convention, that interval has width 0, although the next run may
  well have another convention. So each end is computed with one extra run, whose pairs all have the worst possible
  score (for the upper end, the best). Its weight is `EXTRA` of a run, the smallest that covered 95 % of simulated
  private conventions.
- Which of two algorithms has the better cross-play: one odd run lowers the scores of all runs that it meets, so their
  means are not independent numbers. `probability_of_improvement` therefore compares pairs with pairs. Its bootstrap
  draws runs, with an extra run of weight `EXTRA_OF_WINS`. In simulations of algorithms that do not differ, at most 4 %
  of its intervals exclude 0.5. Eight runs of each algorithm are the fewest that can decide.

Probability of improvement and performance profiles follow Agarwal et al. 2021 ("Deep Reinforcement Learning at the Edge
of the Statistical Precipice"), whose package resamples tasks and seeds, but not pairs.
"""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hanabako.drawing import charts
from hanabako.extras import need

need("an estimate over runs", "scipy")
from scipy import stats  # noqa: E402 - after the message about it
from scipy.sparse.csgraph import connected_components  # noqa: E402

FEWEST_RUNS = 5
"""With fewer runs there is no interval: no inference."""
KEPT = 0.95
"""Two runs agree, or are compatible, if they keep at least this share of their self-play together."""
HALF = 0.5
"""What holds for a larger share of pairs of runs holds for most of them."""
EXTRA, EXTRA_OF_WINS = 0.5, 0.15
"""The weights of the extra run in a bootstrap of pairs: for scores, and for which pair scores more."""
LEVEL, RESAMPLES, SEED = 0.95, 2000, 1

Matrix = NDArray[np.float64]


class Estimate(NamedTuple):
    """A number and its 95 % interval over training runs; the ends are NaN if there are fewer than `FEWEST_RUNS`."""

    value: float
    low: float = math.nan
    high: float = math.nan

    @property
    def inference(self) -> bool:
        """Whether there are enough runs for an interval."""
        return not math.isnan(self.low)

    @property
    def most(self) -> bool | None:
        """For a share: True if the whole interval is above one half, False if it is below, else None."""
        return True if self.low > HALF else False if self.high < HALF else None

    def words(self, digits: int = 2) -> str:
        """Return the estimate as in a table: ``7.81 (7.72 to 7.90)``, ``7.81`` without an interval, "-" for NaN."""
        if math.isnan(self.value):
            return "-"
        value, low, high = (f"{round(number, digits) + 0.0:.{digits}f}" for number in self)  # + 0.0: never "-0.00"
        return f"{value} ({low} to {high})" if self.inference else value


# --- One number per run -----------------------------------------------------------------------------------------------


def mean(scores: ArrayLike) -> Estimate:
    """Estimate the mean of one number per run; raise ``ValueError`` if there is none, or one is not finite."""
    scores = np.asarray(scores, np.float64)
    if scores.ndim != 1 or len(scores) == 0 or not np.isfinite(scores).all():
        raise ValueError(f"scores must be one finite number per run, for at least one run, got {scores}")
    value, runs = float(scores.mean()), len(scores)
    if runs < FEWEST_RUNS:
        return Estimate(value)
    if np.ptp(scores) == 0:
        return Estimate(value, value, value)
    widened = 2 * stats.norm.cdf(stats.t.ppf((1 + LEVEL) / 2, runs - 1) * np.sqrt(runs / (runs - 1))) - 1
    low, high = stats.bootstrap(
        (scores,), np.mean, n_resamples=RESAMPLES, confidence_level=widened, method="percentile", rng=SEED
    ).confidence_interval
    return Estimate(value, float(low), float(high))


# --- Pairs of runs ----------------------------------------------------------------------------------------------------


def among(matrix: Matrix, bounds: tuple[float, float]) -> Estimate:
    """Estimate the mean score of two different runs of one algorithm, its cross-play; NaN for one run.

    Args:
        matrix: scores (n, n) of ordered pairs of runs; both orders have equal weight, and the diagonal is ignored. If
            it is not square and finite, ``ValueError`` is raised, by the other functions too.
        bounds: the worst and the best possible score of a pair of runs.
    """
    matrix = mean_of_seatings(matrix)
    runs = len(matrix)
    if runs < 2:
        return Estimate(float("nan"))
    value = float(of_pairs_among(matrix, np.ones((1, runs)))[0])
    if runs < FEWEST_RUNS:
        return Estimate(value)
    ends = [of_pairs_among(with_one_more(matrix, bound), draws(runs, EXTRA)) for bound in bounds]
    return interval(value, *ends)


def between(matrix: Matrix, bounds: tuple[float, float]) -> Estimate:
    """Estimate the mean score of a run of one algorithm with a run of another; ``bounds`` are those of `among`.

    The scores (n, m) are averaged over both seatings: rows are runs of one algorithm, columns runs of the other.
    """
    matrix = checked(matrix)
    value = float(matrix.mean())
    if min(matrix.shape) < FEWEST_RUNS:
        return Estimate(value)
    one, other = draws(matrix.shape[0], EXTRA), draws(matrix.shape[1], EXTRA, SEED + 1)
    totals = one.sum(axis=1) * other.sum(axis=1)
    ends = [np.einsum("bi,ij,bj->b", one, with_one_more(matrix, bound), other) / totals for bound in bounds]
    return interval(value, *ends)


def probability_of_improvement(some: Matrix, others: Matrix) -> Estimate:
    """Estimate the probability that two runs of one algorithm score higher together than two of another.

    It is the fraction of all pairs of pairs, in which a tie counts half; NaN if an algorithm has one run. The scores
    (n, n) and (m, m) of the two algorithms are those of `among`. For the lower end, the pairs of the first algorithm's
    extra run lose to all others, and those of the second's win; for the upper end it is the other way around.
    """
    some, others = mean_of_seatings(some), mean_of_seatings(others)
    fewest = min(len(some), len(others))
    if fewest < 2:
        return Estimate(float("nan"))
    value = float(wins(pairs_of(some), pairs_of(others)).mean())
    if fewest < FEWEST_RUNS:
        return Estimate(value)
    one = pairs_drawn(draws(len(some), EXTRA_OF_WINS))
    other = pairs_drawn(draws(len(others), EXTRA_OF_WINS, SEED + 1))
    totals = one.sum(axis=1) * other.sum(axis=1)
    ends = []
    for bound in (-np.inf, np.inf):
        won = wins(pairs_of(with_one_more(some, bound)), pairs_of(with_one_more(others, -bound)))
        sums = ((one @ won) * other).sum(axis=1)
        ends.append(sums[totals > 0] / totals[totals > 0])
    return interval(value, *ends)


def profile(matrix: Matrix, levels: ArrayLike) -> list[Estimate]:
    """Return the performance profile of cross-play: per level, the share of pairs of runs that score at least that."""
    both = mean_of_seatings(matrix)
    return [among((both >= level).astype(np.float64), (0.0, 1.0)) for level in np.asarray(levels)]


def checked(matrix: Matrix) -> Matrix:
    """Return scores as float64; raise ``ValueError`` if they are no matrix, empty, or not finite."""
    matrix = np.asarray(matrix, np.float64)
    if matrix.ndim != 2 or 0 in matrix.shape or not np.isfinite(matrix).all():
        raise ValueError(f"matrix must hold a finite score for every pair of runs, got shape {matrix.shape}")
    return matrix


@cache
def draws(runs: int, extra: float, seed: int = SEED) -> Matrix:
    """Return how often each run, and last the extra one, is drawn per resample: (resamples, runs + 1), read-only."""
    each = np.array([*np.ones(runs), extra]) / (runs + extra)
    drawn = np.random.default_rng(seed).multinomial(runs, each, size=RESAMPLES).astype(np.float64)
    drawn.setflags(write=False)
    return drawn


def with_one_more(matrix: Matrix, score: float) -> Matrix:
    """Return a matrix with one extra run on each axis, all of whose pairs have the given score."""
    return np.pad(matrix, ((0, 1), (0, 1)), constant_values=score)


def of_pairs_among(matrix: Matrix, drawn: Matrix) -> Matrix:
    """Return the mean over pairs of different runs in each resample; resamples of a single run are left out."""
    own, both = drawn**2, drawn.sum(axis=1) ** 2
    pairs = both - own.sum(axis=1)
    totals = np.einsum("bi,ij,bj->b", drawn, matrix, drawn) - own @ matrix.diagonal()
    return totals[pairs > 0] / pairs[pairs > 0]


def pairs_of(matrix: Matrix) -> Matrix:
    """Return the scores (pairs,) of pairs of different runs in a symmetric matrix (n, n)."""
    return matrix[np.triu_indices(len(matrix), 1)]


def pairs_drawn(drawn: Matrix) -> Matrix:
    """Return how often each pair of `pairs_of` occurs per resample, (resamples, pairs), from `draws`."""
    one, other = np.triu_indices(drawn.shape[1], 1)
    return drawn[:, one] * drawn[:, other]


def wins(some: Matrix, others: Matrix) -> Matrix:
    """Return whether each of some scores is higher than each of others: 1, or 0.5 for a tie, (some, others)."""
    return (np.sign(some[:, None] - others[None, :]) + 1) / 2


def interval(value: float, low: Matrix, high: Matrix) -> Estimate:
    """Return the estimate whose ends are quantiles of two bootstraps."""
    tail = (1 - LEVEL) / 2
    return Estimate(value, min(value, float(np.quantile(low, tail))), max(value, float(np.quantile(high, 1 - tail))))


def mean_of_seatings(matrix: Matrix) -> Matrix:
    """Return the scores of pairs averaged over both seatings: a symmetric matrix."""
    matrix = checked(matrix)
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be square, got {matrix.shape}")
    return (matrix + matrix.T) / 2


# --- Runs that agree -------------------------------------------------------------------------------------------------


def understanding(matrix: Matrix, part: float = KEPT) -> Matrix:
    """Return which pairs of runs are compatible: 1 if they score at least a part of their mean self-play, else 0.

    A run that scores 0 in self-play, the diagonal of the scores (n, n), is compatible with no other. `among` of the
    result, a symmetric matrix (n, n), with bounds 0 and 1 estimates the probability that two runs are compatible.
    """
    both = mean_of_seatings(matrix)
    alone = both.diagonal()
    means = (alone[:, None] + alone[None, :]) / 2
    return ((both >= part * means) & (means > 0)).astype(np.float64)


def groups(matrix: Matrix) -> list[list[int]]:
    """Return the groups of runs that are compatible directly or through others: largest first, runs by number."""
    _, labels = connected_components(understanding(matrix), directed=False)
    found = [np.flatnonzero(labels == label).tolist() for label in dict.fromkeys(labels)]
    return sorted(found, key=lambda group: (-len(group), group))


# --- Pictures ---------------------------------------------------------------------------------------------------------


def interval_figure(rows: Mapping[str, Mapping[str, Estimate]], title: str, label: str) -> Any:
    """Make a figure of estimates, by algorithm, top first, and then by kind, with their intervals."""
    kinds = list(dict.fromkeys(kind for own in rows.values() for kind in own))
    figure, axes = charts.chart("", label, size=(7, 1.4 + 0.42 * len(rows)))
    figure.suptitle(title, **charts.TITLE)  # may be wider than the axes beside long names
    for k, kind in enumerate(kinds):
        aside = 0.24 * (k - (len(kinds) - 1) / 2)
        points = [(i + aside, own[kind]) for i, own in enumerate(rows.values()) if kind in own]
        (marks,) = axes.plot([e.value for _, e in points], [y for y, _ in points], "o", label=kind)
        ends = [(y, e.low, e.high) for y, e in points if e.inference]
        axes.hlines([y for y, *_ in ends], [a for _, a, _ in ends], [b for *_, b in ends], colors=marks.get_color())
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    axes.grid(visible=False, axis="y")
    charts.legend(axes, loc="lower right", bbox_to_anchor=(1, 1), ncols=len(kinds))  # above: points may lie anywhere
    return figure
