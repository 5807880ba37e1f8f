"""The boards of bots: best first, both ways to count a lost game, and the best honest one in bold."""

import hashlib
from typing import Any

from agents.registry import fingerprints
from benchmarks.strength import ports, scoreboard
from hanabako.games import config_to_dict
from hanabi_env import PRESETS

FEW = {"fireworks_score_error": 0.01}


def result(name: str, score: float, players: int = 2, preset: str = "standard", **more: Any) -> dict[str, Any]:
    config = config_to_dict(PRESETS[preset]) | {"players": players}
    rates = {"score_error": 0.01, "fireworks_score": score, "perfect_rate": 0.0, "lost_rate": 0.0}
    return {"config": config, "preset": preset, "agents": [name], "score": score, **rates, **more}


def ceiling(preset: str, players: int) -> dict[tuple[str, int], dict[str, Any]]:
    """Of 1,000 decks 900 allow the highest score, 90 allow one less, and 10 are open."""
    return {(preset, players): {"decks": 1000, "perfect": 900, "open": 10, "upper": 24910}}


def test_programs_stand_best_first_with_a_column_a_number_of_players():
    results = [result("a", 3.0), result("b", 20.0, players=5), result("a", 4.0, players=5)]
    table = scoreboard.programs_board(results, ceiling("standard", 5)).splitlines()
    assert table[0] == "| agent | 2 players | 3 players | 4 players | 5 players |"
    assert table[2] == "| *ceiling* |  |  |  | 24.91 (91.0%) |"
    assert table[3].startswith("| b |  |  |  | **20.00** ± 0.010")
    assert table[4].startswith("| a | **3.00** ± 0.010 |")


def test_a_ceiling_stands_beside_every_score():
    line = scoreboard.row(result("a", 3.0, games=10, observation="x", training=[]) | FEW, ceiling("standard", 2))
    assert line.startswith("| hanabi standard | 2 | a | x | 3.00 ± 0.01 | 24.91 (91.0%) |")


def test_kept_points_are_shown_where_games_are_lost():
    assert scoreboard.score_text(result("a", 3.0)) == "**3.00** ± 0.010"
    lossy = result("a", 3.0, fireworks_score=7.0, lost_rate=0.5, perfect_rate=0.25)
    assert scoreboard.score_text(lossy) == "**3.00** ± 0.010; 7.00 (25.0%)"


def test_the_best_honest_program_of_a_variant_is_bold():
    rows = [result("a", 3.0, preset="avalanche_5"), result("cheat", 29.0, preset="avalanche_5", perfect_rate=0.6)]
    assert scoreboard.variants_board(rows, ceiling("avalanche_5", 2)).splitlines()[2] == (
        "| avalanche_5 | 2 | 30 | **3.00** ± 0.01 | 29.00 ± 0.01 (60%) | 24.91 (91.0%) |"
    )


def original(score: float, published: float | None = None, **more: Any) -> dict[str, Any]:
    means = {"original": {"2": {"score": score, "error": 0.01}}, "published": {"2": published} if published else {}}
    rest = {"title": "a", "bot": "a", "lost_games": "kept", "program": "b/c 123", "change": None, "games": 10}
    return means | rest | {"source": None, "note": None} | more


def test_a_port_stands_beside_its_original_by_the_same_way_to_count_lost_games():
    ours = result("a", 3.0, fireworks_score=7.0)
    assert ports.cell(original(6.9, 7.002), "2", ours) == "**7.00**; 6.90 (+0.10)<br>published 7.00 (+0.00)"
    assert ports.cell(original(3.2, lost_games="zero"), "2", ours) == "**3.00**; 3.20 (-0.20)"
    assert ports.cell(original(3.2), "3", ours) == ""


def test_four_lives_are_compared_with_four_lives():
    four = result("a", 9.0) | {"config": result("a", 9.0)["config"] | {"max_life_tokens": 4}}
    for lost_games, ours in (("kept", 3.0), ("fourth", 9.0)):
        (compared,) = ports.comparisons([original(5.0, lost_games=lost_games)], [result("a", 3.0), four])
        assert compared.ours == ours


def test_the_largest_difference_is_named():
    table = ports.originals_board([original(3.1), original(3.5)], [result("a", 3.0)])
    assert table.splitlines()[-1] == (
        "Farther than 0.15 from their originals: 1 of 2 means. The largest difference is -0.50 (a, 2 players)."
    )


def test_only_networks_have_fingerprints(tmp_path):
    (tmp_path / "policy.safetensors").write_bytes(b"weights")
    found = fingerprints("smart", "monte_carlo:2000", "hanabi-mini-2p", str(tmp_path / "policy.safetensors"))
    assert list(found) == ["hanabi-mini-2p", str(tmp_path / "policy.safetensors")]
    assert list(found.values())[1] == hashlib.sha256(b"weights").hexdigest()[:16]
