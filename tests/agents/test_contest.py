"""Head to head: seats are exchanged, and ratings follow the results."""

import numpy as np
import pytest

import agents
from agents.evaluation import contest
from agents.scoreboard import contests_board
from hanabako.games import games, make_config


def test_every_seat_is_had_by_both():
    assert contest.line_ups(2) == [[True, False], [False, True]]
    for players in (3, 5):
        seats = np.array(contest.line_ups(players))
        assert seats.sum() * 2 == seats.size


def test_a_summary_counts_deals_not_games():
    match = contest.HeadToHead(np.array([[1.0, -1.0], [3.0, 1.0], [0.0, 2.0]]))
    summary = match.summary()
    assert (summary["points"], summary["deals"]) == (1.0, 3)
    assert summary["points_error"] == pytest.approx(np.std([0, 2, 1], ddof=1) / np.sqrt(3))
    assert (summary["won"], summary["drawn"]) == (4 / 6, 1 / 6)


def test_ratings_put_the_better_first():
    results = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0), ("a", "b", 0.0)] * 10
    rows = contest.ratings(results, seed=1)
    assert [row["name"] for row in rows] == ["a", "b", "c"]


@pytest.mark.parametrize("game", [name for name, game in games().items() if not game.cooperative])
def test_nobody_beats_an_equal(game):
    """Both are the same player: every exchange of seats gains one what it gains the other."""
    config = make_config(game, games()[game].first_preset)
    random = agents.load("random", config)
    result = contest.tournament(config, {"one": random, "other": random}, 20, seed=3)
    (match,) = result["matches"]
    assert match["points"] == pytest.approx(0.0)
    assert {row["name"] for row in result["ratings"]} == {"one", "other"}


def test_the_board_shows_both_sides_of_every_match():
    match = {"agents": ["a", "b"], "won": 0.6, "won_error": 0.01, "drawn": 0.1, "deals": 50, "games": 100}
    result = {
        "config": {"game": "chess", "players": 2},
        "preset": "standard",
        "observation": "public",
        "training": [None, None],
        "tournament": {"matches": [match], "ratings": [{"name": "a", "rating": 30.0}, {"name": "b", "rating": 20.0}]},
    }
    lines = contests_board([result]).splitlines()
    assert lines[0] == "**chess standard, 2 players**, 100 games a pair."
    assert lines[-2:] == ["| a |  | 60.0% ± 2.0% | 30.0 |", "| b | 30.0% ± 2.0% |  | 20.0 |"]
