"""The study of prestige in Ikebana: its parts continue, its spread is the one that search uses, and the tables."""

from collections.abc import Iterator

import pytest

from agents.search.ikebana.lookahead import SPREAD
from agents.studies.store import read_results
from benchmarks.strength import ikebana_prestige
from benchmarks.strength.ikebana_prestige import ROWS, STUDY, Part, played
from benchmarks.strength.koikoi_rounds import RESULTS


def test_games_and_last_turns_are_the_same_however_they_are_cut(monkeypatch: pytest.MonkeyPatch):
    for part, size, found in (("played", "GAMES_AT_ONCE", "games"), ("endings", "LOOKED_AT_ONCE", "endings")):
        row = Part(part, wanted=4)
        monkeypatch.setattr(ikebana_prestige, size, 4)
        whole = played(row, None)
        monkeypatch.setattr(ikebana_prestige, size, 2)
        both = played(row, played(row, None))
        assert both == whole and both["done"] == len(both[found]) > 0


def test_no_more_games_are_played_than_are_wanted():
    result = played(Part("played", wanted=3), None)
    assert result["done"] == 3 and [len(leads) for leads in result["games"]] == [4, 4, 4]


def test_last_turns_are_taken_only_if_they_can_be_solved(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(ikebana_prestige, "LOOKED_AT_ONCE", 3)
    some = played(Part("endings"), None)["done"]
    monkeypatch.setattr(ikebana_prestige, "SMALLEST_DECK", 56)
    result = played(Part("endings"), None)
    assert some > result["done"] == 0 and result["looked"] == 3


def test_choices_of_the_small_game_go_on_with_the_next_game(monkeypatch: pytest.MonkeyPatch):
    class Play:
        def __init__(self, *_: object) -> None:
            pass

        def choices(self, number: int, seed: int) -> Iterator[tuple[float, float, float]]:
            yield number + 0.1234567, seed, 0.0

    monkeypatch.setattr(ikebana_prestige, "SmallPlay", Play)
    result = played(Part("small_choices", wanted=3), {"games": [[[9.0, 1, 0.0]]]})
    assert result == {"done": 3, "seed": 1, "games": [[[9.0, 1, 0.0]], [[1.123457, 1, 0.0]], [[2.123457, 1, 0.0]]]}


def test_a_part_that_does_not_exist_is_refused_in_words():
    with pytest.raises(ValueError, match=r"part must be one of solved, small, .* endings, got 'large'"):
        played(Part("large"), None)


def test_the_spread_of_a_round_is_what_its_results_say():
    (result,) = [row for row in read_results(RESULTS / "ikebana_prestige.json") if row["part"] == "solved"]
    assert [row["left"] for row in result["rounds"]] == [1, 2, 3]
    assert all(abs(row["spread"] - SPREAD) < 1.1 for row in result["rounds"])


def test_a_table_waits_for_the_parts_that_it_needs():
    ending = {"replies": True, "exact": 0.25, "off": 0.01, "costs": 0.0}
    results = [{"part": "endings", "endings": [ending, ending | {"off": 0.03}]}, {"part": "played", "games": []}]
    texts = {title: table(results) for title, table in STUDY.tables.items()}
    assert texts["last-turns"].splitlines()[2:] == ["| replies | 2 | 0.250 | 0.0200, 0.030 | 0.0000, 0.000 |"]
    assert texts["prestige"] == "Nothing has been measured yet of solved."
    assert {row.part for row in ROWS} == {"solved", "small", "small_choices", "played", "endings"}
