"""A claim is checked by playing again, and a file that is not a claim is refused with a message."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agents.results.crossplay import self_and_cross_play

from agents import registry
from agents.commands import verify
from agents.commands.command_line import main
from agents.evaluate import main as evaluate
from hanabako.engine.game import Game
from tests.agents.evaluations import claim, result_of


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("entries")
    paths = {name: place / f"{name}.json" for name in ("scores", "matrix")}
    common = ["hanabi", "--preset", "mini", "--games", "40", "--agents"]
    evaluate([*common, "hanabi-mini-2p", "--json", str(paths["scores"])])
    evaluate([*common, "hanabi-mini-2p,cautious", "--mode", "cross-play", "--json", str(paths["matrix"])])
    return paths


@pytest.mark.parametrize("name", ["scores", "matrix"])
def test_an_entry_is_found_again(entries: dict[str, Path], name: str, capsys):
    main(["verify", str(entries[name])])
    assert capsys.readouterr().out.endswith(f"{entries[name]}: reproduced\nreproduced: 1 of 1 row\n")


@pytest.mark.parametrize("name", ["scores", "matrix"])
def test_a_claim_that_does_not_hold_is_named(entries: dict[str, Path], name: str, tmp_path: Path, capsys):
    entry = result_of(entries[name])
    cell = entry["cross_play"][0][1] if name == "matrix" else entry
    cell["score"] += 2.5
    path = tmp_path / "entry.json"
    claim(path, entry)
    with pytest.raises(SystemExit):
        main(["verify", str(path)])
    place = "row 1, column 2" if name == "matrix" else "row 1, column 1"
    assert f"{place}: score {cell['score']:.3f} is claimed" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["fireworks_score", "length", "perfect_rate", "lost_rate", "rewards"])
def test_every_mean_and_rate_is_a_claim(entries: dict[str, Path], name: str, tmp_path: Path, capsys):
    entry = result_of(entries["scores"])
    if name == "rewards":
        entry[name][1] -= 2
    else:
        entry[name] += 0.5 if name.endswith("rate") else 2
    path = tmp_path / "entry.json"
    claim(path, entry)
    with pytest.raises(SystemExit):
        main(["verify", str(path)])
    *lines, _ = capsys.readouterr().out.splitlines()
    assert [line.split()[5] for line in lines] == ["rewards[1]" if name == "rewards" else name]


def test_the_means_over_runs_follow_from_the_matrix(tmp_path: Path, capsys):
    networks = ["hanabi-small-2p-1", "hanabi-small-2p-2"]
    words = ["hanabi", "--preset", "small", "--games", "40", "--agents", ",".join(networks), "--mode", "cross-play"]
    path = tmp_path / "entry.json"
    evaluate([*words, "--json", str(path)])
    entry = result_of(path)
    matrix = np.array([[cell["score"] for cell in row] for row in entry["cross_play"]])
    entry["runs"] = self_and_cross_play(matrix)
    claim(path, entry)
    main(["verify", str(path)])
    assert "reproduced: 1 of 1 row" in capsys.readouterr().out
    entry["runs"]["cross_play"] += 1
    claim(path, entry)
    with pytest.raises(SystemExit):
        main(["verify", str(path)])
    assert "runs: cross_play" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scores", "matrix"])
def test_an_entry_of_the_luckiest_seed_is_played_on_other_deals(entries: dict[str, Path], name: str, tmp_path, capsys):
    """The mean must lie within four errors of a difference; the replay's own number is printed."""
    main(["verify", str(entries[name]), "--seed", "7", "--games", "300"])
    told = capsys.readouterr().out
    assert told.endswith("reproduced: 1 of 1 row\n") and " in 300 games of seed 7\n" in told
    assert told.count(": score ") == (4 if name == "matrix" else 1)
    entry = result_of(entries[name])
    cell = entry["cross_play"][1][1] if name == "matrix" else entry
    cell["score"] -= 4
    path = tmp_path / "entry.json"
    claim(path, entry)
    with pytest.raises(SystemExit):
        main(["verify", str(path), "--seed", "7", "--games", "300"])
    assert "is claimed" in capsys.readouterr().out


@pytest.mark.parametrize("agents", ["smart", "smart,piers"])
def test_the_first_games_of_an_entry_are_replayed_by_their_sums(agents: str, tmp_path: Path, capsys):
    path, mode = tmp_path / "entry.json", ["--mode", "cross-play"] if "," in agents else []
    evaluate(["hanabi", "--preset", "mini", "--games", "70", "--agents", agents, *mode, "--json", str(path)])
    main(["verify", str(path), "--games", "40"])
    entry = result_of(path)
    cell = entry["cross_play"][0][1] if mode else entry
    assert len(cell["sums"]) == 4 and sum(cell["sums"]) / 70 == pytest.approx(cell["score"])
    cell["sums"][1] += 1
    claim(path, entry)
    with pytest.raises(SystemExit):
        main(["verify", str(path), "--games", "40"])
    assert f"row 1, column {len(mode) or 1}: score" in capsys.readouterr().out


def test_a_number_of_games_that_cannot_be_replayed_is_refused(entries: dict[str, Path], capsys):
    for games in ("300", "30"):
        with pytest.raises(SystemExit):
            main(["verify", str(entries["scores"]), "--games", games])
        assert (
            f"games must be a multiple of 20 up to the row's 40, or have a seed, got {games}" in capsys.readouterr().out
        )
    with pytest.raises(SystemExit):
        main(["verify", str(entries["scores"]), "--seed", "7", "--games", "5"])
    assert "games must be at least 30, got 5" in capsys.readouterr().out


def test_no_entry_at_all_is_refused():
    with pytest.raises(SystemExit, match="files must be one or more results files"):
        main(["verify"])


def test_a_search_thinks_as_it_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    told = []

    def search(blueprint, config, rollouts=None):
        told.append(rollouts)
        return blueprint

    monkeypatch.setattr(registry, "searcher", lambda _: search)
    words = ["hanabi", "--preset", "mini", "--games", "30", "--agents", "search:cautious", "--search", "rollouts=7"]
    evaluate([*words, "--json", str(tmp_path / "entry.json")])
    main(["verify", str(tmp_path / "entry.json")])
    assert told == [7, 7]


VALID: dict[str, Any] = {
    "fields": ["mode", "config", "agents", "seed", "games"],
    "mode": "self-play",
    "done": 40,
    "wanted": 40,
    "config": {"game": "hanabi", "colors": 3},
    "agents": ["random"],
    "games": 40,
    "seed": 1,
    "score": 0.5,
}
CELLS = {"mode": "cross-play", "agents": ["random", "smart"], "cross_play": [[{"score": 1}] * 2] * 2}
MATRIX: dict[str, Any] = {name: value for name, value in VALID.items() if name != "score"} | CELLS
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
        MATRIX | {"mode": "self-play"},
        MATRIX | {"score": 25},
        VALID | {"mode": "cross-play"},
        *(VALID | {"mode": value} for value in ("tournament", "one-guest", None, 3, [])),
        *(VALID | {name: value} for name in ("length", "lost_rate") for value in (float("nan"), "1", None)),
        *(VALID | {"rewards": value} for value in (3, None, [None, 1], [[]])),
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
    if isinstance(entry, str):
        paths[0].write_text(entry, encoding="utf-8")
    else:
        claim(paths[0], entry)
    with pytest.raises(SystemExit):
        main(["verify", *map(str, paths)])
    *lines, _ = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in lines] == [str(path) for path in paths]
    assert len(lines[0]) < 900


def test_a_bot_must_have_the_claimed_score_to_the_last_digit(tmp_path: Path, capsys):
    path = tmp_path / "entry.json"
    evaluate(["hanabi", "--preset", "mini", "--games", "40", "--agents", "smart", "--json", str(path)])
    main(["verify", str(path)])
    for claimed in ({"search": {}}, {"networks": {"smart": "0" * 16}}):
        claim(path, result_of(path) | {"score": result_of(path)["score"] + 0.01} | claimed)
        with pytest.raises(SystemExit):
            main(["verify", str(path)])
    assert capsys.readouterr().out.count("reproduced: 0 of 1 row") == 2


def test_a_row_of_another_kind_is_said_to_be_one(tmp_path: Path, capsys):
    claim(tmp_path / "rows.json", {"fields": ["speed"], "speed": 1, "done": 1, "wanted": 1})
    with pytest.raises(SystemExit):
        main(["verify", str(tmp_path / "rows.json")])
    assert "a row with the fields ['speed'] cannot be replayed" in capsys.readouterr().out


@pytest.mark.parametrize("entry", [VALID, MATRIX], ids=["scores", "matrix"])
def test_a_whole_entry_is_played(entry: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Game, "loops", lambda *_, **__: pytest.fail("a game is played"))
    with pytest.raises(pytest.fail.Exception):
        verify.check(entry)
