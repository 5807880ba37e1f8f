"""Algorithms side by side: trained once, played once, and summed up over disjoint pairs."""

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.commands.command_line import main
from agents.evaluate import main as evaluate
from agents.evaluation.crossplay import self_and_cross_play
from agents.learning.common.algorithms import declared_by
from benchmarks.strength import zero_shot

TINY = "--games 32 --horizon 8 --minibatch 64 --width 16 --steps 256 --evaluation-games 4 --final-games 4 --device cpu"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(zero_shot, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(zero_shot, "RESULTS", tmp_path / "zero_shot.json")
    monkeypatch.setattr(zero_shot, "GAMES", 4)
    monkeypatch.setattr(zero_shot, "ALGORITHMS", {"one": ("agents.ppo", TINY)})
    monkeypatch.setattr(zero_shot, "LOTS", (zero_shot.Lot("very_small", 1, 2, ("one",)),))
    return tmp_path


def test_what_is_not_there_is_trained_and_played_once(elsewhere: Path, capsys):
    zero_shot.main(["--cores", "2"])
    results = json.loads((elsewhere / "zero_shot.json").read_text(encoding="utf-8"))
    assert [(row["algorithm"], row["seed"], row["steps"]) for row in results["runs"]] == [
        ("one", 1, 256),
        ("one", 2, 256),
    ]
    agents = [*zero_shot.BOTS, "one-1", "one-2"]
    assert set(results["cells"]["very_small"]) == {f"{a} {b}" for a in agents for b in agents}
    assert (elsewhere / "zero_shot-very_small.png").read_bytes()[:4] == b"\x89PNG"
    before = (elsewhere / "zero_shot.json").read_bytes()
    (elsewhere / "runs").rename(elsewhere / "moved")
    zero_shot.main([])
    assert (elsewhere / "zero_shot.json").read_bytes() == before
    assert not (elsewhere / "runs").exists()
    capsys.readouterr()
    zero_shot.main(["--list"])
    assert capsys.readouterr().out.count("done") == 2
    assert "| one (not yet learned) | 2 | 0.0 M |" in zero_shot.table(results)


def test_a_run_that_is_to_meet_new_ones_but_is_gone_is_trained_again(elsewhere: Path):
    zero_shot.main(["--seeds", "1"])
    first = json.loads((elsewhere / "zero_shot.json").read_text(encoding="utf-8"))
    (elsewhere / "runs").rename(elsewhere / "moved")
    zero_shot.main([])
    results = json.loads((elsewhere / "zero_shot.json").read_text(encoding="utf-8"))
    assert sorted(row["seed"] for row in results["runs"]) == [1, 2]
    assert (elsewhere / "runs" / "very_small-one-1" / "policy.safetensors").exists()
    cells = results["cells"]["very_small"]
    assert len(cells) == (len(zero_shot.BOTS) + 2) ** 2
    bots = {pair: score for pair, score in first["cells"]["very_small"].items() if "one" not in pair}
    assert bots.items() <= cells.items()  # what has been played without it stays


def test_a_run_that_fails_says_where_to_look(elsewhere: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(zero_shot, "ALGORITHMS", {"one": ("agents.ppo", "--width 0")})
    with pytest.raises(SystemExit, match=r"very_small-one-1 did not end; .*very_small-one-1.log says why"):
        zero_shot.main([])


def test_some_have_but_a_share_of_the_minutes(elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    monkeypatch.setattr(zero_shot, "SHARES", {"one": 0.5})
    zero_shot.main(["--list"])
    listed = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert listed == [["to", "do", "0.5", "minutes", f"very_small-one-{seed}"] for seed in (1, 2)]


def cells_of(scores: np.ndarray, names: list[str]) -> dict[str, float]:
    return {f"{a} {b}": float(scores[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}


@pytest.mark.parametrize("seeds", [2, 4, 5])
def test_seeds_of_one_algorithm_are_summed_up_as_in_the_evaluation_kit(seeds: int):
    scores = np.random.default_rng(seeds).normal(10, 1, (seeds, seeds))
    names = [f"one-{k}" for k in range(seeds)]
    mean, error = zero_shot.meeting(cells_of(scores, names), names, names)
    expected = self_and_cross_play(scores)
    assert mean == pytest.approx(expected["cross_play"])
    assert error == pytest.approx(expected["cross_play_error"])


def test_two_algorithms_meet_in_all_pairs_and_errors_are_over_disjoint_ones():
    """Scores that are the sum of a part of each run: the error of a mean over disjoint pairs is known."""
    generator = np.random.default_rng(1)
    some, others = [f"one-{k}" for k in range(40)], [f"two-{k}" for k in range(40)]
    parts = {name: generator.normal() for name in (*some, *others)}
    cells = {f"{a} {b}": parts[a] + parts[b] for a in parts for b in parts}
    mean, error = zero_shot.meeting(cells, some, others)
    assert mean == pytest.approx(np.mean(list(parts.values())) * 2)
    assert error == pytest.approx(
        (2 / 40) ** 0.5, rel=0.25
    )  # two unit variances over 40 pairs; 4 errors of a deviation


def test_every_algorithm_is_a_module_that_can_be_run():
    for module, _ in zero_shot.ALGORITHMS.values():
        assert declared_by(importlib.import_module(module)).about
    for lot in zero_shot.LOTS:
        assert set(lot.algorithms) <= set(zero_shot.ALGORITHMS)


def test_the_results_are_those_of_the_comparison():
    results = zero_shot.read_results()
    assert zero_shot.runs_in(results) <= {run for lot in zero_shot.LOTS for run in zero_shot.runs_of(lot)}


# --- The leaderboard --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("entries")
    paths = {name: place / f"{name}.json" for name in ("scores", "matrix")}
    common = ["hanabi", "--preset", "mini", "--games", "40", "--agents"]
    evaluate([*common, "hanabi-mini-2p", "--json", str(paths["scores"])])
    evaluate([*common, "hanabi-mini-2p,cautious", "--cross-play", "--json", str(paths["matrix"])])
    return paths


@pytest.mark.parametrize("name", ["scores", "matrix"])
def test_an_entry_is_found_again(entries: dict[str, Path], name: str, capsys):
    main(["leaderboard", str(entries[name])])
    assert capsys.readouterr().out.endswith(f"{entries[name]}: found again\n")


@pytest.mark.parametrize("name", ["scores", "matrix"])
def test_a_claim_that_does_not_hold_is_named(entries: dict[str, Path], name: str, tmp_path: Path, capsys):
    entry = json.loads(entries[name].read_text(encoding="utf-8"))
    cell = entry["cross_play"][0][1] if name == "matrix" else entry
    cell["score"] += 2.5
    path = tmp_path / "entry.json"
    path.write_text(json.dumps(entry), encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["leaderboard", str(path)])
    place = "row 1, column 2" if name == "matrix" else "row 1, column 1"
    assert f"{place}: {cell['score']:.3f} is claimed" in capsys.readouterr().out


def test_a_search_thinks_as_it_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    told = []

    def search(blueprint, config, rollouts=None):
        told.append(rollouts)
        return blueprint

    monkeypatch.setattr(registry, "searcher", lambda _: search)
    words = ["hanabi", "--preset", "mini", "--games", "5", "--agents", "search:cautious", "--search", "rollouts=7"]
    evaluate([*words, "--json", str(tmp_path / "entry.json")])
    main(["leaderboard", str(tmp_path / "entry.json")])
    assert told == [7, 7]


@pytest.mark.parametrize("entry", [{}, [], {"config": {"game": "hanabi"}, "agents": 3}, None])
def test_what_is_no_entry_is_refused_in_words(entry: Any, tmp_path: Path, capsys):
    path = tmp_path / "entry.json"
    path.write_text(json.dumps(entry), encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["leaderboard", str(path)])
    assert len(capsys.readouterr().out.splitlines()) == 1
