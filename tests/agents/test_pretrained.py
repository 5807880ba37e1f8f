"""The networks that ship: each loads by its name, is the size it should be, and plays as well as is said of it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tyro

import agents
from agents import ppo
from agents.evaluate import play
from agents.learning.common import launch
from agents.learning.common.algorithms import command_line
from agents.learning.recipes import RECIPES, Recipe
from agents.networks.neural_policy import read_metadata
from agents.registry import PRETRAINED
from benchmarks.strength import shipped_networks
from hanabako.games import config_from_dict, game_names, game_of, make_config
from tests.agents.tiny_runs import SMALL, UPDATE

NAMES = [name for game in game_names() for name in agents.pretrained(game)]
DEALS = 1000


def config_of(name: str) -> Any:
    return config_from_dict(read_metadata(PRETRAINED / f"{name}.safetensors")["config"])


def test_networks_are_named_for_what_they_play():
    assert set(NAMES) <= set(RECIPES)
    for name in NAMES:
        recipe, config = RECIPES[name], config_of(name)
        assert name.startswith(f"{recipe.game}-{recipe.preset}-{recipe.players}p")
        named = tyro.cli(ppo.Args, args=recipe.arguments()).make_config()
        neutral = {field: getattr(named, field) for field in game_of(config).neutral_fields}
        assert replace(config, **neutral) == named


def test_all_of_them_are_small():
    assert sum(path.stat().st_size for path in PRETRAINED.glob("*")) < 10e6


@pytest.mark.statistical
@pytest.mark.parametrize("name", NAMES)
def test_a_network_plays_as_well_as_it_did(name: str):
    """Within four standard errors of the mean, both ways: a false alarm in 16,000 tests."""
    config, about = config_of(name), read_metadata(PRETRAINED / f"{name}.safetensors")["about"]
    network = agents.load(name, config)
    if game_of(config).cooperative:
        scores = play(config, network, games=DEALS, seed=77).score.astype(float)
    else:
        other = agents.load(RECIPES[name].opponent or "random", config)
        seats = range(config.players)
        games = (DEALS if config.rounds < 10 else DEALS // 5) // len(seats)  # many rounds are many deals
        played = [play(config, [network if p == k else other for p in seats], games, 77) for k in seats]
        scores = np.concatenate([games.rewards[:, k] for k, games in zip(seats, played, strict=True)])
    error = (scores.var() / len(scores) + about["greedy_score_error"] ** 2) ** 0.5
    assert abs(scores.mean() - about["greedy_score"]) < 4 * error


def test_an_unknown_network_is_named_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"an agent must be one of random, .*, got 'hanabi-gigantic-9p'"):
        agents.load("hanabi-gigantic-9p", make_config("hanabi"))
    with pytest.raises(SystemExit, match=r"a network must be one of hanabi-standard-2p, .*, got 'hanabi-gigantic-9p'"):
        shipped_networks.main(["hanabi-gigantic-9p"])


@pytest.mark.parametrize("clones", [None, "cautious"])
def test_a_network_that_goes_on_from_others_tells_what_all_took(
    clones: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(shipped_networks, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(shipped_networks, "PRETRAINED", tmp_path)
    monkeypatch.setattr(
        launch, "train", lambda _ranks, words, learner: command_line(f"agents.learning.{learner}", words)
    )
    sizes = {name: value for name, value in SMALL.items() if name != "preset"}
    settings = tuple(str(word) for name, value in sizes.items() for word in (f"--{name.replace('_', '-')}", value))
    first = Recipe("hanabi", "very_small", 2, 2 * UPDATE, settings, clones=clones)
    second = first._replace(steps=UPDATE, first=first, clones=None)
    shipped_networks.pretrain("all", second._replace(first=second), 1)
    about = read_metadata(tmp_path / "all.safetensors")["about"]
    assert about["steps"] == 4 * UPDATE and about["name"] == "all"
    assert about.get("began") == (None if clones is None else "as a clone of cautious")
    args = json.loads((tmp_path / "runs" / "all" / "config.json").read_text(encoding="utf-8"))["args"]
    assert args["start"] == str(tmp_path / "runs" / "all-first" / "policy.safetensors")


def test_what_each_takes_is_listed(capsys):
    shipped_networks.main(["--list"])
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(RECIPES)


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_can_be_followed(name: str):
    recipe: Recipe | None = RECIPES[name]
    while recipe is not None:
        config = make_config(recipe.game, recipe.preset, recipe.changed_players())
        for bot in filter(None, (recipe.opponent, recipe.clones)):
            assert agents.load(bot, config).name == bot
        assert config.players == recipe.players
        recipe = recipe.first
