"""Networks that ship with partners: the pairs, their deals, and that the results hold all of them."""

from collections import Counter
from dataclasses import replace

import pytest
from benchmarks.strength.network_partners import STUDY, Pair

from agents import load
from agents.evaluate import play
from agents.results.store import read_results
from benchmarks.recipes import RECIPES
from benchmarks.strength import network_partners
from docs.build.network_cards import PARTNERS
from hanabi_env import PRESETS


def test_every_network_of_hanabi_has_partners_and_results():
    rows = [row.values() for row in STUDY.rows]
    assert {row["network"] for row in rows} == {name for name in RECIPES if name.startswith("hanabi-")}
    seeds = {frozenset(row.values()) for row in rows if row["partner"] in RECIPES}
    kinds = Counter(tuple({name.rpartition("-")[0] for name in pair}) for pair in seeds)
    trained = [f"hanabi-standard-2p-{kind}" for kind in ("symmetric", "dense", "other-play")]
    assert kinds == {("hanabi-small-2p",): 10} | {(kind,): 1 for kind in trained}
    found = [{name: row[name] for name in ("network", "partner")} for row in read_results(PARTNERS)]
    assert sorted(found, key=str) == sorted(rows, key=str)


def test_a_pair_plays_both_seatings(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(network_partners, "GAMES", 8)
    result = STUDY.play(Pair("hanabi-mini-2p", "smart"), None)
    config = replace(PRESETS["mini"], derived=True)
    one, other = load("hanabi-mini-2p", config), load("smart", config)
    means = [play(config, seats, games=8, seed=1).score.mean() for seats in ([one, other], [other, one])]
    assert [score for score, _ in result["scores"]] == pytest.approx(means) and result["games"] == 8
