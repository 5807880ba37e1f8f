"""The networks that ship: each loads, has its size and fingerprint, and plays as well as its file and papers say."""

import hashlib
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tyro

from benchmarks.recipes import PARTNERS, RECIPES, Recipe
from hanabako import agents
from hanabako.agents import play
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.published_scores import PUBLISHED, reference_lines
from hanabako.agents.networks.policy_file import read_metadata
from hanabako.agents.registry import PRETRAINED, fingerprints
from hanabako.games import config_from_dict, game_names, game_of, make_config
from hanabi_env import HanabiConfig
from ikebana_env import IkebanaConfig

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
    sizes = {path.stem: path.stat().st_size for path in PRETRAINED.glob("*")}
    assert sum(sizes.pop(name) for name in PARTNERS) < 3e6
    assert sum(sizes.values()) < 16e6


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


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_can_be_followed(name: str):
    recipe: Recipe | None = RECIPES[name]
    while recipe is not None:
        config = make_config(recipe.game, recipe.preset, recipe.changed_players())
        for bot in filter(None, (recipe.opponent, recipe.clones)):
            assert agents.load(bot, config).name == bot
        assert config.players == recipe.players
        recipe = recipe.first


def test_only_networks_have_fingerprints(tmp_path: Path) -> None:
    (tmp_path / "policy.safetensors").write_bytes(b"weights")
    found = fingerprints("smart", "monte_carlo:2000", "hanabi-mini-2p", str(tmp_path / "policy.safetensors"))
    assert list(found) == ["hanabi-mini-2p", str(tmp_path / "policy.safetensors")]
    assert list(found.values())[1] == hashlib.sha256(b"weights").hexdigest()[:16]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_every_number_of_players_has_scores_of_its_own(players: int):
    found = reference_lines(HanabiConfig(players=players))
    assert found and all(one.players == players and 0 < one.score < 25 for one in found)


def test_the_observation_does_not_matter_and_the_rules_do():
    assert reference_lines(HanabiConfig(derived=True, history=3)) == reference_lines(HanabiConfig())
    assert reference_lines(HanabiConfig(score_on_loss="fireworks")) == reference_lines(HanabiConfig(colors=4)) == []
    assert reference_lines(IkebanaConfig()) == []


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_names_of_lines_do_not_overlap(players: int):
    """Lines of a chart from 0 to 25 that is 4 inches high stand apart by the height of their names, or by a point."""
    lines = sorted(one.score for one in PUBLISHED if one.players == players and one.line)
    assert all(b - a > 1 for a, b in pairwise(lines))
