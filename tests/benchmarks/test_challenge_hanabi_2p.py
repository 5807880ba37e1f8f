"""The challenge's suite agrees with its results, and its rows hold all that its page needs."""

import json
from pathlib import Path

import pytest
from benchmarks.strength.challenge_hanabi_2p import BOTS, RESULTS, STUDY, SUITE, Response, suite_of

from agents.results.challenge.suite import FOLDER, named
from agents.results.store import read_results
from benchmarks.strength import challenge_hanabi_2p
from hanabako.games import make_config


def test_the_suite_that_ships_is_that_of_the_results():
    held = json.loads((FOLDER / f"{SUITE}.json").read_text(encoding="utf-8"))
    assert held == json.loads(json.dumps(suite_of(read_results(RESULTS))))


def test_a_complete_suite_is_not_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    content = (FOLDER / f"{SUITE}.json").read_text(encoding="utf-8")
    (tmp_path / f"{SUITE}.json").write_text(content.replace('"seed": 2026', '"seed": 2027'), encoding="utf-8")
    monkeypatch.setattr(challenge_hanabi_2p, "FOLDER", tmp_path)
    with pytest.raises(SystemExit, match="never changes"):
        challenge_hanabi_2p.main()
    assert '"seed": 2027' in (tmp_path / f"{SUITE}.json").read_text(encoding="utf-8")


def test_its_members_are_bots_and_networks_that_ship_unchanged():
    suite = named(SUITE)
    assert suite.config == make_config("hanabi", "standard")
    suite.check()
    assert {name for name, member in suite.members.items() if member.sha256 is None} == set(BOTS)


def test_every_member_gets_a_response_and_meets_random_play():
    rows = [row.values() for row in STUDY.rows]
    responses = {row.partner for row in STUDY.rows if isinstance(row, Response)}
    met = {row["partner"] for row in rows if row.get("agent") == "random"}
    assert responses == met == named(SUITE).members.keys()
