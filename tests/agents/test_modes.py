"""Every mode of the evaluation kit with two trained networks, by the command line; its JSON is read back."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako.agents.commands.command_line import main
from hanabako.agents.learning import ppo
from hanabako.agents.results.evaluation import MODES, Args, evaluate
from tests.agents.files import rows_of

TINY = ppo.Args(games=16, horizon=8, minibatch=64, width=16, layers=1, steps=2 * 16 * 8, device="cpu")
TINY = replace(TINY, evaluations=1, evaluation_games=4, final_games=4)
PRESETS = {"hanabi": "mini", "ikebana": "single_round"}
Asked = Callable[..., list[dict[str, Any]]]


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
def asked(networks: Callable[[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Asked:
    """A function that evaluates two networks in a mode, and returns the written rows."""

    def run(game: str, *options: str) -> list[dict[str, Any]]:
        out = tmp_path / "result.json"
        common = ["--preset", PRESETS[game], "--agents", ",".join(networks(game)), "--games", "24", "--seed", "7"]
        capsys.readouterr()  # discard the output of training
        main(["evaluate", game, *common, "--json", str(out), *options])
        rows = rows_of(out)
        for row in rows:
            assert [about["seed"] for about in row["trained"].values()] == [1, 2]
            assert list(row["trained"]) == networks(game)
            assert (row["game"], row["preset"], row["seed"]) == (game, PRESETS[game], 7)
        return rows

    return run


def scores(rows: list[dict[str, Any]]) -> np.ndarray:
    return np.array([row["score"] for row in rows]).reshape(2, 2)


def test_every_mode_is_here() -> None:
    here = {name for name in MODES if f"test_{name.replace('-', '_')}" in globals()}
    assert here == set(MODES)


@pytest.mark.parametrize("game", PRESETS)
def test_self_play(asked: Asked, game: str, capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = asked(game)
    assert row["length"] > 1 and row["score_error"] >= 0 and row["games"] == 24
    assert game != "hanabi" or (0 <= row["perfect_rate"] <= 1 and row["score"] <= row["fireworks_score"])
    assert f"{row['score']:.3f} ± {row['score_error']:.3f}" in capsys.readouterr().out


def test_cross_play(asked: Asked, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rows are ordered pairs; the summary uses both orders of a pair."""
    rows = asked("hanabi", "--mode", "cross-play", "--png", str(tmp_path / "matrix.png"))
    matrix, told = scores(rows), capsys.readouterr().out
    assert f"self_play: {matrix.diagonal().mean():.3f} (no inference from fewer than five runs)\n" in told
    assert f"cross_play: {(matrix[0, 1] + matrix[1, 0]) / 2:.3f} (no" in told
    assert matrix[0, 1] == asked("hanabi")[0]["score"], "the line-up of both"
    assert (tmp_path / "matrix.png").read_bytes().startswith(b"\x89PNG")


def test_one_guest(asked: Asked) -> None:
    """With two players, a guest's line-ups are both orders, so the matrix is symmetric."""
    matrix, cross = (scores(asked("hanabi", "--mode", mode)) for mode in ("one-guest", "cross-play"))
    np.testing.assert_allclose(matrix, matrix.T)
    np.testing.assert_allclose(matrix, cross / 2 + cross.T / 2)


def test_ad_hoc(asked: Asked, networks: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    rows = asked("hanabi", "--mode", "ad-hoc")
    told = capsys.readouterr().out
    for name in networks("hanabi"):
        own = [row for row in rows if row["newcomer"] == name]
        assert len(own) == 20 and [row["first"] for row in own] == [24 * k // 20 for k in range(20)]
        assert sum(row["done"] for row in own) == 24, "all games are different deals"
        assert all(sorted(row["line_up"]) == sorted(networks("hanabi")) for row in own)
        mean = np.mean([row["score"] for row in own])
        assert f"| {Path(name).parent.name} | {mean:.2f} ± " in told


def test_ad_hoc_line_ups_are_alike_for_every_newcomer() -> None:
    args = Args("hanabi", preset="mini", agents="cheat,random,smart", games=12, mode="ad-hoc")
    rows = evaluate(args).rows
    seats = {
        name: [row["line_up"].index(name) for row in rows if row["newcomer"] == name] for name in ("cheat", "random")
    }
    assert seats["cheat"] == seats["random"]
    assert all(row["line_up"].count(row["newcomer"]) == 1 for row in rows)


def test_tournament(asked: Asked, networks: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    (row,) = asked("ikebana", "--mode", "tournament")
    assert row["line_up"] == networks("ikebana")
    assert (row["done"], row["games"], row["seats"]) == (24, 48, "exchanged")
    assert 0 <= row["won"] <= row["won"] + row["drawn"] <= 1
    assert "| wins against | " in capsys.readouterr().out


def test_communication(asked: Asked) -> None:
    (row,) = asked("hanabi", "--mode", "communication")
    measures = row["communication"]
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
        main(["evaluate", *common, ",".join([bad[0], good[0], bad[1], good[1]]), "--mode", "cross-play"])
    rows, said = rows_of(out), capsys.readouterr().err
    assert [row["line_up"] for row in rows] == [list(pair) for pair in itertools.product(good, repeat=2)]
    assert said.count("left out: ") == 2
    out.unlink()
    for wrong in (
        [f"{bad[0]},{good[0]}", "--mode", "cross-play"],
        [f"{bad[1]},{good[0]}"],
        ["smrt,random,iggi", "--mode", "one-guest"],
    ):
        with pytest.raises(SystemExit, match=r"^hanabako evaluate: "):
            main(["evaluate", *common, *wrong])
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
        main(["evaluate", "hanabi", "--preset", "mini", "--games", "2", *options])
    assert "\n" not in str(end.value)
