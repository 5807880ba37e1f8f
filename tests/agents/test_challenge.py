"""A challenge: an agent plays fixed deals with fixed partners, is scored between floor and best, and is replayed."""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako import agents
from hanabako.agents import play
from hanabako.agents.commands.command_line import main
from hanabako.agents.registry import PRETRAINED
from hanabako.agents.results.challenge import suite as suites
from hanabako.agents.results.challenge.suite import entries
from hanabako.agents.results.meeting import BLOCK
from hanabako.agents.results.store import read_results
from hanabako.drawing import charts
from hanabako.files import read_json, write_json
from hanabako.games import config_to_dict, make_config

MINI = make_config("hanabi", "mini")
NETWORK = "hanabi-mini-2p"
FILE = sha256((PRETRAINED / f"{NETWORK}.safetensors").read_bytes()).hexdigest()
MEMBERS: dict[str, dict[str, Any]] = {
    "piers": {"floor": 0.5, "best": 8.5, "sha256": None, "group": "bots"},
    "smart": {"floor": 0.25, "best": 8.25, "sha256": None, "group": "bots"},
    NETWORK: {"floor": 1.0, "best": 9.0, "sha256": FILE},
}
TOLD = {"best_by": "its response", "command": "hanabako train ..."}


@pytest.fixture(autouse=True)
def folder(cwd: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which commands run; its only suite is ``tiny``."""
    write_suite(cwd)
    monkeypatch.setattr(suites, "FOLDER", cwd)
    return cwd


def write_suite(folder: Path, **changes: Any) -> None:
    members = {name: told | TOLD for name, told in MEMBERS.items()}
    content = {"name": "tiny", "about": "Some.", "config": config_to_dict(MINI), "seed": 5, "games": 3 * BLOCK}
    write_json(folder / "tiny.json", content | {"members": members} | changes)


def run(agent: str, *words: str, out: str = "results/tiny.json") -> list[dict[str, Any]]:
    main(["challenge", "run", "tiny", "--agent", agent, "--out", out, *words])
    return rows(out)


def rows(path: str = "results/tiny.json") -> list[dict[str, Any]]:
    return [dict(row) for row in read_results(Path(path))]


def change_rows(change: Callable[[list[Any]], list[Any]]) -> None:
    content = read_json(Path("results/tiny.json"))
    write_json(Path("results/tiny.json"), content | {"rows": change(content["rows"])})


def test_scores_are_those_of_both_seatings_on_the_suites_deals(capsys: pytest.CaptureFixture[str]):
    """Two groups count: both bots, and the network."""
    found = {row["line_up"][1]: row for row in run("piers")}
    lines = capsys.readouterr().out
    parts = []
    for name, told in MEMBERS.items():
        config = make_config("hanabi", "mini", settings=["derived=true"])
        piers, partner = agents.load("piers", config), agents.load(name, config)
        scores = np.array([play(config, seats, 3 * BLOCK, 5).score for seats in ([piers, partner], [partner, piers])])
        assert found[name]["score"] == pytest.approx(scores.mean())
        assert found[name]["sums"] == scores.reshape(2, 3, BLOCK).sum(axis=2).T.tolist()
        parts.append((scores.mean() - told["floor"]) / (told["best"] - told["floor"]))
    bots, network = (parts[0] + parts[1]) / 2, parts[2]
    mean, error = (bots + network) / 2, abs(bots - network) / 2
    assert f"piers: {mean:.3f} ± {error:.3f} on 60 deals of tiny" in lines


def test_a_run_goes_on_from_fewer_deals_as_if_it_had_not_stopped():
    run("smart", "--games", "20")
    went_on = run("smart")
    assert [row["sums"] for row in went_on] == [row["sums"] for row in run("smart", out="whole.json")]
    assert [(row["done"], row["wanted"]) for row in went_on] == [(60, 60)] * 3
    assert all("--games" not in row["command"] for row in went_on), "the command that plays them all"


def test_an_entry_is_scored_on_the_deals_that_all_partners_have_played(capsys: pytest.CaptureFixture[str]):
    first = run("smart", "--games", "20")
    alone = capsys.readouterr().out.splitlines()[-1]
    whole = run("smart", out="whole.json")
    change_rows(lambda rows: [whole[0], *rows[1:]])
    (entry,) = entries(suites.named("tiny"), rows())
    assert entry.games == 20 and f"smart: {entry.score:.3f}" in alone
    assert entry.scores["piers"] == pytest.approx(first[0]["score"])


def other(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Results as of another file of the network that is the agent."""
    return [row | {"networks": {**row["networks"], row["line_up"][0]: "0" * 16}} for row in rows]


def test_two_agents_of_one_name_are_never_one_entry(capsys: pytest.CaptureFixture[str], cwd: Path):
    """Neither in the file of one entrant, after a change and an interrupted run, nor in those of two."""
    (cwd / f"{NETWORK}-mine.safetensors").write_bytes((PRETRAINED / f"{NETWORK}.safetensors").read_bytes())
    run(f"{NETWORK}-mine.safetensors", "--games", "20")
    main(["challenge", "page", "tiny", "results/tiny.json", "--out", "page.md"])
    write_json(Path("copy.json"), read_json(Path("results/tiny.json")))
    change_rows(lambda rows: [*other(rows[:1]), *rows[1:]])
    with pytest.raises(SystemExit, match="two different agents called"):
        main(["challenge", "page", "tiny", "results/tiny.json", "copy.json"])
    with pytest.raises(SystemExit, match="no agent in these files"):
        main(["challenge", "page", "tiny", "results/tiny.json"])
    assert "has not played with 1 of the 3 partners" in capsys.readouterr().err


def test_rows_with_another_file_of_a_partner_are_not_ranked():
    run("smart", "--games", "20")
    zeros = {NETWORK: "0" * 16}
    change_rows(lambda rows: [row | ({"networks": zeros} if "networks" in row else {}) for row in rows])
    assert entries(suites.named("tiny"), rows()) == []


@pytest.mark.parametrize("words", [["--out", "results/tiny.json"], ["--out", "one", "--png", "one"]])
def test_a_page_replaces_neither_results_nor_its_picture(words: list[str]):
    before = run("random", "--games", "20")
    with pytest.raises(SystemExit, match="different files"):
        main(["challenge", "page", "tiny", "results/tiny.json", *words])
    assert rows() == before


@pytest.mark.parametrize("changes", [{"games": 50}, {"members": {"piers": MEMBERS["piers"] | TOLD | {"best": 0.5}}}])
def test_a_set_that_cannot_score_is_refused(folder: Path, changes: dict[str, Any]):
    write_suite(folder, **changes)
    with pytest.raises(SystemExit, match=r"games must be a multiple of 20, and each best score above the floor"):
        run("piers")


def test_what_an_entry_has_not_played_is_said_where_it_is_verified(capsys: pytest.CaptureFixture[str]):
    run("random", "--games", "20")
    change_rows(lambda rows: rows[1:])
    capsys.readouterr()
    main(["verify", "results/tiny.json"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[-3:] == [
        "results/tiny.json: unfinished: random has not played with 1 of the 3 partners",
        "results/tiny.json: unfinished: random has played 20 of 60 deals",
        "reproduced: 2 of 2 rows",
    ]


def test_three_players_have_the_agent_at_each_seat(folder: Path):
    config = make_config("hanabi", "standard", players=3)
    told = {"piers": MEMBERS["piers"] | TOLD}
    write_suite(folder, config=config_to_dict(config), members=told)
    (row,) = run("outer", "--games", "20")
    outer, piers = agents.load("outer", config), agents.load("piers", config)
    seats = [[outer, piers, piers], [piers, outer, piers], [piers, piers, outer]]
    assert row["sums"] == [[int(play(config, line, 20, 5).score.sum()) for line in seats]]


@pytest.mark.slow
def test_a_page_ranks_all_agents_that_met_everyone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):
    drawn = []
    save = charts.save
    monkeypatch.setattr(charts, "save", lambda path, figure: (drawn.append(figure), save(path, figure)))
    run("smart")
    run("random", out="other.json")
    run("search:smart", "--search", "rollouts=20", "--games", "20")
    capsys.readouterr()
    main(["challenge", "page", "tiny", "results/tiny.json", "other.json", "--png", "picture.png"])
    page = capsys.readouterr().out
    names = [line.split(" | ")[0].removeprefix("| ") for line in page.splitlines() if line.startswith("| ")]
    ranked = [entry.name for entry in entries(suites.named("tiny"), [*rows(), *rows("other.json")])]
    assert names == ["agent", *ranked, "partner", *MEMBERS]
    assert sorted(ranked) == ["random", "search:smart rollouts=20", "smart"] and ranked[-1] == "random"
    assert "| the first 20 |" in page and "0.50 | 8.50 | its response" in page
    assert Path("picture.png").read_bytes().startswith(b"\x89PNG")
    axes = drawn[0].axes[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ranked
    assert [label.get_text() for label in axes.get_xticklabels()] == list(MEMBERS), "columns are partners"
    main(["challenge", "page", "tiny", "results/tiny.json", "other.json", "--out", "page.md"])
    assert Path("page.md").read_text(encoding="utf-8") == page


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sums": [[1]]}, "a line of sums must be a list of 2"),
        ({"sums": [[181, 0]]}, "sums must be numbers up to 180, got 181"),
        ({"sums": [["1", 0]]}, "sums must be numbers"),
        *(({"sums": value}, "sums must be a list") for value in ({}, None, [], [[0, 0]] * 50)),
        ({"done": 40}, "sums must be a list of 2"),
        ({"line_up": 3}, "line_up must be a list, got 3"),
        ({"seats": "outside"}, "seats must be one of"),
    ],
)
def test_a_file_that_holds_something_else_is_refused(
    changes: dict[str, Any], words: str, capsys: pytest.CaptureFixture[str]
):
    """Also before the agent plays more games with it."""
    run("piers", "--games", "20")
    change_rows(lambda rows: [rows[0] | changes, *rows[1:]])
    with pytest.raises(SystemExit, match=words):
        main(["challenge", "page", "tiny", "results/tiny.json"])
    with pytest.raises(SystemExit):
        main(["verify", "results/tiny.json"])
    assert words in capsys.readouterr().out
    if "sums" in changes:
        with pytest.raises(SystemExit, match=r"tiny\.json: .*sums"):
            run("piers", "--games", "40")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "tiny2", "--agent", "piers"], "suite must be one of tiny, got 'tiny2'; did you mean tiny?"),
        (["run", "tiny", "--agent", "pier"], "did you mean piers"),
        (["run", "tiny", "--agent", "piers", "--games", "30"], "games must be a multiple of 20 up to the suite's 60"),
        (["run", "tiny", "--agent", "piers", "--games", "0"], "got 0"),
        (["run", "tiny", "--agent", "piers", "--games", "80"], "got 80"),
        (["run", "tiny", "--agent", "piers", "--search", "rollouts=3"], "for agents that search"),
        (["run", "tiny", "--agent", "hanabi-standard-2p"], "other rules"),
        (["run", "tiny", "--agent", "cheat"], "cheat looks at its own cards, which players do not see"),
        (["page", "tiny", "none.json"], "none.json"),
    ],
)
def test_wrong_words_end_in_one_sentence(words: list[str], said: str):
    with pytest.raises(SystemExit) as end:
        main(["challenge", *words])
    message = str(end.value.code)
    assert message.startswith("hanabako challenge: ") and said in message and "\n" not in message
    assert not Path("tiny.json.lock").exists()


def test_a_member_whose_file_has_changed_is_not_played_with(folder: Path):
    run("smart", "--games", "20")
    told = MEMBERS | {NETWORK: MEMBERS[NETWORK] | {"sha256": "0" * 64}}
    write_suite(folder, members={name: one | TOLD for name, one in told.items()})
    with pytest.raises(SystemExit, match=f"the file of {NETWORK} is not the one that the suite was made with"):
        run("piers")


def test_a_suite_of_several_presets_takes_an_agent_for_each(folder: Path, capsys: pytest.CaptureFixture[str]):
    presets = ("mini", "very_small")
    told = TOLD | {"floor": 0.0, "best": 4.0, "agent": "piers", "ceiling": 4.95}
    write_suite(folder, members={f"piers, {preset}": told | {"preset": preset} for preset in presets})
    found = run("hanabi-{preset}-2p")
    scores = []
    for preset, row in zip(presets, found, strict=True):
        config, own = make_config("hanabi", preset), f"hanabi-{preset}-2p"
        assert (row["preset"], row["line_up"]) == (preset, [own, "piers"])
        network, partner = agents.load(own, config), agents.load("piers", config)
        games = [play(config, seats, 3 * BLOCK, 5).score for seats in ([network, partner], [partner, network])]
        scores.append(np.mean(games) / 4)
    assert f"hanabi-{{preset}}-2p: {np.mean(scores):.3f}" in capsys.readouterr().out
    main(["challenge", "page", "tiny", "results/tiny.json"])
    page = capsys.readouterr().out.replace("\\", "")
    assert "| hanabi-{preset}-2p | " in page and page.count("| 4.95 |") == 2
    main(["verify", "results/tiny.json"])
    with pytest.raises(SystemExit, match="other rules"):
        run("hanabi-small-2p-1")
    with pytest.raises(SystemExit, match=r"must have {preset} for a partner's mini, got 'hanabi-mini-2p'"):
        run("hanabi-mini-2p")


def test_a_score_may_be_above_one_and_below_zero():
    member = suites.Member("piers", "piers", 1.0, 5.0, "smart", "")
    assert [member.normalized(score) for score in (0.0, 1.0, 5.0, 6.0)] == [-0.25, 0.0, 1.0, 1.25]


NASTY = "\x1b]0;title\x07\x1b[2J<img src=x onerror=alert(1)>|`[link](https://example.org)\n\u202e"


def test_names_in_files_of_others_act_on_nothing(capsys: pytest.CaptureFixture[str]):
    """They reach a terminal and Markdown, also in a table, as plain text on one line."""
    run("piers", "--games", "20")
    change_rows(lambda rows: [row | {"line_up": [NASTY, row["line_up"][1]], "search": {NASTY: NASTY}} for row in rows])
    capsys.readouterr()
    main(["study", "list", "results/tiny.json"])
    listed = capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["verify", "results/tiny.json"])
    verified = capsys.readouterr()
    main(["challenge", "page", "tiny", "results/tiny.json", "--png", "picture.png"])
    page = capsys.readouterr().out
    for said in (listed, verified.out, verified.err.replace("\r", ""), page):
        assert said.replace("\n", "").isprintable(), said
    assert len(listed.splitlines()) == 3
    (row,) = (line for line in page.splitlines() if "onerror" in line)
    assert not {"<", "`", "["} & set(row) and row.count("|") == 4
