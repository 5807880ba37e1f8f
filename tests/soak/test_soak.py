"""A little of the soak, and tests that its checks can fail."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hanabako.agents.commands.command_line import main
from hanabako.agents.results.store import add_rows
from tests.games import GAMES
from tests.processes import ROOT
from tests.soak import digests, hostile, invariants, kills, soak, steps, writers
from tests.soak.configs import Entry, random_actions
from tests.soak.digests import ENTRIES
from tests.soak.invariants import SENTENCES

pytestmark = pytest.mark.slow

USUAL = [ENTRIES[name] for name in ("hanabi standard 2p", "ikebana standard 3p", "koikoi koikoi_japan 2p")]


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_a_little_of_every_configuration_keeps_the_invariants(game: str) -> None:
    for entry in steps.entries(game):
        assert steps.play_slice(entry, seed=0, tables=64, steps=48) == (64 * 48, [])


DAMAGES: dict[str, dict[int, Any]] = {
    "all": {
        invariants.ILL_MASK: lambda seen: seen.mask.fill(0),
        invariants.OTHER_MASK: lambda seen: seen.mask.fill(1),
        invariants.BEYOND: lambda seen: seen.observation.__setitem__(-1, 2**63),
        invariants.ILLEGAL: lambda seen: seen.put("illegal", True),
        invariants.INFINITE: lambda seen: seen.put("rewards", np.nan),
        invariants.UNFAIR: lambda seen: seen.put("rewards", [1, 0.5, 0.5, 0, 0][: seen.table["rewards"].size]),
        invariants.SCORE: lambda seen: (seen.put("ended", True), seen.put("score", 2**40)),
    },
    "hanabi": {
        invariants.OVER: lambda seen: seen.set("end_reason", 1),
        invariants.CARDS: lambda seen: seen.state["cards"].__setitem__(0, (seen.state["cards"][0] + 1) % 25),
        invariants.NUMBERS: lambda seen: seen.set("information_tokens", 9),
        invariants.KNOWLEDGE: lambda seen: seen.set("plausible", 0),
        invariants.HINT: lambda seen: seen.set("hinted", 2**10 - 1),
        invariants.DISCARD: lambda seen: seen.set("discarded", 2**10 - 1),
        invariants.SIZES: lambda seen: seen.set("hand_count", 6),
    },
    "ikebana": {
        invariants.OVER: lambda seen: seen.set("end_reason", 1),
        invariants.CARDS: lambda seen: seen.state["cards"].__setitem__(0, (seen.state["cards"][0] + 1) % 30),
        invariants.NUMBERS: lambda seen: seen.set("starter", 3),
        invariants.SIZES: lambda seen: seen.set("starter", (seen.state["starter"] + 1) % 3),
        invariants.POINTS: lambda seen: seen.set("prestige", 100),
    },
    "koikoi": {
        invariants.OVER: lambda seen: seen.set("phase", 6),
        invariants.CARDS: lambda seen: seen.set("field", 0),
        invariants.NUMBERS: lambda seen: seen.set("turn", 17),
        invariants.SIZES: lambda seen: seen.set("round_number", 5),
        invariants.POINTS: lambda seen: seen.set("score", 31),
    },
}


class Seen:
    """What the check of steps sees of some tables, one of which will be damaged."""

    def __init__(self, entry: Entry) -> None:
        envs = entry.vector(4, observation="packed", specialize=False)
        seen, _ = envs.reset(seed=3)
        for t in range(6):
            seen, *_ = envs.step(random_actions(seen["action_mask"], 3, 0, t))
        self.tables, self.masks, self.observations = envs.tables.copy(), seen["action_mask"], seen["observation"]
        self.table, self.mask, self.observation = self.tables[2], self.masks[2], self.observations[2]
        self.state = self.table["state"]
        self.check = invariants.checker(entry.under_test.name, entry.config)

    def put(self, name: str, value: Any) -> None:
        self.table[name] = value

    def set(self, name: str, value: Any) -> None:
        self.state[name] = value

    def fault(self) -> tuple[int, int]:
        return self.check(self.tables, self.masks, self.observations, np.zeros_like(self.observations))


@pytest.mark.parametrize("entry", USUAL, ids=lambda entry: entry.name)
def test_every_broken_law_is_found_where_it_was_broken(entry: Entry) -> None:
    assert Seen(entry).fault() == (-1, 0)
    for fault, damage in (DAMAGES["all"] | DAMAGES[entry.under_test.name]).items():
        seen = Seen(entry)
        damage(seen)
        where, found = seen.fault()
        assert (where, SENTENCES[found]) == (2, SENTENCES[fault])


@pytest.mark.parametrize("game", [game.name for game in GAMES])
def test_every_configuration_plays_the_games_on_record(game: str) -> None:
    """The digests are those on record for any Python, NumPy and Numba."""
    names = [entry.name for entry in steps.entries(game)]
    assert digests.differing(names) == []


def test_threads_play_the_games_on_record() -> None:
    assert digests.play("threads", 0) == (12, [])


def test_a_run_that_is_killed_and_resumed_ends_like_one_that_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kills, "MOST_KILLS", 2)
    name = "ppo, 2 ranks"
    assert kills.play(name, 0)[1] == []
    complete, _ = kills.uninterrupted(name)
    shorter = shutil.copytree(complete, tmp_path / "shorter")
    assert kills.differences(shorter, complete, [0, 1]) == ["a resumed run ended with [0, 1]"]
    lines = (shorter / "metrics.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (shorter / "metrics.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    assert kills.differences(shorter, complete, [0, 0]) == ["other metrics"]


def test_rows_of_killed_writers_are_kept() -> None:
    assert writers.play("results", 0) == (writers.KILLS, [])


def test_a_row_that_is_lost_is_noticed(tmp_path: Path) -> None:
    rows = [{"n": n, "fields": ["n"], "done": n, "wanted": 9} for n in (1, 2)]
    add_rows(tmp_path / "rows.json", "x", writers.ORIGIN, rows[:1])
    (tmp_path / "noted").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"n": 3', encoding="utf-8")
    assert writers.lost(tmp_path / "rows.json", [tmp_path / "noted"]) == ['{"n": 2}: 0 of 2']


@pytest.mark.parametrize("group", hostile.ROWS)
def test_some_hostile_inputs_at_every_door(group: str) -> None:
    for name, door in hostile.doors_of(group).items():
        outcomes = {hostile.attempt(door, index) for index in range(40)}
        assert hostile.REFUSED in outcomes and outcomes <= {hostile.REFUSED, hostile.TAKEN}, (name, outcomes)


def test_what_hostile_inputs_may_not_do_is_noticed() -> None:
    def refuse(value: Any) -> None:
        if value != [1]:
            changed.append(value)
            raise ValueError("no")

    changed: list[Any] = []
    refusing = hostile.Door(lambda _: [1], refuse)
    assert {hostile.attempt(refusing, index) for index in range(20)} == {hostile.REFUSED}
    leaving = hostile.Door(lambda _: [1], refuse, lambda: bytes(len(changed)))
    assert "something has changed" in hostile.attempt(leaving, 3)
    failing = hostile.Door(lambda _: [1], lambda _: 1 / 0)
    assert hostile.attempt(failing, 3).startswith("ZeroDivisionError")


def test_parts_add_up_and_failures_stand_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    row = next(row for row in soak.STUDY.rows if row.values() == {"check": "steps", "name": "hanabi"})
    monkeypatch.setattr(steps, "play", lambda name, part: (10, [f"part {part} of {name}"] if part else []))
    first = soak.play(row, None)
    assert (first["done"], first["amount"], first["failures"]) == (1, 10, [])
    second = row.values() | soak.play(row, first)
    assert (second["done"], second["amount"], second["failures"]) == (2, 20, ["part 1 of hanabi"])
    assert "**1 failed**: hanabi: part 1 of hanabi" in soak.summary([second])


def test_the_page_shows_the_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    main(["study", "page", "tests/soak/soak.py", "--out", "docs", "--check"])
