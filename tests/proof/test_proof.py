"""A little of the long proof, and tests that its checks can fail."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.results.store import add_rows
from tests.proof import digests, faults, hostile, invariants, kills, modes, pages, steps, writers
from tests.proof.choosing import random_actions
from tests.proof.configs import Entry, entries
from tests.proof.doors import all_doors
from tests.proof.invariants import SENTENCES
from tests.proof.records import Record

pytestmark = pytest.mark.slow

ENTRIES = {entry.name: entry for entry in entries()}
USUAL = [ENTRIES[name] for name in ("hanabi standard 2p", "ikebana standard 3p", "koikoi koikoi_japan 2p")]


# --- Steps ------------------------------------------------------------------------------------------------------------


def test_a_little_of_every_configuration_keeps_the_laws(tmp_path: Path) -> None:
    record = Record.open("steps", tmp_path)
    for entry in ENTRIES.values():
        record.row(entry.name)
        steps.play_slice(record, entry, tables=64, steps=48)
    assert record.failures == []
    assert record.amount == len(ENTRIES) * 64 * 48
    assert all(row["checks_per_second"] > 0 for row in record.rows.values())


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
        self.check = steps.checker(entry)

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


def test_the_work_goes_on_where_it_was_and_begins_anew_with_other_rules(tmp_path: Path) -> None:
    record = Record.open("steps", tmp_path)
    steps.run(record, 0)
    record.add("hanabi mini 2p", 5000, 1.5, ["a fault"])
    record.save()
    again = Record.open("steps", tmp_path)
    code = again.rows["hanabi mini 2p"]["code"]
    assert again.row("hanabi mini 2p", code)["amount"] == 5000
    assert again.failures == ["hanabi mini 2p: a fault"]
    assert again.row("hanabi mini 2p", "other rules")["amount"] == 0


# --- Digests ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["hanabi", "ikebana", "koikoi"])
def test_every_configuration_plays_the_games_on_record(game: str) -> None:
    """The digests are those on record for any Python, NumPy and Numba."""
    recorded = Record.open("digests").rows
    for name, entry in ENTRIES.items():
        if entry.under_test.name == game:
            assert digests.vector()(entry).digest() == recorded[name]["digest"], name


@pytest.mark.parametrize("entry", USUAL, ids=lambda entry: entry.name)
def test_every_path_plays_the_games_on_record(entry: Entry) -> None:
    recorded = Record.open("digests").rows[entry.name]["digest"]
    for path, play in digests.PATHS.items():
        assert play(entry).digest() == recorded, path


def test_a_digest_tells_the_least_difference() -> None:
    seen = digests.vector()(ENTRIES["koikoi document 2p"])
    for array in seen:
        before = array[3, 5].copy()
        array[3, 5] = before + 1 if array.dtype != np.bool_ else ~before
        changed = seen.digest()
        array[3, 5] = before
        assert changed != seen.digest()


def test_a_digest_that_differs_is_a_failure(tmp_path: Path) -> None:
    record = Record.open("digests", tmp_path)
    entry = ENTRIES["ikebana single_round 2p"]
    digests.compare(record, entry, digests.QUICK)
    assert record.failures == []
    record.rows[entry.name]["digest"] = "0" * 64
    digests.compare(record, entry, digests.QUICK)
    assert "vector, Python 3." in record.failures[0]


# --- Kills ------------------------------------------------------------------------------------------------------------


def test_a_run_that_is_killed_and_resumed_ends_like_one_that_is_not(tmp_path: Path) -> None:
    record = Record.open("kills", tmp_path)
    name = "ppo, 2 ranks"
    record.row(name)
    whole, duration = kills.uninterrupted(name, tmp_path)
    kills.kill_one_run(record, name, whole, duration)
    assert record.failures == []
    assert record.amount >= 1
    assert kills.differences(whole, tmp_path / f"{name}-0", [0, 1]) == ["a resumed run ended with [0, 1]"]
    lines = (whole / "metrics.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    (whole / "metrics.jsonl").write_text("".join(lines[:-1]), encoding="utf-8")
    assert kills.differences(whole, tmp_path / f"{name}-0", [0, 0]) == ["other metrics"]


def test_rows_of_killed_writers_are_kept(tmp_path: Path) -> None:
    record = Record.open("writers", tmp_path)
    record.row(writers.ROWS)
    writers.one_file(record, writers.ROWS)
    assert record.amount == writers.KILLS_A_FILE and record.failures == []


def test_a_row_that_is_lost_is_noticed(tmp_path: Path) -> None:
    rows = [{"n": n, "fields": ["n"], "done": n, "wanted": 9} for n in (1, 2)]
    add_rows(tmp_path / "rows.json", "x", writers.ORIGIN, rows[:1])
    (tmp_path / "noted").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"n": 3', encoding="utf-8")
    assert writers.lost(tmp_path / "rows.json", [tmp_path / "noted"]) == ['{"n": 2}: 0 of 2']


# --- Hostile inputs ---------------------------------------------------------------------------------------------------


def test_some_hostile_inputs_at_every_door(tmp_path: Path) -> None:
    record = Record.open("hostile", tmp_path / "results")
    for name, door in all_doors(tmp_path).items():
        record.row(name)
        hostile.knock(record, name, door, times=min(40, door.slice))
        assert 0 < record.rows[name]["refused"] <= 40, name
    assert record.failures == []


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


# --- Other conditions -------------------------------------------------------------------------------------------------


def test_threads_see_the_games_on_record() -> None:
    assert modes.in_threads() == (12, [])


def test_gymnasiums_workers_play_as_one_after_the_other() -> None:
    assert modes.async_seats() == (3, [])


# --- Planted faults ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", faults.MODULES)
def test_the_faults_on_record_are_those_that_are_planted(game: str) -> None:
    """Edited rules change the faults; then run `make soak ARGS=faults`, which names the new ones."""
    names = {f"{game}: {fault.name}" for fault in faults.faults_of(game)}
    assert len(names) == faults.PER_GAME
    survivors = {name for name, row in Record.open("faults").rows.items() if row.get("verdict") == faults.SURVIVED}
    assert set(faults.EXPLAINED) <= survivors


def test_a_planted_fault_is_seen(tmp_path: Path) -> None:
    """A planted fault is detected in a process without the compiler."""
    record = Record.open("faults", tmp_path)
    faults.run(record, seconds=600, amount=1)
    assert [row["verdict"] for row in record.rows.values() if row["amount"]] == ["reference"]
    assert record.failures == []


# --- The page ---------------------------------------------------------------------------------------------------------


def test_the_page_has_the_records() -> None:
    pages.write(check=True)


def test_a_failure_stands_on_the_page(tmp_path: Path) -> None:
    record = Record.open("steps", tmp_path)
    record.row("hanabi mini 2p")
    record.add("hanabi mini 2p", 10**6, 2.0)
    record.save()
    assert "no failure" in pages.proof(tmp_path)
    record.add("hanabi mini 2p", 10**6, 2.0, ["a card is missing"])
    record.save()
    assert "**1 failure**" in pages.proof(tmp_path)
