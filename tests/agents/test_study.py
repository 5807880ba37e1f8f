"""Studies: rows grow part by part on any executor, no process loses a row, and every number has its origin."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from filelock import FileLock

from hanabako.agents.commands.command_line import main
from hanabako.agents.results import Row, Study, store
from hanabako.agents.results.executors import Here
from hanabako.agents.results.pages import origin_line, sections
from hanabako.agents.results.running import run
from hanabako.agents.results.store import add_rows, is_stale, merged, origin_of, read_results, write_results
from hanabako.agents.results.study import chosen

MACHINE = {"processor": "P", "python": "3.11", "date": "2026-11-25 10:00 UTC"}
ORIGIN = {"command": "hanabako study run x", "machine": MACHINE, "versions": {"numba": "0.61"}, "commit": "abc"}
LATER = ORIGIN | {"command": "hanabako study run y", "machine": MACHINE | {"date": "2026-11-26 09:00 UTC"}}

WRONG = ('"machine": "abc"', '"machine": {"date": "2026"}', '"command": ["a"]', '"networks": 5', '"networks": {"a": 3}')
"""What a row may not hold."""
WHOLE = '{"study": "x", "command": "", "machine": {}, "versions": {}, "commit": "", "rows": [%s]}'
FILE = '''"""Throws of dice. Nothing else."""

from dataclasses import dataclass
from pathlib import Path

from hanabako.agents.results import Row, Study


@dataclass(frozen=True)
class Dice(Row):
    """Throws of one kind of dice."""

    sides: int
    color: str = "red"


def play(row, before):
    thrown = [] if before is None else before["thrown"]
    if row.sides == 13:
        raise ValueError("there are no dice with 13 sides")
    thrown = [*thrown, *range(len(thrown), min(len(thrown) + 2, row.wanted))]
    return {"done": len(thrown), "thrown": thrown}


def draw(results, path):
    path.write_text(str(len(results)))


def table(results):
    return "\\n".join(f"| {row['sides']} | {len(row['thrown'])} |" for row in results)


STUDY = Study(
    "dice",
    [Dice(6, wanted=5), Dice(20, wanted=3), Dice(20, "blue", wanted=4)],
    play,
    tables={"throws": table},
    figures={"dice.svg": draw},
    unit="throw",
)
'''


@dataclass(frozen=True)
class Kind(Row):
    name: str
    size: int = 0

    @property
    def needs(self) -> list[Row]:
        return [Kind("first", wanted=2)] if self.name == "last" else []

    @property
    def agents(self) -> list[str]:
        return ["hanabi-mini-2p"] if self.name == "network" else []


def two_more(row: Kind, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return two more games, the score of each being its number."""
    scores = before["scores"] if before else []
    scores = [*scores, *range(len(scores), min(len(scores) + 2, row.wanted))]
    return {"scores": scores, "done": len(scores)}


def scores_in(path: Path) -> dict[str, list[int]]:
    return {row["name"]: row["scores"] for row in read_results(path)}


def result_of(name: str, done: int, origin: Mapping[str, Any] = ORIGIN, **others: Any) -> dict[str, Any]:
    return {**origin, "fields": ["name"], "name": name, "done": done, "wanted": 9, "scores": [1] * done, **others}


# --- Rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("cores", [1, 2])
def test_every_row_gets_the_games_that_it_shall_have(tmp_path: Path, cores: int) -> None:
    path = tmp_path / "results.json"
    add_rows(path, "x", ORIGIN, [result_of("other", 7)])
    study = Study("x", [Kind("a", wanted=5), Kind("b", 3, wanted=3)], two_more)
    executor = ProcessPoolExecutor(2, get_context("spawn")) if cores == 2 else None
    assert run(study, path, ORIGIN, executor=executor, cores=cores) == {}
    assert scores_in(path) == {"other": [1] * 7, "a": [0, 1, 2, 3, 4], "b": [0, 1, 2]}


def test_rows_grow_evenly_and_what_is_finished_is_kept(tmp_path: Path) -> None:
    path, seen = tmp_path / "results.json", []

    def stopped(row: Kind, before: Mapping[str, Any] | None) -> dict[str, Any]:
        if len(seen) == 4:
            raise KeyboardInterrupt
        seen.append(row.name)
        return two_more(row, before)

    study = Study("x", [Kind("a", wanted=8), Kind("b", wanted=4)], stopped)
    with pytest.raises(KeyboardInterrupt):
        run(study, path, ORIGIN)
    assert seen == ["a", "b", "a", "a"], "half of both, then the first"
    assert {name: len(scores) for name, scores in scores_in(path).items()} == {"a": 6, "b": 2}
    run(Study("x", study.rows, two_more), path, LATER)
    assert {name: len(scores) for name, scores in scores_in(path).items()} == {"a": 8, "b": 4}


def test_what_ends_together_with_a_failure_is_kept(tmp_path: Path) -> None:
    def failing(row: Kind, before: Mapping[str, Any] | None) -> dict[str, Any]:
        return {}["nothing"] if row.name == "b" else two_more(row, before)

    path, rows = tmp_path / "results.json", [Kind(name, wanted=2) for name in "abcd"]
    with pytest.raises(KeyError, match="nothing"):
        run(Study("x", rows, failing), path, ORIGIN, executor=Here(), cores=4)
    assert scores_in(path) == {"a": [0, 1], "c": [0, 1], "d": [0, 1]}


def test_a_row_waits_for_the_rows_that_it_needs_and_brings_them(tmp_path: Path) -> None:
    order = []

    def noted(row: Kind, before: Mapping[str, Any] | None) -> dict[str, Any]:
        order.append(row.name)
        return two_more(row, before)

    last, first = Kind("last"), Kind("first", wanted=2)
    run(Study("x", [last, first, Kind("b")], noted), tmp_path / "results.json", ORIGIN, [last])
    assert order == ["first", "last"]


def test_a_row_that_cannot_be_played_leaves_the_others_alone(tmp_path: Path) -> None:
    def picky(row: Kind, before: Mapping[str, Any] | None) -> dict[str, Any]:
        if row.name == "a":
            raise ValueError("a does not play")
        return two_more(row, before)

    refused = run(Study("x", [Kind("a", 3), Kind("b")], picky), tmp_path / "results.json", ORIGIN)
    assert refused == {"name=a size=3": "a does not play"}
    assert scores_in(tmp_path / "results.json") == {"b": [0]}


def test_again_plays_a_row_from_its_first_game_and_keeps_the_old_ones_until_then(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    study = Study("x", [Kind("a", wanted=4), Kind("b", wanted=2)], two_more)
    run(study, path, ORIGIN)
    run(study, path, LATER, [study.rows[0]], again=True, minutes=0)
    assert [row["command"] for row in read_results(path)] == [ORIGIN["command"]] * 2, "nothing was played"
    run(study, path, LATER, [study.rows[0]], again=True)
    assert {row["name"]: (row["done"], row["command"]) for row in read_results(path)} == {
        "a": (4, LATER["command"]),
        "b": (2, ORIGIN["command"]),
    }


@dataclass(frozen=True)
class Trained(Row):
    """A training run that takes two parts, and is interrupted after the first one if ``place`` has a file for it."""

    name: str
    place: str

    @property
    def folder(self) -> Path:
        return Path(self.place) / self.name


@dataclass(frozen=True)
class Plays(Row):
    """Games of the policy of the run ``a``."""

    name: str
    place: str

    @property
    def needs(self) -> list[Row]:
        return [Trained("a", self.place)]

    @property
    def agents(self) -> list[str]:
        return [f"{self.place}/a/policy.safetensors"]


def train_or_play(row: Trained | Plays, _before: object) -> dict[str, Any]:
    if isinstance(row, Plays):
        return {"done": 1, "played": Path(row.agents[0]).read_text(encoding="utf-8")}
    row.folder.mkdir(exist_ok=True)
    row.folder.with_name(f"{row.name}.log").touch()
    for part in ("first", "second"):
        if not (row.folder / part).exists():
            (row.folder / part).touch()
            if part == "first" and (Path(row.place) / "interrupt").exists():
                raise KeyboardInterrupt
    (row.folder / "policy.safetensors").write_text(" ".join(folders_in(Path(row.place))), encoding="utf-8")
    return {"done": 1}


def folders_in(place: Path) -> list[str]:
    return sorted(entry.name for entry in place.iterdir() if entry.is_dir() or entry.suffix == ".log")


@pytest.mark.parametrize("interrupted", [False, True])
def test_rows_are_played_again_after_a_run_that_they_need(tmp_path: Path, interrupted: bool) -> None:
    """Also if training again was interrupted, and another command continues it."""
    rows = [Plays("games", str(tmp_path)), Trained("a", str(tmp_path))]
    study, path = Study("x", rows, train_or_play), tmp_path / "x.json"
    run(study, path, ORIGIN)
    if interrupted:
        (tmp_path / "interrupt").touch()
        with pytest.raises(KeyboardInterrupt):
            run(study, path, LATER, [rows[1]], again=True)
        assert len(read_results(path)) < 2 and len(list((tmp_path / "a").iterdir())) == 1
        run(study, path, LATER)
        assert folders_in(tmp_path) == ["a", "a.1", "a.1.log", "a.log"], "the interrupted run was continued"
    else:
        run(study, path, LATER, again=True)
    results = read_results(path)
    assert len(results) == 2 and not any(map(is_stale, results))
    (played,) = (row["played"] for row in results if row["name"] == "games")
    assert played == (tmp_path / "a" / "policy.safetensors").read_text(encoding="utf-8")


def test_a_run_in_progress_is_not_put_aside_and_no_old_log_is_overwritten(tmp_path: Path) -> None:
    study, path = Study("x", [Trained("a", str(tmp_path))], train_or_play), tmp_path / "x.json"
    run(study, path, ORIGIN)
    (tmp_path / "a.1.log").write_text("old", encoding="utf-8")
    (tmp_path / "a" / "checkpoint").mkdir()
    with FileLock(tmp_path / "a" / "checkpoint" / "lock"):
        (reason,) = run(study, path, LATER, again=True).values()
    assert "a is locked: another process trains there" in reason
    assert [row["command"] for row in read_results(path)] == [ORIGIN["command"]]
    run(study, path, LATER, again=True)
    assert folders_in(tmp_path) == ["a", "a.1.log", "a.2", "a.2.log", "a.log"]
    assert (tmp_path / "a.1.log").read_text(encoding="utf-8") == "old"


def test_rows_are_chosen_by_their_fields() -> None:
    rows = [Kind("a", 1), Kind("a", 2), Kind("b", 2)]
    assert chosen(rows, []) == rows
    assert chosen(rows, ["name=a", "size=2"]) == [Kind("a", 2)]
    for where, words in (
        (["name=c"], r"^name must be one of a, b, got 'c'$"),
        (["name=b", "size=1"], r"^with name=b: size must be one of 2, got '1'$"),
        (["name=a", "size=2", "wanted=1"], r"^with name=a and size=2: a row's fields are name, size, got "),
    ):
        with pytest.raises(ValueError, match=words):
            chosen(rows, where)


def test_a_study_has_every_row_once_and_wants_something_of_it() -> None:
    with pytest.raises(ValueError, match="name=a comes twice"):
        Study("x", [Kind("a"), Kind("a", wanted=2)], two_more)
    with pytest.raises(ValueError, match="wanted must be at least 1, got 0 for name=a"):
        Study("x", [Kind("a", wanted=0)], two_more)


# --- The file ---------------------------------------------------------------------------------------------------------


def test_results_that_cannot_be_written_are_said_before_a_part_is_played(tmp_path: Path) -> None:
    def play(row: Kind, before: Mapping[str, Any] | None) -> dict[str, Any]:
        raise AssertionError("a part is played")

    (tmp_path / "file").write_text("kept", encoding="utf-8")
    with pytest.raises(NotADirectoryError, match=r"results\.json cannot be written"):
        run(Study("x", [Kind("a")], play), tmp_path / "file" / "results.json", ORIGIN)


def test_the_file_names_its_last_run_and_other_rows_carry_their_own_origin(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    add_rows(path, "x", ORIGIN, [result_of("a", 1)])
    add_rows(path, "x", LATER, [result_of("b", 2, LATER)])
    text = path.read_text(encoding="utf-8")
    assert text.count('\n{"fields"') == 2, "one row a line"
    content = json.loads(text)
    assert {name: content[name] for name in ORIGIN} == LATER
    assert (content["study"], [row["name"] for row in content["rows"]]) == ("x", ["a", "b"])
    one, other = content["rows"]
    assert (one["command"], one["machine"]) == (ORIGIN["command"], {"date": MACHINE["date"]})
    assert [row["machine"] for row in read_results(path)] == [MACHINE, LATER["machine"]]
    assert not {"command", "machine", "versions", "commit"} & set(other)
    assert [row["command"] for row in read_results(path)] == [ORIGIN["command"], LATER["command"]]


ADDS = """
import sys
from hanabako.agents.results.store import add_rows
path, name = sys.argv[1:]
origin = {"command": name, "machine": {}, "versions": {}, "commit": None}
for done in range(1, 26):
    add_rows(path, "x", origin, [{"fields": ["name"], "name": f"{name}{done % 5}", "done": done, "wanted": 25}])
"""


def test_processes_that_write_at_the_same_time_lose_no_row(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    writers = [subprocess.Popen([sys.executable, "-c", ADDS, str(path), name]) for name in "abc"]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    found = {row["name"]: row["done"] for row in read_results(path)}
    assert found == {f"{name}{k}": 25 - (-k % 5) for name in "abc" for k in range(5)}


def test_merging_keeps_every_row_and_the_most_of_each() -> None:
    one = [result_of("a", 3), result_of("b", 9)]
    other = [result_of("a", 5, LATER), result_of("b", 2, LATER), result_of("c", 1, LATER)]
    for parts in ([one, other], [other, one]):
        found = {row["name"]: row["done"] for row in merged(parts)}
        assert found == {"a": 5, "b": 9, "c": 1}
    old, new = result_of("a", 9, networks={"n": "1"}), result_of("a", 2, LATER, networks={"n": "2"})
    assert [row["done"] for row in merged([[old], [new]])] == [2] == [row["done"] for row in merged([[new], [old]])]


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        '{"study": 3}',
        '{"study": "x", "rows": []}',
        '{"study": "x", "command": "", "machine": {}, "versions": {}, "commit": "", "rows": {}}',
        WHOLE % "3",
        WHOLE % '{"fields": ["a"]}',
        WHOLE % '{"fields": [], "done": -1, "wanted": 1}',
        *(WHOLE % f'{{"fields": [], "done": 1, "wanted": 1, {wrong}}}' for wrong in WRONG),
        "[" * 100_000,
    ],
)
def test_a_file_that_holds_no_results_is_refused_in_a_sentence(tmp_path: Path, content: str) -> None:
    path = tmp_path / "results.json"
    path.write_text(content)
    with pytest.raises(ValueError, match=r"results\.json"):
        read_results(path)
    with pytest.raises(SystemExit, match=r"results\.json"):
        main(["study", "merge", str(path), "--out", str(tmp_path / "out.json")])
    assert not (tmp_path / "out.json").exists()


def test_a_row_is_stale_when_a_network_that_it_rests_on_has_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, study = tmp_path / "results.json", Study("x", [Kind("network", wanted=2), Kind("bot", wanted=2)], two_more)
    run(study, path, ORIGIN)
    assert not any(map(is_stale, read_results(path)))
    monkeypatch.setattr(store, "fingerprints", lambda *names: dict.fromkeys(names, "other"))
    network, bot = read_results(path)
    assert is_stale(network) and not is_stale(bot)
    counting = Study("x", study.rows, two_more, {"t": lambda rows: str(len(rows))})
    text = sections(counting, [bot], [network], "x")["t"]
    assert text.startswith("1\n") and "Stale, since a network has changed: name=network size=0." in text
    run(study, path, LATER)
    assert [row["command"] for row in read_results(path)] == [ORIGIN["command"], LATER["command"]]
    assert [row["name"] for row in read_results(path)] == ["bot", "network"], "only the stale one was played again"


def test_a_stale_row_that_another_process_has_played_meanwhile_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, row = tmp_path / "results.json", Kind("network", wanted=3)
    run(Study("x", [row], two_more), path, ORIGIN)
    monkeypatch.setattr(store, "fingerprints", lambda *names: dict.fromkeys(names, "other"))
    (stale,) = read_results(path)
    fresh = stale | LATER | {"networks": {"hanabi-mini-2p": "other"}, "scores": [5, 5, 5]}

    def slower(row: Kind, before: Mapping[str, Any] | None) -> dict[str, Any]:
        add_rows(path, "x", LATER, [fresh], {row.key: stale})
        return {**two_more(row, before), "networks": {"hanabi-mini-2p": "other"}}

    run(Study("x", [row], slower), path, ORIGIN)
    assert scores_in(path) == {"network": [5, 5, 5]}


def test_merge_waits_for_who_writes_to_its_file(tmp_path: Path) -> None:
    path, other = tmp_path / "p.json", tmp_path / "q.json"
    write_results(path, "x", ORIGIN, [result_of("a", 1)])
    write_results(other, "x", ORIGIN, [result_of("b", 1)])
    with FileLock(f"{path}.lock"):
        merging = Thread(target=main, args=(["study", "merge", str(path), str(other), "--out", str(path)],))
        merging.start()
        merging.join(0.5)
        write_results(path, "x", ORIGIN, [result_of("a", 1), result_of("c", 1)])
    merging.join(60)
    assert sorted(scores_in(path)) == ["a", "b", "c"]


def test_the_origin_of_numbers_is_said_and_where_only_a_commit_is_known() -> None:
    old = [ORIGIN | {"command": "", "machine": {}, "versions": {}, "commit": f"c{k}"} for k in range(5)]
    rows = [result_of("a", 1), *(result_of(f"b{k}", 1, origin) for k, origin in enumerate(old))]
    made = "Made by `hanabako study run x` on P, Python 3.11, numba 0.61; 2026-11-25."
    assert origin_line(rows) == f"{made} Rows of c0, c1 and c2 have their commit only."
    assert origin_line(rows[1:2]) == "Rows of c0 have their commit only."


def test_an_origin_from_others_is_text_and_code() -> None:
    mark = "<img src=x>`[a](b)\n"
    machine = {"date": "2026-11-25", "processor": mark, "python": "3.11"}
    origin = ORIGIN | {"command": mark, "machine": machine, "commit": mark}
    lacking = ORIGIN | {"command": "", "machine": {}, "commit": mark}
    said = origin_line([result_of("a", 1, origin), result_of("b", 1, lacking)])
    code, text = r"`<img src=x>'[a](b)\n`", r"&#60;img src=x&#62;&#96;&#91;a&#93;(b)\n"
    assert said.startswith(f"Made by {code} on {text}, ") and f"Rows of {text} have" in said


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def dice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "dice", raising=False)
    path = tmp_path / "dice.py"
    path.write_text(FILE)
    return path


Say = Callable[..., str]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    def run(*words: str | Path) -> str:
        main(["study", *map(str, words)])
        return capsys.readouterr().out

    return run


def test_a_file_is_listed_run_and_shown(dice: Path, say: Say) -> None:
    assert say("list", dice).splitlines() == [
        "      0 of 5      sides=6",
        "      0 of 3      sides=20",
        "      0 of 4      sides=20 color=blue",
    ]
    assert say("run", dice, "--where", "sides=20", "color=blue", "--cores", "2") == f"{dice.with_suffix('.md')}\n"
    content = json.loads(dice.with_suffix(".json").read_text(encoding="utf-8"))
    assert content["study"] == "dice" and content["machine"]["processor"] and content["versions"]["numpy"]
    assert content["command"] == f"hanabako study run {dice} --where sides=20 color=blue"
    (row,) = content["rows"]
    assert row == {
        "fields": ["sides", "color"], "sides": 20, "color": "blue", "done": 4, "wanted": 4, "thrown": [0, 1, 2, 3]
    }  # fmt: skip
    page = dice.with_suffix(".md").read_text(encoding="utf-8")
    assert page.startswith("# dice\n\n<!-- begin throws -->\n| 20 | 4 |\n\nMade by `hanabako study run ")
    assert dice.with_suffix(".svg").read_text(encoding="utf-8") == "1" and "![dice.svg](dice.svg)" in page
    assert say("list", dice, "--where", "color=blue") == "      4 of 4      sides=20 color=blue\n"
    assert say("list", dice.with_suffix(".json")) == "      4 of 4      sides=20 color=blue\n"
    assert say("page", dice) == "", "nothing has changed"
    dice.with_suffix(".md").write_text(page.replace("# dice", "# Red and blue") + "My own words.\n")
    say("run", dice)
    page = dice.with_suffix(".md").read_text(encoding="utf-8")
    assert page.startswith("# Red and blue\n") and page.endswith("My own words.\n") and "| 6 | 5 |" in page


def test_results_of_two_folders_are_merged(dice: Path, say: Say, tmp_path: Path) -> None:
    say("run", dice, "--where", "sides=6", "--out", tmp_path / "one")
    say("run", dice, "--where", "sides=20", "--out", tmp_path / "two")
    files = [tmp_path / name / "dice.json" for name in ("one", "two")]
    say("merge", *files, "--out", dice.with_suffix(".json"))
    rows = read_results(dice.with_suffix(".json"))
    assert [(row["sides"], row["done"]) for row in rows] == [(6, 5), (20, 3), (20, 4)]
    assert [row["command"].partition("--where ")[2] for row in rows] == ["sides=6", "sides=20", "sides=20"]
    other = tmp_path / "other.json"
    write_results(other, "other", ORIGIN, [])
    with pytest.raises(SystemExit, match="results to merge must be from one study, got 'dice' and 'other'"):
        say("merge", files[0], other, "--out", other)
    assert read_results(other) == []


def test_a_page_that_is_out_of_date_is_told(dice: Path, say: Say) -> None:
    say("run", dice)
    say("page", dice, "--check")
    dice.with_suffix(".md").write_text("# dice\n")
    with pytest.raises(SystemExit, match=r"dice\.md is out of date: run hanabako study page"):
        say("page", dice, "--check")
    assert dice.with_suffix(".md").read_text(encoding="utf-8") == "# dice\n"


def test_a_row_that_could_not_be_played_ends_the_command_in_a_line(dice: Path, say: Say) -> None:
    dice.write_text(FILE.replace("Dice(6, wanted=5)", "Dice(13, wanted=5)"), encoding="utf-8")
    with pytest.raises(SystemExit, match="1 of 3 rows could not be played"):
        say("run", dice)
    assert len(read_results(dice.with_suffix(".json"))) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["list", "nothing"], "a study must be .* file that ends with .py or .toml, got 'nothing'"),
        (["run", "dice.toml"], "a study must be .* file that ends with .py or .toml, got 'dice.toml'"),
        (["run", "DICE", "--where", "sides"], "where must be FIELD=VALUE, got 'sides'"),
        (["run", "DICE", "--where", "sides=7"], "sides must be one of 6, 20, got '7'"),
        (["run", "DICE", "--where", "sides=6", "sides=20"], "where must name sides only once, got '6' and '20'"),
        (["run", "DICE", "--cores", "0"], "cores must be at least 1, got 0"),
        (["run", "DICE", "--minutes", "nan"], "minutes must be at least 0, got nan"),
        (["page", "EMPTY"], "declares no study: STUDY must be a Study, got None"),
        (["page", "WRONG"], "declares the study 'dice': its name must be the file's"),
        (["merge", "--out", "x.json"], "merge needs at least one results file, got none"),
        (["merge", "missing.json", "--out", "x.json"], "missing.json"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    dice: Path, say: Say, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(dice.parent)
    files = {"DICE": dice, "EMPTY": dice.with_name("no_study.py"), "WRONG": dice.with_name("wrong_name.py")}
    files["EMPTY"].write_text("")
    files["WRONG"].write_text(FILE)
    with pytest.raises(SystemExit, match=said) as end:
        say(*(files.get(word, word) for word in words))
    assert "\n" not in str(end.value)
    assert not dice.with_suffix(".json").exists()


def test_the_origin_is_the_command_as_it_can_be_typed_again() -> None:
    origin = origin_of(["study", "run", "my file.py", "--where", "name=a b"])
    assert origin["command"] == "hanabako study run 'my file.py' --where 'name=a b'"
    assert origin["machine"]["cores"] >= 1 and origin["versions"]["numba"] and "versions" not in origin["machine"]


def test_results_of_another_study_are_refused_before_anything_is_played(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    run(Study("x", [Kind("a")], two_more), path, ORIGIN)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="holds results of the study 'x', not of 'y'"):
        run(Study("y", [Kind("b")], two_more), path, ORIGIN)
    with pytest.raises(ValueError, match="holds results of the study 'x', not of 'y'"):
        add_rows(path, "y", ORIGIN, [])
    assert path.read_bytes() == before
