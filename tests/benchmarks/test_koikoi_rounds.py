"""Koi-Koi's rounds: rows continue where they stopped, a best response is trained against its network, and the table."""

import json
from pathlib import Path
from typing import Any

import pytest
from agents.results.matches import head_to_head, one_round
from benchmarks.strength.koikoi_rounds import Dealer, LongMatch, Response, dealer_share, played, round_of

import agents
from agents import ppo
from agents.networks.neural_policy import load_policy
from agents.registry import fingerprints, load
from agents.results.running import run
from agents.results.store import read_results
from agents.results.study import Row, Study
from benchmarks.strength import koikoi_rounds
from hanabako.games import config_from_dict

ORIGIN: dict[str, Any] = {"command": "", "machine": {}, "versions": {}, "commit": None}
NETWORK = "koikoi-document-2p"
BRIEFLY = (
    *("--steps", "64", "--games", "8", "--horizon", "4", "--minibatch", "32", "--device", "cpu"),
    *("--evaluations", "1", "--evaluation-games", "2", "--final-games", "2"),
)
"""Settings that end a training run at once; if a setting is given twice, the last one counts."""


def result_of(row: Row, path: Path) -> dict[str, Any]:
    """Play a row part by part and return its result."""
    assert run(Study("x", [row], played), path, ORIGIN) == {}
    (result,) = read_results(path)
    return result


def test_the_dealers_rounds_are_counted_part_by_part(tmp_path, monkeypatch):
    monkeypatch.setattr(koikoi_rounds, "AT_ONCE", 4)
    result = result_of(Dealer("document", "counting", wanted=10), tmp_path / "x.json")
    config = round_of("document")
    whole = dealer_share(config, agents.load("counting", config), 10)
    assert {name: result[name] for name in ("done", *whole)} == {"done": 10, **whole}
    assert 0 < result["dealer_wins"] < result["decided"] <= 10


@pytest.mark.slow
def test_a_long_match_is_the_same_deals_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(koikoi_rounds, "AT_ONCE", 2)
    result = result_of(LongMatch(NETWORK, "monte_carlo:2", wanted=5), tmp_path / "x.json")
    config = round_of("document")
    match = head_to_head(config, agents.load(NETWORK, config), agents.load("monte_carlo:2", config), 5, seed=1)
    leads = match.lead.mean(axis=1)
    sums = {"done": 5, "lead_sum": leads.sum(), "lead_squares": (leads**2).sum()}
    assert {name: result[name] for name in sums} == sums and result["lead_squares"] > 0
    assert result["networks"] == fingerprints(NETWORK)


@pytest.mark.slow
def test_a_best_response_is_trained_against_its_network_and_measured(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(koikoi_rounds, "MATCH_SIZE", 20)

    def briefly(ranks: int, run_dir: Path, settings: list[str], command: str, learner: str) -> None:
        assert ranks >= 1 and learner == "ppo" and command.endswith(f"--where against={NETWORK}")
        ppo.main([*settings, *BRIEFLY, "--run-dir", str(run_dir)])

    monkeypatch.setattr(koikoi_rounds, "train_to_the_end", briefly)
    result = result_of(Response(NETWORK), tmp_path / "x.json")
    (run_dir,) = (tmp_path / "runs" / "koikoi_rounds").iterdir()
    about = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    assert about["args"]["partners"] == [NETWORK] and about["args"]["start"].endswith(f"{NETWORK}.safetensors")
    assert (about["config"]["reward"], about["learned"]["reward"]) == ("squashed", "points")
    config = one_round(config_from_dict(about["config"]))
    best, frozen = load_policy(run_dir / "policy.safetensors", config), load(NETWORK, config)
    found = head_to_head(config, best, frozen, 20, koikoi_rounds.SEED).summary()
    assert (result["lead"], result["lead_error"]) == (found["lead"], found["lead_error"])
    assert result["done"] == 1 and result["steps"] >= 64 and result["core_seconds"] > 0 and result["processor"]
    assert result["networks"] == fingerprints(NETWORK)


def test_every_player_of_the_tournaments_has_its_row():
    for preset in koikoi_rounds.MEASURED:
        players = koikoi_rounds.tournament(preset)["agents"]
        assert [row.agent for row in koikoi_rounds.ROWS if isinstance(row, Dealer) and row.preset == preset] == players


def test_the_table_has_both_sides_of_a_match_and_the_long_ones(monkeypatch):
    pair = {"agents": ["counting", "random"], "lead": 2.0, "lead_error": 0.5}
    matches = [pair | {"won": 0.6, "won_error": 0.05, "drawn": 0.1}]
    monkeypatch.setattr(koikoi_rounds, "tournament", lambda _: {"games": 100, "tournament": {"matches": matches}})
    shares = [
        {"preset": "document", "agent": name, "dealer_wins": won, "decided": 100}
        for name, won in (("random", 50), ("counting", 55))
    ]
    long = {"network": NETWORK, "rival": "b", "done": 2, "lead_sum": 4.0, "lead_squares": 10.0, "won_sum": 1.0}
    response = {"against": NETWORK, "lead": 0.5, "lead_error": 0.1, "steps": 15_000_000, "core_seconds": 180.0}
    lines = koikoi_rounds.table([*shares, long, response | {"processor": "abacus"}]).splitlines()
    assert "**document**, 200 rounds a pair; 1,000 roll-outs a decision." in lines
    assert "| counting |  | +1.00 ± 0.49 (60.0% ± 9.8%) | +1.00 ± 0.49 | 55.0% |" in lines
    assert "| random | -1.00 ± 0.49 (30.0% ± 9.8%) |  | -1.00 ± 0.49 | 50.0% |" in lines
    assert f"| {NETWORK} | b | +1.000 ± 0.980 | 50.0% | 4 |" in lines
    assert lines[-1] == f"| {NETWORK} | 15 M decisions in 3 core-minutes, abacus | +0.25 ± 0.10 |"
