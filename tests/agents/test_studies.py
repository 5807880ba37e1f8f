"""Every mode of the evaluation kit with two trained networks, by the command line; its JSON is read back."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agents.results.crossplay import self_and_cross_play
from agents.results.modes import MODES

from agents import evaluate, ppo
from agents.results import report
from tests.agents.evaluations import result_of

TINY = ppo.Args(games=16, horizon=8, minibatch=64, width=16, layers=1, steps=2 * 16 * 8, device="cpu")
TINY = replace(TINY, evaluations=1, evaluation_games=4, final_games=4)
PRESETS = {"hanabi": "mini", "ikebana": "single_round"}
Study = Callable[..., dict[str, Any]]


@pytest.fixture(scope="session")
def networks(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """A function that returns the files of two networks of a game, trained once with a seed each."""
    trained: dict[str, list[str]] = {}
    folder = tmp_path_factory.mktemp("networks")

    def of(game: str) -> list[str]:
        if game not in trained:
            runs = [replace(TINY, game=game, preset=PRESETS[game], seed=seed) for seed in (1, 2)]
            runs = [replace(args, run_dir=folder / f"{game}-{args.seed}") for args in runs]
            trained[game] = [str(ppo.train(args) / "policy.safetensors") for args in runs]
        return trained[game]

    return of


@pytest.fixture
def study(networks: Callable[[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Study:
    """A function that evaluates two networks in a mode, checks the printed text, and returns the written results."""

    def run(game: str, *options: str) -> dict[str, Any]:
        out = tmp_path / "result.json"
        agents = ",".join(networks(game))
        common = ["--preset", PRESETS[game], "--agents", agents, "--games", "24", "--seed", "7"]
        capsys.readouterr()  # discard the output of training
        evaluate.main([game, *common, "--json", str(out), *options])
        result = result_of(out)
        assert capsys.readouterr().out.strip() == report.describe(result)
        assert result["agents"] == networks(game)
        assert [about["seed"] for about in result["training"]] == [1, 2]
        assert (result["config"]["game"], result["preset"]) == (game, PRESETS[game])
        assert (result["games"], result["seed"]) == (24, 7)
        return result

    return run


def scores(cells: list[list[dict[str, Any]]]) -> np.ndarray:
    return np.array([[cell["score"] for cell in row] for row in cells])


def test_every_mode_is_here() -> None:
    here = {name for name in MODES if f"test_{name.replace('-', '_')}" in globals()}
    assert here == set(MODES)


@pytest.mark.parametrize("game", PRESETS)
def test_self_play(study: Study, game: str) -> None:
    result = study(game)
    assert 0 <= result["perfect_rate"] <= 1 and result["length"] > 1
    assert result["score_error"] >= 0
    assert result["score"] <= result["fireworks_score"] or game != "hanabi"


def test_cross_play(study: Study, tmp_path: Path) -> None:
    """Cells are ordered pairs; the summary uses both orders of a pair, so it is the same for the transposed matrix."""
    result = study("hanabi", "--mode", "cross-play", "--png", str(tmp_path / "matrix.png"))
    matrix = scores(result["cross_play"])
    assert matrix.shape == (2, 2)
    assert result["runs"] == self_and_cross_play(matrix) == self_and_cross_play(matrix.T)
    assert result["runs"]["self_play"] == pytest.approx(matrix.diagonal().mean())
    assert matrix[0, 1] == study("hanabi")["score"], "the line-up of both"
    assert (tmp_path / "matrix.png").read_bytes().startswith(b"\x89PNG")


def test_one_guest(study: Study) -> None:
    result = study("hanabi", "--mode", "one-guest")
    matrix, by_seat = np.array(result["one_guest"]), result["by_seat"]
    assert matrix.shape == (2, 2)
    np.testing.assert_allclose([[np.mean([lot["score"] for lot in cell]) for cell in row] for row in by_seat], matrix)
    # With two players, a guest's line-ups are both orders, so the matrix is symmetric.
    np.testing.assert_allclose(matrix, matrix.T)
    np.testing.assert_allclose(
        matrix, (cross := scores(study("hanabi", "--mode", "cross-play")["cross_play"])) / 2 + cross.T / 2
    )


def test_ad_hoc(study: Study) -> None:
    result = study("hanabi", "--mode", "ad-hoc")
    assert [row["newcomer"] for row in result["ad_hoc"]] == result["agents"]
    for row in result["ad_hoc"]:
        assert len(row["line_ups"]) == 20
        assert row["score"] == pytest.approx(np.mean([team["score"] for team in row["line_ups"]]))
        assert all(sorted(team["line_up"]) == sorted(result["agents"]) for team in row["line_ups"])


def test_tournament(study: Study) -> None:
    result = study("ikebana", "--mode", "tournament")
    (match,) = result["tournament"]["matches"]
    assert match["agents"] == result["agents"]
    assert (match["deals"], match["games"]) == (24, 48)  # each deal with exchanged seats
    assert 0 <= match["won"] <= match["won"] + match["drawn"] <= 1
    ratings = result["tournament"]["ratings"]
    assert {row["name"] for row in ratings} == set(result["agents"])
    assert ratings[0]["rating"] >= ratings[1]["rating"]


def test_communication(study: Study) -> None:
    measures = study("hanabi", "--mode", "communication")["communication"]
    assert measures["games"] == 24
    assert set(measures["known"]) == {"neither", "color", "rank", "both"}
    assert sum(measures["known"].values()) == pytest.approx(1)
    assert 0 < measures["communicativeness"] <= 1
    assert measures["conventional_bits_per_hint"] is None, "networks have no convention that could be read"


def test_a_mode_of_pairs_goes_on_without_a_bad_file_and_says_so(
    networks: Callable[[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, out = networks("hanabi"), tmp_path / "result.json"
    bad = [str(tmp_path / "missing.safetensors"), str(tmp_path / "damaged.safetensors")]
    Path(bad[1]).write_bytes(Path(good[0]).read_bytes()[:-1])
    common = ["hanabi", "--preset", "mini", "--games", "4", "--json", str(out), "--agents"]
    with pytest.raises(SystemExit, match="left out 2 of the agents"):
        evaluate.main([*common, ",".join([bad[0], good[0], bad[1], good[1]]), "--mode", "cross-play"])
    result, said = result_of(out), capsys.readouterr().err
    assert result["agents"] == good
    assert scores(result["cross_play"]).shape == (2, 2)
    assert list(result["refused"]) == bad
    assert all(f"left out: {result['refused'][name]}" in said for name in bad)
    out.unlink()
    for wrong in (
        [f"{bad[0]},{good[0]}", "--mode", "cross-play"],
        [f"{bad[1]},{good[0]}"],
        ["smrt,random,iggi", "--mode", "one-guest"],
    ):
        with pytest.raises(SystemExit, match=r"^evaluate: "):
            evaluate.main([*common, *wrong])
        assert not out.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--games", "-1", "--mode", "communication"], "games must be at least 1"),
        (["--seed", "-1"], "seed must be an int from 0"),
        (["--num-threads", "0"], "num_threads must be an int from 1"),
        (["--png", "matrix.png"], "png draws the matrix of"),
        (["--mode", "tournament", "--agents", "random,iggi"], "in a competitive game, got 2 in hanabi"),
        (["--agents", "x" * 5000], "an agent must be one of"),
        (["--json", "/dev/null/result.json"], "cannot be written"),
    ],
)
def test_what_cannot_be_evaluated_is_a_clear_line(options: list[str], words: str) -> None:
    with pytest.raises(SystemExit, match=words) as end:
        evaluate.main(["hanabi", "--preset", "mini", "--games", "2", *options])
    assert "\n" not in str(end.value)
