"""Search in Hanabi beside its blueprint: rows continue game by game, and a line of the table shows a whole row."""

from typing import Any

import numpy as np
import pytest
from benchmarks.strength.search_hanabi import Search, board, played

from agents.results.running import run
from agents.results.store import read_results
from agents.results.study import Study
from benchmarks.strength import search_hanabi

ORIGIN: dict[str, Any] = {"command": "", "machine": {}, "versions": {}, "commit": None}


def test_a_row_that_is_interrupted_goes_on_with_the_same_games(tmp_path, monkeypatch):
    row = Search("smart", 2, 10, "very_small", wanted=5)
    whole = played(row, None)
    monkeypatch.setattr(search_hanabi, "FEWEST", 2)
    monkeypatch.setattr(search_hanabi, "ROLLOUTS_AT_ONCE", 1)
    assert run(Study("x", [row], played), tmp_path / "x.json", ORIGIN) == {}
    (result,) = read_results(tmp_path / "x.json")
    clock = {"core_seconds", "milliseconds"}
    assert {name: result[name] for name in whole.keys() - clock} == {name: whole[name] for name in whole.keys() - clock}
    assert result["done"] == 5 == len(result["scores"]) == len(result["blueprint_scores"])
    assert result["gain"] == pytest.approx(np.mean(result["scores"]) - np.mean(result["blueprint_scores"]))
    assert result["core_seconds"] > 0 and result["counts"]["decisions"] > 0


def test_a_row_rests_on_its_blueprint():
    networks = [row for row in search_hanabi.ROWS if row.blueprint.startswith("hanabi-")]
    assert networks and all(row.agents == [row.blueprint] for row in search_hanabi.ROWS)


def test_a_line_of_the_table_has_the_ceiling_and_the_blueprints_own_games():
    ceilings = {("standard", 2): {"decks": 1000, "perfect": 900, "open": 10, "upper": 24910}}
    searched = {"blueprint": "a", "players": 2, "preset": "standard", "seats": "one", "rollouts": 30, "done": 2}
    searched |= {"searched": 3.0, "searched_error": 0.1, "gain": -0.005, "gain_error": 0.0035, "milliseconds": 8.0}
    searched |= {"perfect": 0.0, "blueprint_perfect": 0.0, "scores": [0, 6], "blueprint_scores": [3, 4]}
    searched |= {"counts": {"decisions": 10, "empty": 2, "changed": 1, "rollouts": 250}}
    small = searched | {"preset": "mini"}
    *_, first, last = board([small, searched], ceilings).splitlines()
    assert first == (
        "| standard | 2 | a | one | 30 | 25 | 3.00 ± 0.10 | 3.50 | -0.005 ± 0.004 | 24.91 (91.0%) "
        "| 0.0% | 0.0% | 50.0% | 0.0% | 8 | 20.0% | 10.0% | 2 |"
    )
    assert last.startswith("| mini | 2 | a | one | 30 |")
