"""Algorithms side by side: trained once, played once, and summed up over disjoint pairs."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents import registry
from agents.commands import leaderboard
from agents.commands.command_line import main
from agents.evaluate import main as evaluate
from agents.evaluation.crossplay import self_and_cross_play
from agents.learning.common import launch
from agents.learning.common.algorithms import named
from agents.studies.running import run
from agents.studies.store import is_stale, read_results
from agents.studies.study import Study, chosen, key_of
from benchmarks.strength import zero_shot
from benchmarks.strength.zero_shot import BOTS, STUDY, Pair, Run
from hanabako.engine.game import Game
from tests.agents.tiny_runs import run_here

TINY = "--games 32 --horizon 8 --minibatch 64 --width 16 --steps 256 --evaluation-games 4 --final-games 4 --device cpu"
ORIGIN = {"command": "c", "machine": {}, "versions": {}, "commit": "d"}
WITH_BOTS = (len(BOTS) + 2) ** 2


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Study:
    """Two seeds of an algorithm, trained in this process, and their pairs."""
    monkeypatch.setattr(launch, "run_module", run_here)
    monkeypatch.setattr(zero_shot, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(zero_shot, "GAMES", 4)
    monkeypatch.setattr(zero_shot, "ALGORITHMS", {"one": ("ppo", TINY)})
    monkeypatch.setattr(zero_shot, "LOTS", {"very_small": zero_shot.Lot(1, 2, ("one",))})
    return replace(STUDY, rows=zero_shot.rows_of("very_small"))


def test_what_is_missing_is_trained_and_played_once(small: Study, tmp_path: Path):
    path = tmp_path / "zero_shot.json"
    assert run(small, path, ORIGIN) == {}
    results = read_results(path)
    runs = [row for row in results if "algorithm" in row["fields"]]
    assert [(row["algorithm"], row["seed"], row["steps"]) for row in runs] == [("one", 1, 256), ("one", 2, 256)]
    names = [*BOTS, "one-1", "one-2"]
    assert set(zero_shot.cells_of(results)["very_small"]) == {f"{a} {b}" for a in names for b in names}
    zero_shot.draw("very_small", results, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"
    assert "| one (not yet learned) | 2 | 0.0 M |" in zero_shot.board(results)
    before = path.read_bytes()
    (tmp_path / "runs").rename(tmp_path / "moved")
    assert run(small, path, ORIGIN) == {}
    assert path.read_bytes() == before
    assert not (tmp_path / "runs").exists()


def test_a_run_that_is_to_play_but_is_gone_is_trained_again(small: Study, tmp_path: Path):
    path = tmp_path / "zero_shot.json"
    run(
        small,
        path,
        ORIGIN,
        [row for row in small.rows if "one-2" not in row.values().values() and row != small.rows[1]],
    )
    first = {(row["one"], row["other"]): row["score"] for row in read_results(path) if "one" in row["fields"]}
    assert len(first) == (len(BOTS) + 1) ** 2
    (tmp_path / "runs").rename(tmp_path / "moved")
    refused = run(small, path, ORIGIN)
    assert list(refused) == [Pair("very_small", *names).words for names in (("one-1", "one-2"), ("one-2", "one-1"))]
    again = "hanabako study run zero_shot --again --where preset=very_small algorithm=one seed=1 trains it again"
    assert all(why.endswith(f"policy.safetensors is gone: {again}") for why in refused.values())
    run(small, path, ORIGIN, chosen(small.rows, {"algorithm": "one", "seed": "1"}), again=True)
    assert run(small, path, ORIGIN) == {}
    results = read_results(path)
    assert len(zero_shot.cells_of(results)["very_small"]) == WITH_BOTS
    bots = {names: score for names, score in first.items() if "one-1" not in names}
    assert (
        bots.items() <= {(row["one"], row["other"]): row["score"] for row in results if "one" in row["fields"]}.items()
    )


def test_a_pair_is_stale_when_a_run_in_it_was_trained_again(small: Study, tmp_path: Path):
    """Also where it was not recorded how the first policy was."""
    path, pair = tmp_path / "zero_shot.json", Pair("very_small", "cautious", "one-1", wanted=4)
    run(small, path, ORIGIN, [pair])
    (result,) = (row for row in read_results(path) if "one" in row["fields"])
    unknown = result | {"networks": dict.fromkeys(result["networks"], "not recorded")}
    assert not is_stale(result) and is_stale(unknown)
    policy = zero_shot.run_named("very_small", "one-1").policy
    policy.write_bytes(policy.read_bytes() + b" ")
    assert is_stale(result)
    policy.unlink()
    assert not is_stale(result) and not is_stale(unknown)


def test_a_pair_sits_as_it_says(monkeypatch: pytest.MonkeyPatch):
    seats = []

    def play(config: Any, players: list[Any], games: int, seed: int) -> SimpleNamespace:
        seats.append([player.name for player in players])
        return SimpleNamespace(score=np.array([2, 3]))

    monkeypatch.setattr(zero_shot, "play", play)
    for pair in (Pair("mini", "smart", "piers", wanted=9), Pair("mini", "smart", "smart", wanted=9)):
        assert zero_shot.measure(pair, None) == {"done": 9, "score": 2.5}
    assert seats == [["smart", "piers"], ["smart", "smart"]]


def test_a_run_waits_for_those_whose_policies_its_settings_name():
    level_1, level_2 = (zero_shot.run_of("mini", f"obl-{level}", 3) for level in (1, 2))
    assert level_2.needs == [level_1] and level_1.needs == []
    assert level_2.agents == [str(level_1.policy)]
    assert level_2.settings[2:4] == ["--level-below", str(level_1.policy)]
    assert Pair("mini", "obl-2-3", "smart").needs == [level_2]


def test_some_have_but_a_share_of_the_minutes():
    minutes = {row.algorithm: row.minutes for row in STUDY.rows if isinstance(row, Run) and row.preset == "mini"}
    assert minutes.pop("ippo-half") == 2.5
    assert set(minutes.values()) == {5}


@pytest.mark.parametrize("missing", [("a-1", "b-1"), ("b-1", "a-1"), ("b-1", "b-1")])
def test_what_is_not_whole_is_left_out(missing: tuple[str, str]):
    """An agent that lacks a pair with one before it, and a preset where bots have not played."""
    names = (*BOTS, "a-1", "b-1")
    found = [row("mini", one, other) for one in names for other in names if (one, other) != missing]
    cells = zero_shot.cells_of([*found, row("small", "a-1", "a-1")])
    assert list(cells) == ["mini"]
    assert set(zero_shot.agents_of(cells["mini"])) == {*BOTS, "a"}


def row(preset: str, one: str, other: str) -> dict[str, Any]:
    return {"fields": ["preset", "one", "other"], "preset": preset, "one": one, "other": other, "score": 1.0}


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
    for learner, _ in zero_shot.ALGORITHMS.values():
        assert named(learner).about
    for lot in zero_shot.LOTS.values():
        assert set(lot.algorithms) <= set(zero_shot.ALGORITHMS)


def test_the_results_are_those_of_the_comparison():
    results = read_results(Path(zero_shot.__file__).parent / "results" / "zero_shot.json")
    assert {key_of(result) for result in results} == {row.key for row in STUDY.rows}


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
    words = ["hanabi", "--preset", "mini", "--games", "30", "--agents", "search:cautious", "--search", "rollouts=7"]
    evaluate([*words, "--json", str(tmp_path / "entry.json")])
    main(["leaderboard", str(tmp_path / "entry.json")])
    assert told == [7, 7]


VALID: dict[str, Any] = {
    "config": {"game": "hanabi", "colors": 3},
    "agents": ["random"],
    "games": 40,
    "seed": 1,
    "score": 0.5,
}
MATRIX: dict[str, Any] = VALID | {"agents": ["random", "smart"], "cross_play": [[{"score": 1}] * 2] * 2}
DEEP = "[" * 500 + "]" * 500


@pytest.mark.parametrize(
    "entry",
    [
        *("[" * 100_000, DEEP, "{}", "[]", "null", "3", '"a"', "NaN", "{", ""),
        *(VALID | {"config": value} for value in (None, [], 3, {"game": "hanabi"} | {"colors": 99}, {"game": []}, {})),
        *(
            VALID | {"agents": value}
            for value in (None, 3, [], "random", [1], [None], [[]], ["random"] * 3, ["nobody"])
        ),
        *(VALID | {"agents": [value]} for value in ("", "\0", "\ud800", "person", "search:" * 9000 + "smart")),
        *(VALID | {"games": value} for value in (float("inf"), float("nan"), 0, -1, 29, 2.5, True, "40", 10**30, None)),
        *(VALID | {"seed": value} for value in (float("inf"), -1, 10**30, 1.5, "1", None, [])),
        *(VALID | {"score": value} for value in (float("nan"), float("inf"), 10**400, "1", True, None, [])),
        *(VALID | {"agents": ["search:smart"], "search": value} for value in (3, None, [], {"a": 1}, {"rollouts": []})),
        *(MATRIX | {"cross_play": value} for value in (None, [], {}, [[]], [[3, 3]] * 2, [[{}] * 2] * 2, 3, "a")),
        MATRIX | {"cross_play": [[{"score": 1}] * 3] * 2},
        MATRIX | {"agents": ["random", "random"]},
        {key: value for key, value in VALID.items() if key != "score"},
    ],
    ids=lambda entry: json.dumps(entry)[:60],
)
def test_what_is_no_entry_is_refused_in_words_and_the_next_one_is_checked(
    entry: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def play(*_: Any, **__: Any) -> None:
        raise AssertionError("a game is played")

    monkeypatch.setattr(Game, "loops", play)
    paths = [tmp_path / "entry.json", tmp_path / "nowhere.json"]
    paths[0].write_text(entry if isinstance(entry, str) else json.dumps(entry), encoding="utf-8")
    with pytest.raises(SystemExit):
        main(["leaderboard", *map(str, paths)])
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [str(path) for path in paths]
    assert len(lines[0]) < 900


@pytest.mark.parametrize("entry", [VALID, MATRIX], ids=["scores", "matrix"])
def test_a_whole_entry_is_played(entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Game, "loops", lambda *_, **__: pytest.fail("a game is played"))
    with pytest.raises(pytest.fail.Exception):
        leaderboard.check(entry)
