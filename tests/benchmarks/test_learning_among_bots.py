"""The study of held-out partners: what it trains and plays. Its notebook runs a small version."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from benchmarks.strength.learning_among_bots import MET, STUDY, Pair, Run, rows

from agents.learning.common import launch
from agents.results.running import run
from agents.results.store import read_results
from agents.results.study import key_of
from benchmarks.strength import learning_among_bots
from tests.agents.tiny_runs import run_here

TINY = ("--games", "32", "--horizon", "8", "--minibatch", "64", "--evaluation-games", "4", "--final-games", "4")
ORIGIN = {"command": "c", "machine": {}, "versions": {}, "commit": "d"}


@pytest.mark.parametrize("seed", [1, 2])
def test_only_who_has_the_other_seat_differs(seed: int):
    alone, among = (Run(kind, seed).settings for kind in ("self-play", "among bots"))
    place = among.index("--partners")
    assert among[place + 1] == ",".join(MET)
    assert among[:place] + among[place + 2 :] == alone
    assert alone[-2:] == ["--seed", str(seed)]


def test_every_network_plays_with_every_bot_and_with_itself():
    made = rows((1,), ("cautious",), ("piers",), 10)
    assert [(row.kind, row.seed) for row in made if isinstance(row, Run)] == [("self-play", 1), ("among bots", 1)]
    pairs = [row for row in made if isinstance(row, Pair)]
    assert [(pair.network, pair.partner) for pair in pairs] == [
        *(
            (name, other)
            for name in ("start", "self-play 1", "among bots 1")
            for other in ("cautious", "piers", "itself")
        ),
        ("cautious", "itself"),
        ("piers", "itself"),
    ]
    assert all(pair.needs == ((pair.run,) if " " in pair.network else ()) for pair in pairs)


@pytest.mark.parametrize(
    ("network", "partner", "seats"),
    [
        ("start", "piers", [["hanabi-mini-2p", "piers"], ["piers", "hanabi-mini-2p"]]),
        ("start", "itself", [["hanabi-mini-2p"] * 2]),
        ("iggi", "itself", [["iggi"] * 2]),
    ],
)
def test_a_pair_plays_in_both_orders_of_seats(
    network: str, partner: str, seats: list[list[str]], monkeypatch: pytest.MonkeyPatch
):
    played = []

    def play(config: Any, players: list[str], games: int, seed: int) -> SimpleNamespace:
        played.append((players, games))
        return SimpleNamespace(score=np.array([2.0 * len(played), 3.0]))

    monkeypatch.setattr(learning_among_bots, "load", lambda name, _config: name)
    monkeypatch.setattr(learning_among_bots, "play", play)
    found = learning_among_bots.measure(Pair(network, partner, wanted=9), None)
    assert played == [(players, 9) for players in seats]
    assert found == {"done": 9, "score": 2.5 if partner == "itself" else 3.0}


@pytest.mark.slow
def test_a_network_learns_on_and_plays_with_partners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launch, "run_module", run_here)
    monkeypatch.setattr(learning_among_bots, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(learning_among_bots, "EVALUATION", ("--evaluations", "1", *TINY, "--device", "cpu"))
    few = rows((1,), ("cautious",), (), 10, start="hanabi-very_small-2p", preset="very_small", decisions=256)
    path = tmp_path / "few.json"
    assert run(replace(STUDY, rows=few), path, ORIGIN) == {}
    results = {key_of(result): result for result in read_results(path)}
    assert results.keys() == {row.key for row in few}
    for row in few:
        assert results[row.key]["done"] == row.wanted
        if isinstance(row, Run):
            assert results[row.key]["steps"] == 256
    own = next(row for row in few if isinstance(row, Pair) and row.network == "self-play 1")
    assert own.run is not None
    assert str(own.run.policy) in results[own.key]["networks"]
    own.run.policy.unlink()
    with pytest.raises(ValueError, match=r'is gone: .* --again --where kind="self-play" seed=1 trains it again'):
        learning_among_bots.measure(own, None)


def test_the_results_are_those_of_the_study():
    results = read_results(Path(learning_among_bots.__file__).parent / "results" / "learning_among_bots.json")
    assert {key_of(result) for result in results} == {row.key for row in STUDY.rows}
