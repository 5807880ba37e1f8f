"""Cross-play, a guest in a team, ad-hoc teams, and their errors."""

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

import agents
from agents import evaluate
from agents.networks.network import DenseNetwork
from agents.networks.neural_policy import save_policy
from agents.playing.play import play
from agents.results import crossplay
from hanabi_env import PRESETS
from tests.agents.evaluations import result_of

MINI = PRESETS["mini"]


@pytest.fixture(scope="module")
def pool():
    return {name: agents.load(name, MINI) for name in ("random", "cheat", "smart")}


def test_a_cell_is_the_games_of_that_line_up(pool):
    cells = crossplay.cross_play(MINI, pool, 50, seed=4)
    assert set(cells) == set(itertools.product(pool, repeat=2))
    alone = play(MINI, [pool["smart"], pool["random"]], 50, seed=4)
    np.testing.assert_array_equal(cells["smart", "random"].score, alone.score)


def test_of_three_players_the_first_agent_has_the_first_seat_only():
    config = replace(MINI, players=3)
    pool = {name: agents.load(name, config) for name in ("random", "smart")}
    cells = crossplay.cross_play(config, pool, 50, seed=4)
    for one, other in itertools.product(pool, repeat=2):
        alone = play(config, [pool[one], pool[other], pool[other]], 50, seed=4)
        np.testing.assert_array_equal(cells[one, other].score, alone.score)


def test_a_guest_sits_at_every_seat_in_turn(pool):
    cells = crossplay.one_guest(MINI, pool, 30, seed=4)
    first, second = cells["cheat", "random"]
    np.testing.assert_array_equal(first.score, play(MINI, [pool["random"], pool["cheat"]], 30, seed=4).score)
    np.testing.assert_array_equal(second.score, play(MINI, [pool["cheat"], pool["random"]], 30, seed=4).score)


def test_ad_hoc_line_ups_are_the_same_for_every_newcomer(pool):
    results = {name: crossplay.ad_hoc(MINI, pool, name, 60, seed=4, teams=6) for name in ("cheat", "random")}
    seats = {name: [row["line_up"].index(name) for row in result["line_ups"]] for name, result in results.items()}
    assert seats["cheat"] == seats["random"]
    assert results["cheat"]["score"] > results["random"]["score"]
    assert all(row["line_up"].count("cheat") == 1 for row in results["cheat"]["line_ups"])


def test_ad_hoc_plays_all_games_on_different_deals(pool, monkeypatch):
    dealt: list[int] = []

    def play_and_note(config, seats, games, seed, num_threads, first):
        dealt.extend(range(first, first + games))
        return play(config, seats, games, seed, num_threads, first=first)

    monkeypatch.setattr(crossplay, "play", play_and_note)
    crossplay.ad_hoc(MINI, pool, "cheat", 7, seed=4, teams=3)
    assert dealt == list(range(7))


@pytest.mark.parametrize(("newcomer", "teams"), [("nobody", 4), ("cheat", 1), ("cheat", 100)])
def test_ad_hoc_refuses_what_cannot_be(pool, newcomer, teams):
    with pytest.raises(ValueError, match="must be"):
        crossplay.ad_hoc(MINI, pool, newcomer, 60, seed=4, teams=teams)


def test_paired_deals_make_differences_sharper(pool):
    some, others = (play(MINI, pool[name], 400, seed=2) for name in ("cheat", "smart"))
    difference, error = crossplay.difference(some, others).values()
    assert difference == pytest.approx(some.score.mean() - others.score.mean())
    assert error is not None
    assert error < math.hypot(some.summary()["score_error"], others.summary()["score_error"])


def test_a_matrix_of_runs_must_be_square():
    with pytest.raises(ValueError, match="square"):
        crossplay.self_and_cross_play(np.zeros((2, 3)))


def test_cross_play_of_networks_keeps_the_matrix_beside_its_summary(tmp_path, capsys):
    torch.manual_seed(0)
    runs = []
    for k in range(2):
        runs.append(tmp_path / str(k) / "policy.safetensors")
        runs[-1].parent.mkdir()
        network = DenseNetwork(MINI, width=16, layers=1)
        save_policy(runs[-1], network, MINI, {"name": str(k)})
    out = tmp_path / "result.json"
    names = ",".join(map(str, runs))
    evaluate.main(
        ["hanabi", "--preset", "mini", "--agents", names, "--games", "10", "--mode", "cross-play", "--json", str(out)]
    )
    result = result_of(out)
    scores = np.array([[cell["score"] for cell in row] for row in result["cross_play"]])
    assert result["runs"] == crossplay.self_and_cross_play(scores)
    shown = capsys.readouterr().out
    assert f"cross_play{result['runs']['cross_play']:>29.3f}  (no inference from fewer than five runs)" in shown


def test_the_command_line_studies(tmp_path, capsys):
    png, out = tmp_path / "matrix.png", tmp_path / "result.json"
    common = ["hanabi", "--preset", "mini", "--agents", "cheat,smart", "--games", "40", "--json", str(out)]
    evaluate.main([*common, "--mode", "one-guest", "--png", str(png)])
    assert png.read_bytes().startswith(b"\x89PNG")
    assert np.shape(result_of(out)["one_guest"]) == (2, 2)
    evaluate.main([*common, "--mode", "ad-hoc"])
    assert [row["newcomer"] for row in result_of(out)["ad_hoc"]] == ["cheat", "smart"]
    assert "over line-ups" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="evaluate: "):
        evaluate.main([*common, "--mode", "cross-play", "--agents", "smart,smart"])


@pytest.mark.parametrize(("count", "letters"), [(2, 5), (3, 60), (12, 30)])
def test_a_picture_is_as_large_as_its_cells_and_labels_need(count: int, letters: int):
    names = [f"{k:0{letters}}" for k in range(count)]
    figure = crossplay.heat_map(np.ones((count, count)), names, 25.0, "a title that is longer than two cells are wide")
    figure.draw_without_rendering()
    axes = figure.axes[0]
    side = axes.get_window_extent().width / figure.dpi / count
    assert 0.3 < side < 0.8, "inches a cell"
    whole = figure.bbox
    for text in (figure._suptitle, *axes.get_xticklabels(), *axes.get_yticklabels()):
        box = text.get_window_extent()
        assert whole.x0 <= box.x0 and box.x1 <= whole.x1 and whole.y0 <= box.y0 and box.y1 <= whole.y1, text
