"""Ratings follow the results of matches."""

import itertools
import re
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents.commands.agents import lines
from hanabako.agents.results.meeting import Meeting, play_meeting
from hanabako.agents.results.ratings import in_points, rated, ratings, unit_of
from hanabako.agents.results.study import result_of
from hanabako.agents.results.tables import table
from hanabako.games import config_to_dict, games, make_config


def match(one: str, other: str, won: float, drawn: float = 0.0, games: int = 1000) -> dict:
    return {"line_up": [one, other], "won": won, "won_error": 0.01, "drawn": drawn, "games": games}


def test_ratings_of_a_pair_are_its_odds():
    """Odds of 10 to 1 are 400 points, apart from the added draw; both are equally far from the mean of 0."""
    rows = ratings([match("a", "b", 10 / 11, games=10**7)], np.array(0.01**2))
    assert [row["name"] for row in rows] == ["a", "b"]
    assert rows[0]["rating"] == pytest.approx(200, abs=0.01) == -rows[1]["rating"]
    slope = 400 / np.log(10) / (10 / 11 * 1 / 11)  # points for a little more of the wins
    assert rows[0]["error"] == pytest.approx(slope * 0.01 / 2, rel=0.01)


def test_ratings_agree_with_the_matrix_whatever_its_order():
    """If all have met equally often, the order is by games won, with draws as halves, even if results form a cycle."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        names = list("abcde")
        met = [match(one, other, *rng.dirichlet([1, 1, 0.2])[:2]) for one in names for other in names if one < other]
        wins = dict.fromkeys(names, 0.0)
        for row in met:
            share = row["won"] + row["drawn"] / 2
            wins[row["line_up"][0]] += share
            wins[row["line_up"][1]] += 1 - share
        rows = ratings(met)
        assert [row["name"] for row in rows] == sorted(names, key=lambda name: -wins[name])
        again = ratings([met[k] for k in rng.permutation(len(met))])
        for row, other in zip(rows, again, strict=True):
            assert row["rating"] == pytest.approx(other["rating"], abs=0.01)
        assert sum(row["rating"] for row in rows) == pytest.approx(0, abs=1e-6)


def test_who_never_loses_has_a_rating():
    rows = ratings([match("a", "b", 1.0), match("b", "c", 0.5), match("a", "c", 1.0)])
    assert rows[0]["name"] == "a" and np.isfinite(rows[0]["rating"])
    assert rows[0]["error"] is None


def test_the_fit_finds_the_strengths_that_made_the_games():
    strength = np.array([300.0, 50.0, -150.0, -200.0])
    probability = 1 / (1 + 10 ** ((strength[None] - strength[:, None]) / 400))
    pairs = ((0, 1), (0, 2), (1, 2), (1, 3), (2, 3))  # the strongest and the weakest have not met
    met = [match("abcd"[k], "abcd"[j], probability[k, j], games=10**6) for k, j in pairs]
    found = {row["name"]: row["rating"] for row in ratings(met)}
    assert [found[name] for name in "abcd"] == pytest.approx(strength, abs=0.1)


def tournament(config: Any, players: dict[str, Any], deals: int, seed: int) -> list[dict[str, Any]]:
    met = [Meeting.of(config, pair, "exchanged", deals, seed=seed) for pair in itertools.combinations(players, 2)]
    return [result_of(row, play_meeting(row, None, players)) for row in met]


@pytest.mark.parametrize("game", [name for name, game in games().items() if not game.cooperative])
def test_nobody_beats_an_equal(game):
    """If both are the same player, every exchange of seats gains one of them as much as the other."""
    config = make_config(game, games()[game].first_preset)
    random = agents.load("random", config)
    (row,) = tournament(config, {"one": random, "other": random}, 20, seed=3)
    assert row["lead"] == pytest.approx(0.0)
    found = rated(config, [row])
    assert {one["name"] for one in found} == {"one", "other"}
    assert [one["rating"] for one in found] == pytest.approx([0, 0], abs=1e-3)


def test_errors_of_ratings_know_that_all_pairs_play_the_same_deals():
    """Equal results of two matches against the same agent vary together, and move its rating twice as far."""
    met = [match("a", "b", 0.5, games=10**6), match("a", "c", 0.5, games=10**6), match("b", "c", 0.5, games=10**6)]
    apart, together = np.diag([1e-4, 1e-4, 0.0]), np.zeros((3, 3))
    together[:2, :2] = 1e-4
    rows = [row for one in (apart, together) for row in ratings(met, one) if row["name"] == "a"]
    assert rows[1]["error"] == pytest.approx(rows[0]["error"] * 2**0.5)


def test_the_covariance_of_blocks_is_that_of_all_deals():
    """It estimates the same as that of the deals, from a twentieth of the numbers; without blocks pairs are apart."""
    config = make_config("ikebana", "single_round")
    players = {name: agents.load(name, config) for name in ("random", "greedy", "lookahead")}
    rows = tournament(config, players, 2000, seed=1)
    errors = {one["name"]: one["error"] for one in rated(config, rows)}
    plain = [{name: row[name] for name in row if name not in ("wins", "sums")} for row in rows]
    apart = {one["name"]: one["error"] for one in rated(config, plain)}
    assert errors.keys() == apart.keys() and all(0.5 < errors[name] / apart[name] < 2 for name in errors)
    assert all(one["error"] is None for one in ratings([row | {"won_error": None} for row in plain]))


def test_a_table_shows_both_sides_of_every_match():
    config = make_config("ikebana", "final_bouquet")
    common = {"config": config_to_dict(config), "game": "ikebana", "preset": "final_bouquet", "players": 2}
    common |= {"search": None, "games": 100, "done": 50, "won_error": 0.01, "lead": 1, "lead_error": 0.1, "drawn": 0.1}
    won = {("a", "b"): 0.6, ("a", "c"): 0.6, ("b", "c"): 0.5}
    lines = table([common | {"line_up": list(pair), "won": own} for pair, own in won.items()]).splitlines()
    assert lines[0].startswith("**ikebana final_bouquet, 2 players**, 100 games a pair; 95 % intervals ")
    assert lines[0].endswith("are at most ± 2.0%.")
    assert lines[-3].startswith("| a |  | 60.0% | 60.0% | +") and lines[-2].startswith("| b | 30.0% |  | 50.0% | ")


def test_who_wins_most_rounds_is_not_rated_first_if_points_win_the_match():
    """`greedy_stop` wins seven rounds of ten against `always_koi`, but loses points, and so most matches (K29)."""
    found, units = {}, {}
    for rounds in (1, 12):
        config = in_points(make_config("koikoi", "document", settings=[f"rounds={rounds}"]))
        players = {name: agents.load(name, config) for name in ("greedy_stop", "always_koi", "counting")}
        found[rounds], units[rounds] = tournament(config, players, 400, seed=1), unit_of(config)
        last = rated(config, found[rounds])[-1]
        assert last["name"] == "greedy_stop"
        if rounds == 1:
            own = found[1][:2]
            assert last["rating"] == pytest.approx(np.mean([row["lead"] / 2 for row in own]))
            assert last["error"] == pytest.approx(np.mean([row["lead_error"] / 2 for row in own]))
    one, twelve = found[1][0], found[12][0]
    assert one["line_up"] == ("greedy_stop", "always_koi")
    assert one["won"] > 0.65 and twelve["won"] < 0.45 and twelve["lead"] < one["lead"] < -4, "leads are in points"
    assert units == {1: "points a round", 12: "Elo"}


def test_agents_of_koikoi_are_listed_with_points():
    listed = {line.split()[0]: line for line in lines("koikoi") if "points a round" in line}
    assert set(agents.names("koikoi")) < set(listed)
    points = {name: float(re.findall(r"([+-]\d+\.\d+) ± ", line)[0]) for name, line in listed.items()}
    assert points["koikoi-document-2p"] > points["monte_carlo"] > 0 > points["greedy_stop"]
