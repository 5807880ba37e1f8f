"""A sweep trains what is not in its results, goes on where it was, and writes its table."""

import json
from pathlib import Path

import pytest

from agents import ppo
from agents.learning.common import launch
from benchmarks.strength import ppo_settings

TINY = "--preset very_small --games 32 --horizon 8 --minibatch 64 --width 16 --evaluation-games 20 --final-games 20"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(ppo_settings, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(ppo_settings, "RESULTS", tmp_path / "sweep.json")
    monkeypatch.setattr(
        ppo_settings, "ROWS", [ppo_settings.Row(1, 0.001, TINY), ppo_settings.Row(1, 0.002, f"{TINY} --seed 2")]
    )
    return tmp_path


def test_every_row_is_trained_once(elsewhere: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    trained: list[list[str]] = []

    def train(ranks: int, settings: list[str], learner: str) -> None:
        assert (ranks, learner) == (1, "ppo")
        trained.append(settings)
        ppo.main([*settings, "--device", "cpu"])

    monkeypatch.setattr(launch, "train", train)
    ppo_settings.main([])
    results = json.loads((elsewhere / "sweep.json").read_text(encoding="utf-8"))
    assert [result["settings"] for result in results] == [TINY, f"{TINY} --seed 2"]
    assert all(result["greedy_games"] == 20 and result["steps"] > 0 for result in results)
    lines = ppo_settings.table(results).splitlines()
    assert len(lines) == 4 and f"`{TINY}`" in "".join(lines)
    ppo_settings.main([])
    assert len(trained) == 2
    (elsewhere / "sweep.json").unlink()
    ppo_settings.main([])
    assert len(trained) == 2, "finished runs are read again, not trained again"
    capsys.readouterr()
    ppo_settings.main(["--list"])
    assert capsys.readouterr().out.count("done") == 2


def test_an_interrupted_row_goes_on(elsewhere: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(launch, "train", lambda _ranks, settings, _learner: ppo.main(settings))
    run_dir = elsewhere / "runs" / ppo_settings.ROWS[0].name
    (run_dir / "checkpoint").mkdir(parents=True)
    (run_dir / "checkpoint" / "latest").write_text("00000001", encoding="utf-8")
    (run_dir / "metrics.jsonl").write_text('{"update": 1, "steps": 256, "fraction": 0.5}\n', encoding="utf-8")
    with pytest.raises(SystemExit, match="holds no run to resume"):
        ppo_settings.main([])


def test_networks_are_compared_where_both_rows_are_there(monkeypatch: pytest.MonkeyPatch):
    """One line for each, with its own numbers; they are not in the table of the settings."""
    rows = {
        "wide": (ppo_settings.Row(1, 4, "a"), ppo_settings.Row(1, 0, "b")),
        "deep": (ppo_settings.Row(1, 4, "c"), ppo_settings.Row(1, 0, "d")),
    }
    monkeypatch.setattr(ppo_settings, "NETWORKS", rows)
    numbers = {"steps": 3e6, "core_seconds": 90, "greedy_score_error": 0.5, "greedy_lost": 0, "processor": "one core"}
    results = [
        {**row._asdict(), **numbers, "greedy_score": 10.0 + k}
        for k, row in enumerate([*rows["wide"], rows["deep"][0], ppo_settings.Row(2, 4, "e")])
    ]
    assert "| wide | 3.0 M | 10.00 ± 0.50 | 1.5 | 11.00 ± 0.50 |" in ppo_settings.networks_board(results)
    assert "deep" not in ppo_settings.networks_board(results)
    assert [line for line in ppo_settings.table(results).splitlines() if "| 4 |" in line] == [
        "| 2 | 4 | `e` | 3.0 M | 13.00 ± 0.50 | 0.0% |"
    ]


def test_the_results_are_those_of_the_sweep():
    results = json.loads(ppo_settings.RESULTS.read_text(encoding="utf-8"))
    assert {ppo_settings.Row(row["ranks"], row["minutes"], row["settings"]) for row in results} <= set(
        ppo_settings.ROWS
    )
