"""Estimates over training runs: values agree with slow plain loops, and simulations check the intervals' coverage."""

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from hanabako.agents.results import estimates
from hanabako.agents.results.estimates import Estimate

WORST, BEST = 4.2, 7.8


def languages(draw: np.random.Generator, runs: int, odd: float) -> np.ndarray:
    """Return scores of runs; each has a private language with probability ``odd``, as real comparisons show."""
    own = draw.random(runs) < odd
    same = (~own[:, None] & ~own[None, :]) | np.eye(runs, dtype=bool)
    return np.where(same, BEST, WORST)


def share_covered(truth: float, some: Callable[[], Estimate], samples: int) -> float:
    found = [some() for _ in range(samples)]
    return float(np.mean([own.low - 1e-9 <= truth <= own.high + 1e-9 for own in found]))


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("runs", [5, 10])
@pytest.mark.parametrize("odd", [0.05, 0.2, 0.5])
def test_intervals_of_cross_play_cover_private_languages(runs: int, odd: float):
    """Intervals promise 95 % coverage. With exactly 95 %, 200 samples fall below 89 % once in 10,000 tests.

    Errors over disjoint pairs covered 66 % of such samples, and a plain bootstrap of five runs 20 to 80 %.
    """
    draw = np.random.default_rng(runs)
    truth = BEST - (1 - (1 - odd) ** 2) * (BEST - WORST)
    covered = share_covered(truth, lambda: estimates.among(languages(draw, runs, odd), (WORST, BEST)), 200)
    assert covered >= 0.89


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("runs", [5, 10])
def test_intervals_of_self_play_cover_its_mean(runs: int):
    """Coverage is 93 to 97 % for normal scores. With 93 %, 400 samples fall below 88 % once in 5,000 tests."""
    draw = np.random.default_rng(runs)
    assert share_covered(22.0, lambda: estimates.mean(draw.normal(22, 0.3, runs)), 400) >= 0.88


def qualities(draw: np.random.Generator, runs: int, better: float = 0.0) -> np.ndarray:
    """Return scores of runs that understand each other; a pair's score is the mean of two qualities."""
    own = draw.normal(better, 0.3, runs)
    return (own[:, None] + own[None, :]) / 2


def noisy(draw: np.random.Generator, scores: np.ndarray) -> np.ndarray:
    return scores + draw.normal(0, 0.03, scores.shape)


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("kind", ["an odd run in ten", "every second run odd", "qualities"])
def test_algorithms_that_do_not_differ_are_seldom_told_apart(kind: str):
    """An interval of the probability of improvement excludes 0.5 in at most 5 %.

    At 5 %, more than 22 of 200 exclude it once in 4,000 tests. If each run's mean score with the others counts as a
    number of its own, 20 to 72 % do.
    """
    draw = np.random.default_rng(5)

    def scores() -> np.ndarray:
        if kind == "qualities":
            return noisy(draw, qualities(draw, 10))
        return noisy(draw, languages(draw, 10, 0.1 if kind == "an odd run in ten" else 0.5))

    assert share_covered(0.5, lambda: estimates.probability_of_improvement(scores(), scores()), 200) >= 0.89


@pytest.mark.slow
@pytest.mark.statistical
def test_intervals_of_the_probability_of_improvement_cover_it():
    """Means of two qualities differ by 0.3 on average, with a standard deviation of 0.3; for the 89 %, see above."""
    draw = np.random.default_rng(7)
    truth = float(stats.norm.cdf(0.3 / (0.3**2 + 2 * 0.03**2 / 2) ** 0.5))

    def sample() -> Estimate:
        some, others = qualities(draw, 10, better=0.3), qualities(draw, 10)
        return estimates.probability_of_improvement(noisy(draw, some), noisy(draw, others))

    assert share_covered(truth, sample, 200) >= 0.89


@pytest.mark.statistical
def test_intervals_between_two_algorithms_cover_private_languages():
    """Each run of two algorithms speaks one of two languages, so half of the pairs understand each other."""
    draw = np.random.default_rng(1)

    def sample() -> Estimate:
        one, other = draw.random(5) < 0.5, draw.random(5) < 0.5
        return estimates.between(np.where(one[:, None] == other[None, :], BEST, WORST), (WORST, BEST))

    assert share_covered((BEST + WORST) / 2, sample, 200) >= 0.89


@given(st.integers(2, 7), st.integers(0, 2**32 - 1))
def test_cross_play_is_the_mean_over_pairs_in_both_orders(runs: int, seed: int):
    matrix = np.random.default_rng(seed).normal(10, 3, (runs, runs))
    pairs = [matrix[i, j] for i, j in itertools.permutations(range(runs), 2)]
    found = estimates.among(matrix, (matrix.min(), matrix.max()))
    assert found.value == pytest.approx(np.mean(pairs))
    assert found == estimates.among(matrix.T, (matrix.min(), matrix.max()))
    assert found.inference == (runs >= 5)
    if found.inference:
        assert matrix.min() - 1e-9 <= found.low <= found.value <= found.high <= matrix.max() + 1e-9


def test_a_run_that_differs_lies_within_the_interval_and_five_alike_are_not_sure():
    alike = estimates.among(np.full((5, 5), BEST), (WORST, BEST))
    assert alike.value == pytest.approx(BEST)
    assert alike.high == pytest.approx(BEST)
    assert alike.low < BEST - 1, "the sixth run may have a language of its own"
    many = estimates.among(np.full((30, 30), BEST), (WORST, BEST))
    assert many.low > alike.low, "thirty say more"


@pytest.mark.parametrize("runs", [1, 4])
def test_few_runs_allow_no_inference(runs: int):
    scores = np.arange(float(runs))
    found = [estimates.mean(scores)]
    found += [estimates.among(np.ones((runs, runs)), (0, 1)), estimates.between(np.ones((runs, 9)), (0, 1))]
    found.append(estimates.probability_of_improvement(np.ones((runs, runs)), np.ones((9, 9))))
    assert [own.inference for own in found] == [False] * 4
    assert found[0] == Estimate(scores.mean())


@given(st.integers(2, 6), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_the_probability_of_improvement_compares_pairs_and_counts_ties_half(some: int, others: int, seed: int):
    draw = np.random.default_rng(seed)
    one, other = (draw.integers(0, 4, (runs, runs)).astype(np.float64) for runs in (some, others))
    pairs = [[m[i, j] + m[j, i] for i, j in itertools.combinations(range(len(m)), 2)] for m in (one, other)]
    wins = [(a > b) + 0.5 * (a == b) for a, b in itertools.product(*pairs)]
    found = estimates.probability_of_improvement(one, other)
    turned = estimates.probability_of_improvement(other, one)
    assert found.value == pytest.approx(np.mean(wins)) == pytest.approx(1 - turned.value)
    if found.inference:
        assert 0 <= found.low <= found.value <= found.high <= 1


def test_eight_runs_can_show_that_an_algorithm_is_better_and_never_prove_it():
    def better(runs: int) -> Estimate:
        return estimates.probability_of_improvement(np.ones((runs, runs)), np.zeros((runs, runs)))

    assert better(7).low < 0.5 < better(8).low < better(20).low < 1
    assert better(5).value == better(20).value == better(20).high == 1


def test_a_profile_falls_from_all_pairs_to_none():
    matrix = np.random.default_rng(1).normal(10, 3, (6, 6))
    levels = np.linspace(-20, 40, 61)
    parts = [part.value for part in estimates.profile(matrix, levels)]
    both = [(matrix[i, j] + matrix[j, i]) / 2 for i, j in itertools.combinations(range(6), 2)]
    assert parts == pytest.approx([np.mean([score >= level for score in both]) for level in levels])
    assert (parts[0], parts[-1]) == (1, 0)


def test_groups_are_of_runs_that_keep_their_self_play():
    """Runs 0, 2 and 3 share a language, runs 1 and 4 share another one, and run 5 has its own."""
    language = np.array([0, 1, 0, 0, 1, 2])
    matrix = np.where(language[:, None] == language[None, :], 20.0, 3.0)
    matrix[0, 2] = 18.5  # with 20 in the other seating, they keep 96 %
    assert estimates.groups(matrix) == [[0, 2, 3], [1, 4], [5]]
    assert estimates.among(estimates.understanding(matrix), (0, 1)).value == pytest.approx(4 / 15)
    matrix[0, 2] = 17.5  # 94 %
    assert estimates.understanding(matrix)[0, 2] == 0
    assert estimates.groups(matrix) == [[0, 2, 3], [1, 4], [5]], "through run 3"


@pytest.mark.parametrize("wrong", [[], [1.0, float("nan")], [[1.0]]])
def test_scores_must_be_finite_numbers_of_runs(wrong: list[float]):
    with pytest.raises(ValueError, match="scores"):
        estimates.mean(wrong)


def test_matrices_must_be_square_and_finite():
    for wrong in (lambda m: estimates.among(m, (0, 1)), lambda m: estimates.probability_of_improvement(m, np.eye(3))):
        with pytest.raises(ValueError, match="square"):
            wrong(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="finite"):
        estimates.among(np.full((2, 2), np.nan), (0, 1))


def test_a_picture_shows_every_algorithm():
    rows = {"one": {"self-play": Estimate(9, 8, 10), "cross-play": Estimate(3)}, "two": {"self-play": Estimate(1)}}
    axes = estimates.interval_figure(rows, "mini", "score").axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["one", "two"]
