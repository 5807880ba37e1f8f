"""Head-to-head matches: seats are exchanged, and ratings follow the results."""

import re

import numpy as np
import pytest
from benchmarks.strength.tables.tournaments import tournaments

import agents
from agents.commands.agents import lines
from agents.commands.evaluate import Args, run
from agents.results import matches
from hanabako.games import config_to_dict, games, make_config


def test_every_seat_is_had_by_both():
    assert matches.line_ups(2) == [[True, False], [False, True]]
    for players in (3, 5):
        seats = np.array(matches.line_ups(players))
        assert seats.sum() * 2 == seats.size


def test_a_summary_counts_deals_not_games():
    won = np.array([[1.0, 0.0], [1.0, 1.0], [0.5, 1.0]])
    match = matches.HeadToHead(np.array([[1.0, -1.0], [3.0, 1.0], [0.0, 2.0]]), won)
    summary = match.summary()
    assert (summary["lead"], summary["deals"]) == (1.0, 3)
    assert summary["lead_error"] == pytest.approx(np.std([0, 2, 1], ddof=1) / np.sqrt(3))
    assert (summary["won"], summary["drawn"]) == (4 / 6, 1 / 6)


def match(one: str, other: str, won: float, drawn: float = 0.0, games: int = 1000) -> dict:
    return {"agents": [one, other], "won": won, "won_error": 0.01, "drawn": drawn, "games": games}


def test_ratings_of_a_pair_are_its_odds():
    """Odds of 10 to 1 are 400 points, apart from the added draw; both are equally far from the mean of 0."""
    rows = matches.ratings([match("a", "b", 10 / 11, games=10**7)], np.array(0.01**2))
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
            wins[row["agents"][0]] += share
            wins[row["agents"][1]] += 1 - share
        rows = matches.ratings(met)
        assert [row["name"] for row in rows] == sorted(names, key=lambda name: -wins[name])
        again = matches.ratings([met[k] for k in rng.permutation(len(met))])
        for row, other in zip(rows, again, strict=True):
            assert row["rating"] == pytest.approx(other["rating"], abs=0.01)
        assert sum(row["rating"] for row in rows) == pytest.approx(0, abs=1e-6)


def test_who_never_loses_has_a_rating():
    rows = matches.ratings([match("a", "b", 1.0), match("b", "c", 0.5), match("a", "c", 1.0)])
    assert rows[0]["name"] == "a" and np.isfinite(rows[0]["rating"])
    assert rows[0]["error"] is None


def test_the_fit_finds_the_strengths_that_made_the_games():
    strength = np.array([300.0, 50.0, -150.0, -200.0])
    probability = 1 / (1 + 10 ** ((strength[None] - strength[:, None]) / 400))
    met = [
        match("abcd"[k], "abcd"[j], probability[k, j], games=10**6)
        for k in range(4)
        for j in range(k + 1, 4)
        if (k, j) != (0, 3)
    ]
    found = {row["name"]: row["rating"] for row in matches.ratings(met)}
    assert [found[name] for name in "abcd"] == pytest.approx(strength, abs=0.1)


@pytest.mark.parametrize("game", [name for name, game in games().items() if not game.cooperative])
def test_nobody_beats_an_equal(game):
    """If both are the same player, every exchange of seats gains one of them as much as the other."""
    config = make_config(game, games()[game].first_preset)
    random = agents.load("random", config)
    result = matches.tournament(config, {"one": random, "other": random}, 20, seed=3)
    (match,) = result["matches"]
    assert match["lead"] == pytest.approx(0.0)
    assert {row["name"] for row in result["ratings"]} == {"one", "other"}
    assert [row["rating"] for row in result["ratings"]] == pytest.approx([0, 0], abs=1e-3)


def test_the_winner_of_a_match_is_the_winner_of_the_game():
    """K29: the higher total wins, though the rewards of twelve rounds may favour the one who wins more of them."""
    configs = [make_config("koikoi", "document", settings=[f"reward={reward}"]) for reward in ("squashed", "result")]
    found = [
        matches.head_to_head(config, agents.load("counting", config), agents.load("greedy_stop", config), 100, seed=1)
        for config in configs
    ]
    np.testing.assert_array_equal(found[0].won, found[1].won)
    np.testing.assert_array_equal(found[1].won, np.sign(found[1].lead) / 2 + 0.5)
    assert (np.sign(found[0].lead) != np.sign(found[1].lead)).any(), "the test would not tell them apart"


@pytest.mark.parametrize("reward", ["win", "prestige", "dense"])
def test_the_winners_of_ikebana_are_those_with_the_most_prestige(reward: str):
    config = make_config("ikebana", "standard", 3, [f"reward={reward}"])
    random, greedy = agents.load("random", config), agents.load("greedy", config)
    found = matches.head_to_head(config, random, greedy, 40, seed=2)
    by_win = matches.head_to_head(make_config("ikebana", "standard", 3), random, greedy, 40, seed=2)
    np.testing.assert_array_equal(found.won, np.sign(np.round(by_win.lead, 9)) / 2 + 0.5)


def test_errors_of_ratings_know_that_all_pairs_play_the_same_deals():
    """Equal results of two matches against the same agent vary together, and move its rating twice as far."""
    met = [match("a", "b", 0.5, games=10**6), match("a", "c", 0.5, games=10**6), match("b", "c", 0.5, games=10**6)]
    apart, together = np.diag([1e-4, 1e-4, 0.0]), np.zeros((3, 3))
    together[:2, :2] = 1e-4
    rows = [row for one in (apart, together) for row in matches.ratings(met, one) if row["name"] == "a"]
    assert rows[1]["error"] == pytest.approx(rows[0]["error"] * 2**0.5)


def test_a_table_shows_both_sides_of_every_match():
    met = {"agents": ["a", "b"], "won": 0.6, "won_error": 0.01, "drawn": 0.1, "deals": 50, "games": 100}
    result = {
        "config": config_to_dict(make_config("ikebana", "final_bouquet")),
        "observation": "public",
        "training": [None, None],
        "tournament": {"matches": [met], "ratings": matches.ratings([met], np.array(0.01**2))},
    }
    lines = tournaments([result]).splitlines()
    assert lines[0] == "**ikebana final_bouquet, 2 players**, 100 games a pair."
    assert lines[-2:] == ["| a |  | 60.0% ± 2.0% | +53 ± 7 |", "| b | 30.0% ± 2.0% |  | -53 ± 7 |"]


def test_who_wins_most_rounds_is_not_rated_first_if_points_win_the_match():
    """`greedy_stop` wins seven rounds of ten against `always_koi`, but loses points, and so most matches (K29)."""
    found = {}
    for rounds in (1, 12):
        config = make_config("koikoi", "document", settings=[f"rounds={rounds}"])
        players = {name: agents.load(name, config) for name in ("greedy_stop", "always_koi", "counting")}
        found[rounds] = matches.tournament(config, players, 400, seed=1)
    one, twelve = (found[rounds]["matches"][0] for rounds in (1, 12))
    assert one["agents"] == ["greedy_stop", "always_koi"]
    assert one["won"] > 0.65 and twelve["won"] < 0.45 and twelve["lead"] < one["lead"] < -4, "leads are in points"
    for result, unit in ((found[1], "points a round"), (found[12], "Elo")):
        assert result["unit"] == unit and result["ratings"][-1]["name"] == "greedy_stop"
    own = [match["lead"] / 2 for match in found[1]["matches"][:2]]
    errors = [match["lead_error"] / 2 for match in found[1]["matches"][:2]]
    assert found[1]["ratings"][-1] == {
        "name": "greedy_stop",
        "rating": pytest.approx(np.mean(own)),
        "error": pytest.approx(np.mean(errors)),
    }


def test_ikebana_is_rated_by_games_won():
    config = make_config("ikebana", "single_round")
    players = {name: agents.load(name, config) for name in ("random", "greedy")}
    result = matches.tournament(config, players, 20, seed=1)
    assert result["unit"] == "Elo" and result["ratings"][0]["name"] == "greedy"


def test_a_tournament_says_what_its_numbers_are(capsys):
    for rounds, said in (("1", "points a round that each takes from the others"), ("2", "ratings (Elo, ")):
        fields = (f"rounds={rounds}",)
        run(Args("koikoi", agents="random,greedy_stop", mode="tournament", games=20, config=fields))
        told = capsys.readouterr().out
        assert told.startswith(f"koikoi document rounds={rounds} reward=points, 2 players, ")
        assert "its mean return (reward=points) minus the second's:" in told and said in told


def test_agents_of_koikoi_are_listed_with_points():
    listed = {line.split()[0]: line for line in lines("koikoi") if "points a round" in line}
    assert set(agents.names("koikoi")) < set(listed)
    points = {name: float(re.findall(r"([+-]\d+\.\d+) ± ", line)[0]) for name, line in listed.items()}
    assert points["koikoi-document-2p"] > points["monte_carlo"] > 0 > points["greedy_stop"]
