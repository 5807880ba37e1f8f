"""A claim is checked by playing again, and a file that is not a claim is refused with a message."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from hanabako.agents import registry
from hanabako.agents.commands.command_line import main
from hanabako.engine.game import Game
from tests.agents.files import claim, result_of, rows_of


@pytest.fixture(scope="module")
def entries(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("entries")
    paths = {name: place / f"{name}.json" for name in ("scores", "matrix", "guests", "match")}
    common = ["hanabi", "--preset", "mini", "--games", "40", "--agents"]
    main(["evaluate", *common, "hanabi-mini-2p", "--json", str(paths["scores"])])
    main(["evaluate", *common, "hanabi-mini-2p,cautious", "--mode", "cross-play", "--json", str(paths["matrix"])])
    main(["evaluate", *common, "hanabi-mini-2p,cautious", "--mode", "one-guest", "--json", str(paths["guests"])])
    words = "ikebana --preset single_round --games 40 --agents random,greedy --mode tournament"
    main(["evaluate", *words.split(), "--json", str(paths["match"])])
    return paths


@pytest.mark.parametrize(
    ("name", "rows"),
    [("scores", "1 of 1 row"), ("matrix", "4 of 4 rows"), ("guests", "4 of 4 rows"), ("match", "1 of 1 row")],
)
def test_an_entry_is_found_again(entries: dict[str, Path], name: str, rows: str, capsys):
    for words in ([], ["--games", "20"]):
        main(["verify", str(entries[name]), *words])
        assert capsys.readouterr().out.endswith(f"reproduced: {rows}\n")


CLAIMS = {
    "scores": ["score", "fireworks_score", "length", "perfect_rate", "lost_rate", "rewards", "sums"],
    "match": ["lead", "won", "sums"],
}


@pytest.mark.parametrize(("entry", "name"), [(entry, name) for entry, names in CLAIMS.items() for name in names])
def test_every_mean_and_rate_is_a_claim(entries: dict[str, Path], entry: str, name: str, tmp_path: Path, capsys):
    row = result_of(entries[entry])
    if name == "sums":
        row["sums"][1] = [sum_ - 90 for sum_ in row["sums"][1]]
    elif name == "rewards":
        row["rewards"][1] -= 2
    else:
        row[name] += 0.5 if name.endswith("rate") or name == "won" else 2
    claim(tmp_path / "entry.json", row)
    with pytest.raises(SystemExit):
        main(["verify", str(tmp_path / "entry.json")])
    *lines, _ = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == [CLAIMS[entry][0] if name == "sums" else name]
    assert "is claimed" in lines[0]


def test_a_network_that_scores_about_what_is_claimed_has_its_own_score_printed(entries: dict[str, Path], capsys):
    main(["verify", str(entries["scores"])])
    found = capsys.readouterr().out
    row = result_of(entries["scores"])
    row["sums"][0][0] += 1
    claim(entries["scores"].with_name("more.json"), row)
    main(["verify", str(entries["scores"].with_name("more.json"))])
    first, second, _ = capsys.readouterr().out.splitlines()
    assert " in 40 deals of seed " in first and second.endswith(": reproduced")
    assert "reproduced: 1 of 1 row" in found


@pytest.mark.slow
@pytest.mark.parametrize("name", ["scores", "matrix", "match"])
def test_an_entry_of_the_luckiest_seed_is_played_on_other_deals(entries: dict[str, Path], name: str, tmp_path, capsys):
    """The mean must lie within four errors of a difference; the replay's own number is printed."""
    main(["verify", str(entries[name]), "--seed", "7", "--games", "300"])
    told, rows = capsys.readouterr().out, rows_of(entries[name])
    assert f"reproduced: {len(rows)} of {len(rows)} row" in told
    assert told.count(" in 300 deals of seed 7\n") == len(rows)
    rows[-1]["sums"] = [[sum_ - 90 for sum_ in block] for block in rows[-1]["sums"]]
    claim(tmp_path / "entry.json", *rows)
    with pytest.raises(SystemExit):
        main(["verify", str(tmp_path / "entry.json"), "--seed", "7", "--games", "300"])
    assert "is claimed" in capsys.readouterr().out


def test_the_first_games_of_an_entry_are_replayed_by_their_sums(tmp_path: Path, capsys):
    path = tmp_path / "entry.json"
    main(["evaluate", "hanabi", "--preset", "mini", "--games", "70", "--agents", "smart", "--json", str(path)])
    main(["verify", str(path), "--games", "40"])
    row = result_of(path)
    assert len(row["sums"]) == 4 and sum(map(sum, row["sums"])) / 70 == pytest.approx(row["score"])
    for block, reproduced in ((1, 0), (3, 1)):  # the last one is not played
        changed = [[own[0] + (k == block)] for k, own in enumerate(row["sums"])]
        claim(path, row | {"sums": changed})
        capsys.readouterr()
        with nullcontext() if reproduced else pytest.raises(SystemExit):
            main(["verify", str(path), "--games", "40"])
        assert f"reproduced: {reproduced} of 1 row" in capsys.readouterr().out


def test_a_number_of_games_that_cannot_be_replayed_is_refused(entries: dict[str, Path], capsys):
    said = "games must be a multiple of 20 up to the row's 40, or have a seed, got {}"
    for words, told in ((["300"], said), (["30"], said), (["5"], "at least 20"), (["5", "--seed", "7"], "at least 20")):
        with pytest.raises(SystemExit):
            main(["verify", str(entries["scores"]), "--games", *words])
        assert told.format(words[0]) in capsys.readouterr().out


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
    main(["evaluate", *words, "--json", str(tmp_path / "entry.json")])
    main(["verify", str(tmp_path / "entry.json")])
    assert told == [7, 7]


VALID: dict[str, Any] = {"config": {"game": "hanabi", "colors": 3}, "line_up": ["random"], "seed": 1}
VALID |= {"fields": ["line_up", "seed"], "done": 40, "wanted": 40, "score": 0.5, "sums": [[10], [10]]}
DEEP = "[" * 500 + "]" * 500


@pytest.mark.parametrize(
    "entry",
    [
        *("[" * 100_000, DEEP, "{}", "[]", "null", "3", '"a"', "NaN", "{", ""),
        *(VALID | {"config": value} for value in (None, [], 3, {"game": "hanabi"} | {"colors": 99}, {"game": []}, {})),
        *(
            VALID | {"line_up": value}
            for value in (None, 3, [], "random", [1], [None], [[]], ["random"] * 3, ["nobody"])
        ),
        *(VALID | {"line_up": [value]} for value in ("", "\0", "\ud800", "person", "search:" * 9000 + "smart")),
        *(VALID | {"done": value} for value in (0, -1, 19, 2.5, True, "40", 10**30, None)),
        *(VALID | {"wanted": value} for value in (-1, 2.5, True, "40", 10**30, None)),
        *(VALID | {"first": value} for value in (-1, 2.5, "40", 10**30, None)),
        *(VALID | {"seed": value} for value in (float("inf"), -1, 10**30, 1.5, "1", None, [])),
        *(VALID | {"score": value} for value in (float("nan"), float("inf"), 10**400, "1", True, None, [])),
        *(VALID | {"seats": value} for value in ("turns", "nowhere", None, 3, [])),
        *(VALID | {"line_up": ["search:smart"], "search": value} for value in (3, [], {"a": 1}, {"rollouts": []})),
        *(VALID | {"sums": value} for value in (None, [], {}, [[]], [[1]], [[1, 1]] * 2, [["1"]] * 2, [[10**9]] * 2)),
        *(VALID | {name: value} for name in ("length", "lost_rate") for value in (float("nan"), "1", None)),
        *(VALID | {"rewards": value} for value in (3, None, [None, 1], [[]])),
        *({key: value for key, value in VALID.items() if key != name} for name in ("sums", "config", "seed")),
        {"fields": ["speed"], "speed": 1, "done": 1, "wanted": 1},
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
