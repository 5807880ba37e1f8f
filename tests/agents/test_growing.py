"""Results grow by some games at a time, evenly, on any number of cores, and go on where they were."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agents.studies.growing import chosen, grow, made_by


class Row(NamedTuple):
    key: str
    wanted: int


def played(row: Row, before: Mapping[str, Any] | None) -> dict[str, Any]:
    """Two more games, the number of each its score."""
    games = before["games"] if before else []
    return {"key": row.key, "games": [*games, *range(len(games), min(len(games) + 2, row.wanted))]}


def grown(path: Path, rows: list[Row], **options: Any) -> list[Any]:
    results = {row["key"]: row for row in json.loads(path.read_text(encoding="utf-8"))} if path.exists() else {}
    grow(path, results, rows, played, lambda result: len(result["games"]), **options)
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("cores", [1, 2])
def test_every_row_gets_the_games_that_it_shall_have(tmp_path: Path, cores: int):
    path = tmp_path / "results.json"
    path.write_text(json.dumps([{"key": "a", "games": [0, 1, 2]}, {"key": "other", "games": [7]}]), encoding="utf-8")
    found = grown(path, [Row("a", 5), Row("b", 3)], cores=cores)
    assert {row["key"]: row["games"] for row in found} == {"a": [0, 1, 2, 3, 4], "other": [7], "b": [0, 1, 2]}


def test_rows_grow_evenly_and_are_written_as_they_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path, seen = tmp_path / "results.json", []

    def stopped(row: Row, before: Mapping[str, Any] | None) -> dict[str, Any]:
        if len(seen) == 4:
            raise KeyboardInterrupt
        seen.append(row.key)
        return played(row, before)

    with pytest.raises(KeyboardInterrupt):
        grow(path, {}, [Row("a", 8), Row("b", 4)], stopped, lambda result: len(result["games"]))
    assert seen == ["a", "b", "a", "a"], "half of both, then the first"
    assert sum(len(row["games"]) for row in json.loads(path.read_text(encoding="utf-8"))) == 8


def test_no_games_are_begun_after_the_time(tmp_path: Path):
    results: dict[str, Any] = {}
    grow(tmp_path / "results.json", results, [Row("a", 8)], played, lambda result: len(result["games"]), minutes=0)
    assert not results


def test_rows_are_chosen_by_their_fields():
    rows = [Row("a", 1), Row("a", 2), Row("b", 2)]
    assert chosen(rows, {"key": None, "wanted": None}) == rows
    assert chosen(rows, {"key": "a", "wanted": 2}) == [Row("a", 2)]
    with pytest.raises(SystemExit, match=r"^key must be one of a, b, got 'c'$"):
        chosen(rows, {"key": "c", "wanted": 1})
    with pytest.raises(SystemExit, match=r"^with key=b: wanted must be one of 2, got 1$"):
        chosen(rows, {"key": "b", "wanted": 1})
    with pytest.raises(SystemExit, match=r"^with key=a and wanted=2: games must be one of 0, got 1$"):
        chosen([Board("a", 2, 0)], {"key": "a", "wanted": 2, "games": 1})


class Board(NamedTuple):
    key: str
    wanted: int
    games: int


def test_a_command_is_said_with_its_choices_and_its_machine():
    made = made_by("benchmarks.strength.solvers.ceiling", {"players": 2, "preset": "small"})
    assert made["command"] == "python -m benchmarks.strength.solvers.ceiling --players 2 --preset small"
    assert made["machine"]["cores"] >= 1 and made["machine"]["date"]
