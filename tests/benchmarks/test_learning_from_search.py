"""The study of learning from search: recorded games become one file, and runs start where they should."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from agents.datasets import Dataset, record
from agents.learning.common import launch
from agents.registry import load
from agents.studies.running import run
from agents.studies.store import read_results
from benchmarks.strength import learning_from_search
from benchmarks.strength.learning_from_search import BLUEPRINTS, STUDY, Plan, board, join, recordings, run_of, stages_of
from hanabako.games import make_config
from hanabako.games_file import GAMES_A_BLOCK
from tests.agents.tiny_runs import run_here

TINY = ("--steps", "64", "--games", "4", "--horizon", "8", "--minibatch", "32", "--evaluations", "1", "--device", "cpu")
ORIGIN = {"command": "c", "machine": {}, "versions": {}, "commit": "d"}


def test_joined_files_have_all_games_and_players(tmp_path: Path):
    config = make_config("hanabi", "very_small")
    players = [load("cautious", config), load("random", config)]
    paths = [tmp_path / "0.npz", tmp_path / "1.npz"]
    for part, path in enumerate(paths):
        record(path, config, players[:: 1 - 2 * part], GAMES_A_BLOCK, 5, part * GAMES_A_BLOCK)
    join(paths, tmp_path / "all.npz")
    parts, whole = [Dataset(path) for path in paths], Dataset(tmp_path / "all.npz")
    assert len(whole) == 2 * GAMES_A_BLOCK
    for number in (0, 700, 1500):
        one, own = whole.one(number), parts[number // GAMES_A_BLOCK].one(number % GAMES_A_BLOCK)
        assert one.actions.tolist() == own.actions.tolist()
        assert whole.players_of(one) == parts[number // GAMES_A_BLOCK].players_of(own)
    assert np.array_equal(whole.results().score, np.concatenate([part.results().score for part in parts]))


@pytest.mark.parametrize("name", [name for name, own in BLUEPRINTS.items() if own.rollouts])
def test_ppo_without_search_gets_the_time_of_all_that_it_lacks(name: str):
    own = BLUEPRINTS[name]
    minutes = {stage: run_of(name, stage).minutes for stage in ("fit", "searched", "alone")}
    assert minutes["alone"] == own.searching + minutes["fit"] + minutes["searched"]
    starts = {stage: run_of(name, stage).settings for stage in ("searched", "alone")}
    assert f"{name}-fit-{own.fitting}/policy.safetensors" in " ".join(starts["searched"])
    assert ("-copy-15/policy.safetensors" in " ".join(starts["alone"])) == (own.copying > 0)


@pytest.mark.parametrize(("name", "copying"), [("hanabi-very_small-2p", 0), ("cautious", 1)])
def test_games_are_recorded_fitted_and_learned_from(
    name: str, copying: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(launch, "run_module", run_here)
    for constant, value in {"RUNS": tmp_path, "PRESET": "very_small", "PARTS": 1, "GAMES": 4}.items():
        monkeypatch.setattr(learning_from_search, constant, value)
    monkeypatch.setattr(learning_from_search, "EVALUATION", (*TINY, "--evaluation-games", "4", "--final-games", "4"))
    monkeypatch.setattr(learning_from_search, "BLUEPRINTS", {name: Plan(5, 1, copying)})
    few = [*recordings(name), *(run_of(name, stage) for stage in stages_of(name))]
    assert len(few) == 4 + copying
    path = tmp_path / "few.json"
    assert run(replace(STUDY, rows=few), path, ORIGIN) == {}
    results = read_results(path)
    assert len(results) == len(few)
    assert all(row["done"] == 1 and 0 <= row["score"] <= 5 and row["games"] == 4 for row in results)
    assert not np.isnan(next(Dataset(tmp_path / f"{name}.npz").decisions()).values).all()
    assert board(results).count(f"| {name} |") == len(few)
