"""Settings compared: each run is trained once, continues where it stopped, and is in one table."""

from dataclasses import replace
from pathlib import Path

import pytest

from agents.learning.common import launch
from agents.studies.running import run
from agents.studies.store import read_results
from agents.studies.study import key_of
from benchmarks.strength import ppo_settings
from benchmarks.strength.ppo_settings import STUDY, Run
from tests.agents.tiny_runs import run_here

TINY = "--preset very_small --games 32 --horizon 8 --minibatch 64 --width 16 --evaluation-games 20 --final-games 20"
ROWS = [Run(1, 0.001, TINY), Run(1, 0.002, f"{TINY} --seed 2")]
SMALL = replace(STUDY, rows=ROWS)
ORIGIN = {"command": "c", "machine": {}, "versions": {}, "commit": "d"}


@pytest.fixture
def trained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The options that the learner got; it runs in this process."""
    told: list[list[str]] = []

    def run_module(words: list[str], log: Path) -> int:
        told.append(words)
        return run_here([*words, *([] if "--resume" in words else ["--device", "cpu"])], log)

    monkeypatch.setattr(ppo_settings, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(launch, "run_module", run_module)
    return told


def test_every_run_is_trained_once(trained: list[list[str]], tmp_path: Path):
    path = tmp_path / "ppo_settings.json"
    for _ in range(2):
        assert run(SMALL, path, ORIGIN) == {}
    results = read_results(path)
    assert [result["settings"] for result in results] == [TINY, f"{TINY} --seed 2"]
    assert all(result["greedy_games"] == 20 and result["steps"] > 0 and result["processor"] for result in results)
    lines = ppo_settings.settings_board(results).splitlines()
    assert len(lines) == 4 and f"`{TINY}`" in "".join(lines)
    path.unlink()
    assert run(SMALL, path, ORIGIN) == {}
    train = ["hanabako", "train", "--algorithm", "ppo", "--ranks", "1"]
    assert [words[:8] for words in trained] == [[*train, "--minutes", minutes] for minutes in ("0.001", "0.002")]
    assert read_results(path) == results, "finished runs are read again, not trained again"


def test_an_interrupted_run_goes_on(trained: list[list[str]]):
    folder = ROWS[0].folder
    (folder / "checkpoint").mkdir(parents=True)
    (folder / "checkpoint" / "latest").write_text("00000001", encoding="utf-8")
    (folder / "metrics.jsonl").write_text('{"update": 1, "steps": 256, "fraction": 0.5}\n', encoding="utf-8")
    with pytest.raises(SystemExit, match="holds no run to resume"):
        ppo_settings.train(ROWS[0], None)
    assert trained == [["hanabako", "train", "--algorithm", "ppo", "--ranks", "1", "--resume", str(folder)]]


def test_a_run_of_two_ranks_keeps_two_cores_busy():
    assert {row.ranks: row.cores for row in ppo_settings.ROWS} == {1: 1, 2: 2}


def test_networks_are_compared_where_both_runs_are_there(monkeypatch: pytest.MonkeyPatch):
    """Each has one line with its own numbers, and is not in the table of the settings."""
    runs = {"wide": (Run(1, 4, "a"), Run(1, 0, "b")), "deep": (Run(1, 4, "c"), Run(1, 0, "d"))}
    monkeypatch.setattr(ppo_settings, "NETWORKS", runs)
    numbers = {"steps": 3e6, "core_seconds": 90, "greedy_score_error": 0.5, "greedy_lost": 0}
    results = [
        {"fields": list(row.values()), **row.values(), **numbers, "greedy_score": 10.0 + k}
        for k, row in enumerate([*runs["wide"], runs["deep"][0], Run(2, 4, "e")])
    ]
    assert "| wide | 3.0 M | 10.00 ± 0.50 | 1.5 | 11.00 ± 0.50 |" in ppo_settings.networks_board(results)
    assert "deep" not in ppo_settings.networks_board(results)
    assert [line for line in ppo_settings.settings_board(results).splitlines() if "| 4 |" in line] == [
        "| 2 | 4 | `e` | 3.0 M | 13.00 ± 0.50 | 0.0% |"
    ]


def test_the_results_are_those_of_the_study():
    results = read_results(Path(ppo_settings.__file__).parent / "results" / "ppo_settings.json")
    assert {key_of(result) for result in results} == {row.key for row in STUDY.rows}
