"""Bots in self-play: how a row is played, and tables with the best bot first and the best honest bot in bold."""

from typing import Any

import pytest
from benchmarks.strength.hanabi_bots import STUDY, SelfPlay, play, score_text, standard, variants

from hanabako.games import config_to_dict
from hanabi_env import PRESETS


def result(name: str, score: float, players: int = 2, preset: str = "standard", **more: Any) -> dict[str, Any]:
    own = {"agent": name, "players": players, "preset": preset, "max_life_tokens": 3, "agents": [name]}
    config = config_to_dict(PRESETS[preset]) | {"players": players}
    rates = {"score_error": 0.01, "fireworks_score": score, "perfect_rate": 0.0, "lost_rate": 0.0}
    return {"fields": list(SelfPlay("", 2).values()), **own, "config": config, "score": score, **rates, **more}


def ceiling(preset: str, players: int) -> dict[tuple[str, int], dict[str, Any]]:
    """Return a ceiling: 900 of 1,000 decks allow the highest score, 90 allow one less, and 10 are open."""
    return {(preset, players): {"decks": 1000, "perfect": 900, "open": 10, "upper": 24910}}


def test_a_row_is_played_as_its_fields_say():
    found = play(SelfPlay("recommendation", 5, max_life_tokens=4, wanted=20), None)
    assert (found["done"], found["games"], found["agents"]) == (20, 20, ["recommendation"])
    assert (found["config"]["players"], found["config"]["max_life_tokens"]) == (5, 4)
    assert not {"command", "machine"} & found.keys()


def test_a_bot_that_cannot_play_a_variant_is_refused():
    with pytest.raises(ValueError, match="players"):
        play(SelfPlay("smart", 9, wanted=20), None)


def test_every_bot_plays_the_standard_game_with_every_number_of_players():
    rows = [row for row in STUDY.rows if isinstance(row, SelfPlay) and row.agent == "smart"]
    assert [row.players for row in rows if row.preset == "standard"] == [2, 3, 4, 5]
    assert {row.wanted for row in rows} == {20_000, 5_000}


def test_bots_stand_best_first_with_a_column_per_number_of_players():
    results = [
        result("a", 3.0),
        result("b", 20.0, players=5),
        result("a", 4.0, players=5),
        result("b", 1.0, preset="mini"),
    ]
    table = standard(results, ceiling("standard", 5)).splitlines()
    assert table[0] == "| agent | 2 players | 3 players | 4 players | 5 players |"
    assert table[2] == "| *ceiling* |  |  |  | 24.91 (91.0%) |"
    assert table[3].startswith("| b |  |  |  | **20.00** ± 0.010")
    assert table[4].startswith("| a | **3.00** ± 0.010 |")


def test_four_lives_are_not_among_the_standard_games():
    results = [result("a", 3.0, players=5), result("a", 9.0, players=5, max_life_tokens=4)]
    assert "9.00" not in standard(results, {})


def test_kept_points_are_shown_where_games_are_lost():
    assert score_text(result("a", 3.0)) == "**3.00** ± 0.010"
    lossy = result("a", 3.0, fireworks_score=7.0, lost_rate=0.5, perfect_rate=0.25)
    assert score_text(lossy) == "**3.00** ± 0.010; 7.00 (25.0%)"


def test_the_best_honest_bot_of_a_variant_is_bold():
    rows = [result("smart", 3.0, preset="avalanche_5"), result("cheat", 29.0, preset="avalanche_5", perfect_rate=0.6)]
    assert variants(rows, ceiling("avalanche_5", 2)).splitlines()[2] == (
        "| avalanche_5 | 2 | 30 | **3.00** ± 0.01 | 29.00 ± 0.01 (60%) | 24.91 (91.0%) |"
    )


def test_columns_follow_the_studys_rows_whatever_the_order_of_the_results():
    """Results that are measured again are at the end of their file."""
    rows = [result(name, 3.0, preset="avalanche_5") for name in ("cheat", "smart", "cautious")]
    head = variants(rows, {}).splitlines()[0]
    assert head == "| variant | players | of | cautious | smart | cheat | ceiling |"
