"""What papers say about agreement between runs: verdicts on shares of pairs."""

import numpy as np
import pytest

from benchmarks.strength.tables.directions import Statement, resampled, runs_to_decide, share, statements, verdict
from hanabako.agents.results.estimates import Estimate


def scores(runs: int, together: float, alone: float = 8.0) -> np.ndarray:
    """Scores (runs, runs) of runs that all score the same together and alone; no two are equal."""
    noise = np.random.default_rng(1).normal(0, 1e-3, (runs, runs))
    return np.where(np.eye(runs, dtype=bool), alone, together) + noise


KEEPS = Statement("", "", "", keeps="one", part=0.95)
LOSES = Statement("", "", "", loses="one", part=0.95)
MORE = Statement("", "", "", more=("one", "other"))
ALONE = Statement("", "", "", alone=("one", "other"))


@pytest.mark.parametrize(
    ("statement", "true", "false"),
    [
        (KEEPS, [scores(9, 7.8)], [scores(9, 7.0)]),
        (LOSES, [scores(9, 7.0)], [scores(9, 7.8)]),
        (MORE, [scores(9, 6), scores(9, 5)], [scores(9, 5), scores(9, 6)]),
        (ALONE, [scores(9, 5, 8), scores(9, 5, 7)], [scores(9, 5, 7), scores(9, 5, 8)]),
    ],
)
def test_nine_runs_that_all_agree_decide_and_four_do_not(
    statement: Statement, true: list[np.ndarray], false: list[np.ndarray]
):
    assert verdict(share(statement, true)) == "confirmed"
    assert verdict(share(statement, false)) == "contradicted"
    assert verdict(share(statement, [matrix[:4, :4] for matrix in true])) == "too few runs"


@pytest.mark.parametrize(
    ("ends", "judged"), [((0.51, 1.0), "confirmed"), ((0.5, 0.9), "undecided"), ((0.1, 0.49), "contradicted")]
)
def test_a_verdict_is_of_the_whole_interval(ends: tuple[float, float], judged: str):
    assert verdict(Estimate(sum(ends) / 2, *ends)) == judged


def test_how_many_runs_would_decide_follows_from_those_there_are():
    """Six runs that all agree are too few for a verdict; ten would do."""
    assert verdict(share(KEEPS, [scores(6, 7.8)])) == "undecided"
    assert runs_to_decide(KEEPS, [scores(6, 7.8)]) == 10


def test_a_run_drawn_twice_meets_itself_as_it_meets_another():
    matrix = scores(5, 3.0)
    drawn = resampled(matrix, 30, np.random.default_rng(1))
    apart = ~np.eye(30, dtype=bool)
    assert drawn[apart].max() < 4 and drawn.diagonal().min() > 7


def test_every_declared_statement_names_algorithms_of_its_comparison():
    from benchmarks.strength.tables.scale import comparison

    for statement in statements():
        given = [statement.keeps, statement.loses, *statement.more, *statement.alone]
        assert len([name for name in given if name]) in (1, 2)
        assert set(statement.algorithms) <= comparison(statement.comparison).algorithms.keys()
