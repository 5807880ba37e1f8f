"""Ports and their originals are compared with the same count for lost games; the largest difference is named."""

from typing import Any

from benchmarks.strength import ports


def result(name: str, score: float, preset: str = "standard", **more: Any) -> dict[str, Any]:
    return {"line_up": [name], "players": 2, "preset": preset, "score": score, "fireworks_score": score, **more}


def original(score: float, published: float | None = None, **more: Any) -> dict[str, Any]:
    means = {"original": {"2": {"score": score, "error": 0.01}}, "published": {"2": published} if published else {}}
    rest = {"title": "a", "bot": "a", "lost_games": "kept", "program": "b/c 123", "change": None, "done": 10}
    return means | rest | {"source": None, "note": None} | more


def test_a_port_stands_beside_its_original_by_the_same_way_to_count_lost_games():
    ours = result("a", 3.0, fireworks_score=7.0)
    assert ports.cell(original(6.9, 7.002), "2", ours) == "**7.00**; 6.90 (+0.10)<br>published 7.00 (+0.00)"
    assert ports.cell(original(3.2, lost_games="zero"), "2", ours) == "**3.00**; 3.20 (-0.20)"
    assert ports.cell(original(3.2), "3", ours) == ""


def test_four_lives_are_compared_with_four_lives():
    bots = [result("a", 3.0), result("a", 9.0, preset="standard max_life_tokens=4"), result("a", 1.0, preset="mini")]
    for lost_games, ours in (("kept", 3.0), ("fourth", 9.0)):
        (compared,) = ports.comparisons([original(5.0, lost_games=lost_games)], bots)
        assert compared.ours == ours


def test_the_largest_difference_is_named():
    table = ports.beside_originals([original(3.1), original(3.5)], [result("a", 3.0)])
    assert table.splitlines()[-1] == (
        "Farther than 0.15 from their originals: 1 of 2 means. The largest difference is -0.50 (a, 2 players)."
    )
