"""The study of Koi-Koi's endings: rows continue where they stopped, what they look for, and the tables."""

from typing import Any

import pytest

from benchmarks.strength import koikoi_endings
from benchmarks.strength.koikoi_endings import (
    JUDGE,
    PLAYER,
    Call,
    Ending,
    calls_board,
    endings_board,
    played,
    positions,
)
from hanafuda_env.engine.state import PHASE_KOI


def test_endings_are_those_of_the_rounds_however_they_are_cut(monkeypatch: pytest.MonkeyPatch):
    """A part of six rounds finds what two parts of three find; rounds without an ending count too."""
    row = Ending(15, wanted=10)
    monkeypatch.setattr(koikoi_endings, "AT_ONCE", 6)
    whole = played(row, None)
    monkeypatch.setattr(koikoi_endings, "AT_ONCE", 3)
    half = played(row, None)
    both = played(row, half)
    assert (half["rounds"], both["rounds"], whole["rounds"]) == (3, 6, 6)
    assert 0 < half["done"] < both["done"] == len(both["endings"]) < 6
    assert by_round(both["endings"]) == by_round(whole["endings"])
    assert all(one["lower"] <= one["upper"] and one["advised"] <= one["upper"] for one in both["endings"])


def by_round(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Sort endings by round, because a part finds them in the order in which rounds reach their last turns."""
    return sorted(found, key=lambda one: one["round"])


def test_early_endings_are_taken_from_some_rounds_alone(monkeypatch: pytest.MonkeyPatch):
    """Every third round is used here, so that each part has one."""
    monkeypatch.setitem(koikoi_endings.EVERY, 15, 3)
    monkeypatch.setattr(koikoi_endings, "AT_ONCE", 3)
    result = played(Ending(15, wanted=2), None)
    assert result["rounds"] == 3 and [one["round"] for one in result["endings"]] == [0]


def test_no_more_is_found_than_is_wanted(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(koikoi_endings, "AT_ONCE", 6)
    assert played(Ending(15, wanted=1), None)["done"] == 1


def test_calls_are_choices_with_the_last_card_and_what_the_judge_says_of_them(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(koikoi_endings, "JUDGE", "monte_carlo:20")
    result = played(Call("koikoi_japan", 1, wanted=5), None)
    assert result["rounds"] == koikoi_endings.AT_ONCE and result["done"] == len(result["calls"]) > 0
    for call in result["calls"]:
        assert call["cards"] == 1 and call["base"] > 0 and call["stop"] > 0
        assert call["monte_carlo"] in (0, 1) and 0 <= call["often"] <= 1


def test_the_judge_is_asked_at_the_wanted_turns_alone_and_does_not_play(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(koikoi_endings, "JUDGE", "monte_carlo:20")
    asked, silent = (list(positions("koikoi_japan", 0, 6, turns)) for turns in ((13, 14), ()))
    assert [one.root.tobytes() for one in asked] == [one.root.tobytes() for one in silent]
    assert all(one.judged == -1 for one in silent)
    calls = [one for one in asked if one.root["phase"][0] == PHASE_KOI]
    assert any(one.judged >= 0 for one in calls)
    assert all((one.judged >= 0) == (one.root["turn"][0] in (13, 14)) for one in calls)


def test_a_row_names_who_plays_and_who_judges():
    assert Ending(15).agents == [PLAYER] and Call("document", 1).agents == [PLAYER, JUDGE]


def test_the_tables_say_how_far_off_open_hands_are_and_when_koikoi_is_right():
    ending = {"deals": 1, "lower": 1.0, "upper": 1.02, "open": 1.51, "advised": 0.91}
    rows = [
        {"turn": 14, "endings": [ending, ending | {"lower": 3.0, "upper": 3.0, "open": 3.0, "advised": 3.0}]},
        {"turn": 15, "endings": [ending, ending]},
        {"turn": 13, "endings": [ending]},
    ]
    call = {"base": 3, "stop": 2.0, "koikoi": 5.0, "open": 1.0, "monte_carlo": 0}
    calls = [{"preset": "document", "cards": 1, "calls": [call, call | {"koikoi": 1.0}, call | {"base": 9}]}]
    assert endings_board([*rows, *calls]).splitlines()[2:] == [
        "| 2 | 1 and 1 | 2 | +1.01 ± 0.00 | 0.010 | 0.500, 0.50 | 0.100, 0.10 |",
        "| 3 | 2 and 1 | 2 | +2.00 ± 12.64 | 0.010 | 0.250, 0.50 | 0.050, 0.10 |",
    ]
    (line,) = calls_board([*rows, *calls]).splitlines()[2:]
    half, none = "50.0% (9.5% to 90.5%)", "0.0% (0.0% to 65.8%)"  # Wilson's intervals of 1 and of 0 in 2
    assert line.startswith(f"| document | 1 | below 7 | 2 | {half} | {none} | 1.50 ± 19.06 | 1.50 ± 19.06 |")
    assert line.endswith(f"| 0.50 ± 6.35 | {half} |")
