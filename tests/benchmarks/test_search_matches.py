"""Search against its rivals: rows continue deal by deal, and a timed agent plays the same games."""

from typing import Any

import numpy as np
import pytest
from agents.results.matches import head_to_head
from benchmarks.strength.search_matches import Match, Timed, TimedSeated, played, players_of, table

import agents
from agents.playing.play import play
from agents.playing.policy import Seated
from agents.results.running import run
from agents.results.store import read_results
from agents.results.study import Study
from benchmarks.strength import search_matches

ORIGIN: dict[str, Any] = {"command": "", "machine": {}, "versions": {}, "commit": None}


@pytest.mark.slow
@pytest.mark.parametrize(
    "row",
    [
        Match("koikoi", "document", "greedy_stop", 4, "random", wanted=5),
        Match("ikebana", "standard", "lookahead", 0, "ikebana-standard-2p", wanted=3),
    ],
    ids=lambda row: row.game,
)
def test_a_row_that_is_interrupted_goes_on_with_the_same_deals(row, tmp_path, monkeypatch):
    monkeypatch.setattr(search_matches, "AT_ONCE", 2)
    assert run(Study("x", [row], played), tmp_path / "x.json", ORIGIN) == {}
    (result,) = read_results(tmp_path / "x.json")
    config, search, rival = players_of(row)
    match = head_to_head(config, search, rival, row.wanted, search_matches.SEED)
    np.testing.assert_array_equal(result["leads"], match.lead)
    summary = match.summary()
    assert {name: result[name] for name in summary} == summary
    assert result["done"] == row.wanted and min(result["decisions"]) > 0 and min(result["seconds"]) > 0
    assert list(result.get("networks", {})) == [name for name in row.agents if name.startswith("ikebana-")]


@pytest.mark.parametrize("name", ["random", "counting", "koikoi-document-2p"])
def test_who_is_timed_plays_the_same_games(name):
    config = players_of(Match("koikoi", "document", "greedy_stop", 4, "koikoi-document-2p"))[0]
    policy = agents.load(name, config)
    timed = Timed(policy)
    np.testing.assert_array_equal(play(config, timed, 8, seed=3).rewards, play(config, policy, 8, seed=3).rewards)
    assert timed.decisions > 8 and timed.seconds > 0


def test_who_is_timed_is_told_all_that_the_seat_is_told():
    """`TimedSeated` passes on all methods of `Seated`, including those added later."""
    asked = {name for name, value in vars(Seated).items() if callable(value) and not name.startswith("_")}
    assert asked <= vars(TimedSeated).keys()


def test_a_lead_is_told_per_round_and_rows_of_one_deal_are_left_out():
    row = {"game": "koikoi", "preset": "document", "blueprint": "a", "rollouts": 1000, "rival": "b", "done": 50}
    row |= {"milliseconds": [0.94, 1.0], "lead": 0.7, "lead_error": 0.1, "won": 0.5, "won_error": 0.01, "drawn": 0.125}
    exact = row | {"rollouts": 0}
    *_, one, other = table([row, exact, row | {"done": 1}]).splitlines()
    assert one == "| koikoi document | a | 1,000 | 0.9 | b | 1.0 | +0.35 ± 0.10 | 50.0% ± 2.0% | 12.5% | 100 |"
    assert other.startswith("| koikoi document | a | exactly |")
