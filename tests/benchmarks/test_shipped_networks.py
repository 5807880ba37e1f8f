"""The networks that ship: how they are trained and measured, and their tables."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.recipes import RECIPES, Recipe
from benchmarks.strength import shipped_networks
from benchmarks.strength.shipped_networks import Shipped
from hanabako.agents.learning.common import launch
from hanabako.agents.networks.policy_file import read_metadata
from hanabako.agents.registry import pretrained
from hanabako.agents.results.store import is_stale, read_results
from hanabako.agents.results.tables import training_in_words
from hanabako.games import game_names
from tests.agents.tiny_runs import SMALL, UPDATE, run_here


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
def test_a_network_that_goes_on_from_others_tells_what_all_took(
    clones: str | None, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = small_recipe(clones)
    second = first._replace(steps=UPDATE, first=first, clones=None)
    monkeypatch.setitem(RECIPES, "all", second._replace(first=second))
    monkeypatch.setattr(shipped_networks, "play_meeting", lambda row: {"done": row.wanted})
    shipped_networks.play(row_of("all"), None)
    about = read_metadata(here / "all.safetensors")["about"]
    assert about["steps"] == 4 * UPDATE and about["name"] == "all"
    assert about.get("began") == (None if clones is None else "as a clone of cautious")
    args = json.loads((here / "runs" / "all" / "config.json").read_text(encoding="utf-8"))["args"]
    assert args["start"] == str(here / "runs" / "all-first" / "policy.safetensors")


def row_of(name: str, deals: int = 20) -> Shipped:
    (row,) = (row for row in shipped_networks.rows() if row.network == name)
    return replace(row, wanted=deals)


@pytest.mark.slow
def test_a_network_is_trained_only_where_its_file_is_missing(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RECIPES, "tiny", small_recipe())
    monkeypatch.setattr(shipped_networks, "play_meeting", lambda row: {"done": row.wanted})
    for is_missing in (True, False):
        result = dict(shipped_networks.play(row_of("tiny"), None))
        curve = result.pop("curve", [])
        assert [steps for steps, _ in curve[-1:]] == ([2 * UPDATE] if is_missing else [])
        assert result == {"done": 20}
        assert (here / "tiny.safetensors").exists()
        assert (here / "runs").exists() == is_missing
        shutil.rmtree(here / "runs", ignore_errors=True)


@pytest.mark.parametrize(
    ("name", "measures"), [("hanabi-very_small-2p", "perfect_rate"), ("ikebana-standard-2p", "lead")]
)
def test_a_network_is_measured_as_its_game_asks(name: str, measures: str) -> None:
    assert measures in shipped_networks.play(row_of(name), None)


def test_every_network_that_ships_was_measured_as_it_is() -> None:
    measured = {row["line_up"][0] for row in read_results(shipped_networks.RESULTS) if not is_stale(row)}
    assert measured == {name for game in game_names() for name in pretrained(game)}


def test_a_network_measured_again_keeps_the_curve_of_its_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped_networks, "RUNS", tmp_path)  # no run is there
    rows = {row["line_up"][0]: row for row in read_results(shipped_networks.RESULTS)}
    assert shipped_networks.curve_of("hanabi-standard-3p-from-2p") == rows["hanabi-standard-3p-from-2p"]["curve"]
    assert shipped_networks.curve_of("hanabi-mini-2p") is None


def test_what_a_gpu_trained_is_told_in_minutes_and_not_in_those_of_a_core() -> None:
    about = {"steps": 900e6, "seconds": 492, "core_seconds": 487, "began": "from `first`", "ranks": 1}
    told = training_in_words(about | {"processor": "a GPU (NVIDIA H200) with bf16 instructions"})
    assert told == "900 M decisions in 8 minutes, begun from `first`, a GPU (NVIDIA H200) with bf16 instructions"
    told = training_in_words(about | {"processor": "cores with bf16 instructions"})
    assert told == "900 M decisions in 8 core-minutes, begun from `first`, cores with bf16 instructions"


def test_a_ceiling_stands_beside_every_score() -> None:
    rows = [row for row in read_results(shipped_networks.RESULTS) if row["line_up"] == ["hanabi-mini-2p"]]
    line = shipped_networks.scoreboard(rows).splitlines()[2]
    assert line.startswith("| mini, 2 players | hanabi-mini-2p | 8.9") and "| 9.00 (100.0%) |" in line
