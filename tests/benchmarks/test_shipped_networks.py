"""The networks that ship: how they are trained and measured, and their tables."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agents.learning.common import launch
from agents.networks.policy_file import read_metadata
from agents.registry import pretrained
from agents.results.store import is_stale, read_results
from benchmarks.recipes import RECIPES, Recipe
from benchmarks.strength import hanabi_bots, shipped_networks
from benchmarks.strength.shipped_networks import Shipped, scores
from benchmarks.strength.tables.markdown import training_in_words
from hanabako.games import game_names
from tests.agents.tiny_runs import SMALL, UPDATE, run_here
from tests.benchmarks.test_hanabi_bots import ceiling


def small_recipe(clones: str | None = None) -> Recipe:
    sizes = {name: value for name, value in SMALL.items() if name != "preset"}
    settings = tuple(str(word) for name, value in sizes.items() for word in (f"--{name.replace('_', '-')}", value))
    return Recipe("hanabi", "very_small", 2, 2 * UPDATE, settings, clones=clones)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which networks are trained, in this process."""
    monkeypatch.setattr(shipped_networks, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(shipped_networks, "PRETRAINED", tmp_path)
    monkeypatch.setattr(launch, "run_module", run_here)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("clones", [None, "cautious"])
def test_a_network_that_goes_on_from_others_tells_what_all_took(clones: str | None, here: Path) -> None:
    first = small_recipe(clones)
    second = first._replace(steps=UPDATE, first=first, clones=None)
    shipped_networks.train("all", second._replace(first=second), 1)
    about = read_metadata(here / "all.safetensors")["about"]
    assert about["steps"] == 4 * UPDATE and about["name"] == "all"
    assert about.get("began") == (None if clones is None else "as a clone of cautious")
    args = json.loads((here / "runs" / "all" / "config.json").read_text(encoding="utf-8"))["args"]
    assert args["start"] == str(here / "runs" / "all-first" / "policy.safetensors")


@pytest.mark.slow
def test_a_network_is_trained_only_where_its_file_is_missing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RECIPES, "tiny", small_recipe())
    monkeypatch.setattr(shipped_networks, "measured", lambda name, _recipe: {"agents": [name]})
    for is_missing in (True, False):
        result = dict(shipped_networks.play(Shipped("tiny"), None))
        curve = result.pop("curve", [])
        assert [steps for steps, _ in curve[-1:]] == ([2 * UPDATE] if is_missing else [])
        assert result == {"done": 1, "evaluation": {"agents": ["tiny"]}}
        assert (here / "tiny.safetensors").exists()
        assert (here / "runs").exists() == is_missing
        shutil.rmtree(here / "runs", ignore_errors=True)


@pytest.mark.parametrize(
    ("name", "measures"), [("hanabi-very_small-2p", "score"), ("ikebana-standard-2p", "tournament")]
)
def test_a_network_is_measured_as_its_game_asks(name: str, measures: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped_networks, "train", None)  # its file is there
    monkeypatch.setattr(shipped_networks, "GAMES", 4)
    result = shipped_networks.play(Shipped(name), None)
    assert result["done"] == 1 and result["evaluation"][measures]
    assert not {"command", "machine"} & result["evaluation"].keys()


def test_every_network_that_ships_was_measured_as_it_is() -> None:
    measured = {row["network"] for row in read_results(shipped_networks.RESULTS) if not is_stale(row)}
    assert measured == {name for game in game_names() for name in pretrained(game)}


def test_a_network_measured_again_keeps_the_curve_of_its_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped_networks, "RUNS", tmp_path)  # no run is there
    monkeypatch.setattr(shipped_networks, "measured", lambda name, _recipe: {"agents": [name]})
    row = next(row for row in read_results(shipped_networks.RESULTS) if row["network"] == "hanabi-standard-3p")
    assert shipped_networks.play(Shipped("hanabi-standard-3p"), None)["curve"] == row["curve"]
    assert "curve" not in shipped_networks.play(Shipped("hanabi-mini-2p"), None)


# --- Tables -----------------------------------------------------------------------------------------------------------


def random_play() -> dict[str, Any]:
    return next(result for result in read_results(hanabi_bots.RESULTS) if result["preset"] == "mini")


def test_the_table_of_scores_names_observation_errors_and_training() -> None:
    training = [{"steps": 66_000_000, "seconds": 276, "ranks": 2}]
    trained = random_play() | {"agents": ["runs/some/policy.safetensors"], "training": training, "score": 8.8}
    lines = scores([random_play(), trained], {}).splitlines()
    assert lines[2].startswith("| hanabi mini | 2 | PPO | card_knowledge | 8.80 ± 0.02 |")
    assert lines[2].endswith("| 66 M decisions in 9 core-minutes |")
    assert lines[3].startswith("| hanabi mini | 2 | random |")


def test_what_a_gpu_trained_is_told_in_minutes_and_not_in_those_of_a_core() -> None:
    about = {"steps": 900e6, "seconds": 492, "core_seconds": 487, "began": "from `first`", "ranks": 1}
    told = training_in_words(about | {"processor": "a GPU (NVIDIA H200) with bf16 instructions"})
    assert told == "900 M decisions in 8 minutes, begun from `first`, a GPU (NVIDIA H200) with bf16 instructions"
    told = training_in_words(about | {"processor": "cores with bf16 instructions"})
    assert told == "900 M decisions in 8 core-minutes, begun from `first`, cores with bf16 instructions"


def test_a_ceiling_stands_beside_every_score() -> None:
    line = scores([random_play()], ceiling("mini", 2)).splitlines()[2]
    assert line.startswith("| hanabi mini | 2 | random | card_knowledge | 0.70 ± 0.02 | 24.91 (91.0%) |")


def test_the_summary_fits_the_readme() -> None:
    head, rule, *rows = shipped_networks.summary(read_results(shipped_networks.RESULTS)).strip().splitlines()
    assert head.count("|") == rule.count("|") == 6 and 0 < len(rows) <= 7
    assert sum("`make train`" in row for row in rows) == 1


def test_make_train_and_random_play_stand_beside_the_networks_with_what_made_them() -> None:
    text = shipped_networks.scoreboard(read_results(shipped_networks.RESULTS))
    for agent in ("hanabi-mini-2p", "PPO", "random"):
        assert f"| hanabi mini | 2 | {agent} |" in text
    assert "For the rows PPO and random: " in text
