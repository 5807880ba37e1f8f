"""A trained network grows to a larger one with the same outputs, and all of the new weights learn."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from hanabako.agents import load, play
from hanabako.agents.commands.command_line import main
from hanabako.agents.learning import ppo
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.runs import read_about
from hanabako.agents.networks.growing import grown, load_grown
from hanabako.agents.networks.kinds import NETWORKS
from hanabako.agents.networks.network import Network
from hanabako.agents.networks.neural_policy import load_policy
from hanabako.agents.networks.policy_file import save_policy
from hanabako.games import game_of
from hanabako.packing import pack
from hanabi_env import PRESETS
from hanafuda_env import KoiKoiConfig
from tests.games import legal_actions

MINI = PRESETS["mini"]
KINDS = ["symmetric", "dense", "recurrent", "recurrent-symmetric", "towers"]
MORE = {"history": replace(MINI, history=4), "belief": replace(MINI, belief=True), "width": MINI}


def trained(kind: str, config: Any) -> Network:
    """Return a network with weights far from the initial ones, and the opening bits of a true run."""
    torch.manual_seed(1)
    network = NETWORKS[kind](config, width=24, layers=2)
    with torch.no_grad():
        for weights in network.parameters():
            weights.add_(torch.randn_like(weights) * 0.2)
    network.set_opening(opening(config, network))
    return network


def opening(config: Any, network: Network) -> torch.Tensor:
    """Return the bits that are set in 64 openings."""
    common = np.bitwise_and.reduce(some_views(config, network, steps=0), axis=0)
    return torch.from_numpy(common.view(np.int64))


def some_views(config: Any, network: Network, steps: int) -> np.ndarray:
    """Return the packed observations of 64 games after random steps."""
    envs, rng = game_of(config).make_vector(64, config=config, seed=7), np.random.default_rng(7)
    observation, _ = envs.reset()
    for _ in range(steps):
        observation, *_ = envs.step(legal_actions(observation["action_mask"], rng))
    return pack(observation["observation"], network.words)


def outputs(network: Network, words: np.ndarray) -> tuple[torch.Tensor, ...]:
    """Return logits and values at the second of two decisions, after a memory has formed at the first."""
    rows = torch.from_numpy(words.view(np.int64))
    memory = network.step(rows).memory
    return network.step(rows, memory)[:2]


@pytest.mark.parametrize("more", MORE)
@pytest.mark.parametrize("kind", KINDS)
def test_outputs_stay_when_a_network_grows(kind: str, more: str) -> None:
    config, network = MORE[more], trained(kind, MINI)
    larger = NETWORKS[kind](config, width=24, layers=2)
    larger = grown(network, MINI, config, 40, opening(config, larger))
    assert larger.settings["width"] == 40 and larger.bits == config.observation_bits
    for steps in (0, 1, 9):
        before = outputs(network, some_views(MINI, network, steps))
        torch.testing.assert_close(outputs(larger, some_views(config, larger, steps)), before, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("config", [MORE["history"], replace(MINI, players=4, hand_size=2)])
@pytest.mark.parametrize("kind", KINDS)
def test_all_weights_of_a_grown_network_learn(kind: str, config: Any) -> None:
    network = grown(trained(kind, MINI), MINI, config, 40)
    words = some_views(config, network, 9)
    for name, share in learn(network, words).items():
        assert share > 0.9, name


def learn(network: Network, words: np.ndarray) -> dict[str, float]:
    """Make two steps of learning and return the share of each parameter's rows that have changed."""
    descent = torch.optim.Adam(network.parameters(), lr=1e-4)
    before = {name: weights.detach().clone() for name, weights in network.named_parameters()}
    for _ in range(2):  # the first step makes the weights from new units to old ones differ from 0
        descent.zero_grad()
        logits, values = outputs(network, words)
        (logits.square().sum() + values.square().sum()).backward()
        descent.step()
    changed = {name: weights.detach() != before[name] for name, weights in network.named_parameters()}
    return {name: rows.view(len(rows), -1).any(1).float().mean().item() for name, rows in changed.items()}


def test_koikoi_has_no_suits_and_its_network_grows_too() -> None:
    config = KoiKoiConfig()
    network = trained("dense", config)
    words, larger = some_views(config, network, 5), grown(network, config, config, 32)
    torch.testing.assert_close(outputs(larger, words), outputs(network, words), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("name", "players", "least"),
    [
        ("hanabi-standard-2p", 3, 20),
        ("hanabi-standard-3p-from-2p", 2, 20),
        ("hanabi-standard-3p-from-2p", 4, 15),
        ("hanabi-standard-2p-dense-1", 3, 15),
    ],
)
def test_another_number_of_players_begins_with_the_conventions_of_the_first(
    tmp_path: Path, name: str, players: int, least: float
) -> None:
    config, path = replace(PRESETS["standard"], players=players), tmp_path / "policy.safetensors"
    settings = ppo.Args(players=players, games=64, start=name)
    envs = settings.make_envs(settings.learned(config), ALONE)
    save_policy(path, settings.make_network(envs.config, envs.opening_bits(), ALONE.device), envs.config, {})
    games = play(config, [load(str(path), config)] * players, 200, seed=1)
    assert games.fireworks_score.mean() > least


def test_a_run_starts_from_a_grown_network(tmp_path: Path) -> None:
    start = tmp_path / "start.safetensors"
    save_policy(start, trained("symmetric", MINI), MINI, {})
    words = ["--games=8", "--horizon=4", "--minibatch=32", "--evaluation-games=2", "--final-games=4", "--ranks=1"]
    words += ["--preset=mini", "--config", "derived=false", "history=3", f"--run-dir={tmp_path / 'run'}"]
    main(["train", f"--start={start}", "--width=32", "--steps=64", *words])
    policy = load_policy(tmp_path / "run" / "policy.safetensors")
    assert policy.config.history == 3 and policy.network.settings["width"] == 32
    assert read_about(tmp_path / "run")["args"]["start"] == str(start)
    main(["train", f"--resume={tmp_path / 'run'}", "--steps=64"])


@pytest.mark.parametrize(
    ("kind", "config", "width", "message"),
    [
        ("symmetric", MINI, 8, "width must be at least the network's, 24, got 8"),
        ("normed-dense", MINI, 32, "its kind must be one of symmetric, dense, .*, got normed-dense"),
        ("dense", replace(MINI, players=3, max_life_tokens=2), 24, "rules: max_life_tokens=3"),
        ("dense", MINI, 23, "width must be at least the network's, 24, got 23"),
    ],
)
def test_what_cannot_grow_is_refused(tmp_path: Path, kind: str, config: Any, width: int, message: str) -> None:
    path = tmp_path / "policy.safetensors"
    save_policy(path, trained(kind, MINI), MINI, {})
    with pytest.raises(ValueError, match=message):
        load_grown(path, config, width)
