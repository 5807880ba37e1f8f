"""The networks that ship: each loads by its name, has its size, and plays as well as its file says."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import tyro

from benchmarks.recipes import RECIPES, Recipe
from hanabako import agents
from hanabako.agents import play
from hanabako.agents.learning import ppo
from hanabako.agents.networks.neural_policy import read_metadata
from hanabako.agents.registry import PRETRAINED
from hanabako.games import config_from_dict, game_names, game_of, make_config

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
    assert sum(path.stat().st_size for path in PRETRAINED.glob("*")) < 16e6


@pytest.mark.slow
@pytest.mark.statistical
@pytest.mark.parametrize("name", NAMES)
def test_a_network_plays_as_well_as_it_did(name: str):
    """Scores are within four standard errors of the mean, in both directions; false alarm: one in 16,000 tests."""
    config, about = config_of(name), read_metadata(PRETRAINED / f"{name}.safetensors")["about"]
    network = agents.load(name, config)
    if game_of(config).cooperative:
        scores = play(config, network, games=DEALS, seed=77).score.astype(float)
    else:
        other = agents.load(RECIPES[name].opponent or "random", config)
        seats = range(config.players)
        games = (DEALS if config.rounds < 10 else DEALS // 5) // len(seats)  # a game of many rounds has many deals
        played = [play(config, [network if p == k else other for p in seats], games, 77) for k in seats]
        scores = np.concatenate([games.rewards[:, k] for k, games in zip(seats, played, strict=True)])
    error = (scores.var() / len(scores) + about["greedy_score_error"] ** 2) ** 0.5
    assert abs(scores.mean() - about["greedy_score"]) < 4 * error


def test_an_unknown_network_is_named_with_those_that_there_are():
    with pytest.raises(ValueError, match=r"an agent must be one of random, .*, got 'hanabi-gigantic-9p'"):
        agents.load("hanabi-gigantic-9p", make_config("hanabi"))


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_can_be_followed(name: str):
    recipe: Recipe | None = RECIPES[name]
    while recipe is not None:
        config = make_config(recipe.game, recipe.preset, recipe.changed_players())
        for bot in filter(None, (recipe.opponent, recipe.clones)):
            assert agents.load(bot, config).name == bot
        assert config.players == recipe.players
        recipe = recipe.first
