"""IQL, VDN, QMIX, SAD: formulas against plain loops, replay, runs that resume, and a game that they solve."""

import json
from dataclasses import replace
from typing import Any

import pytest
import torch

from hanabako.agents.learning.common.algorithms import named
from hanabako.agents.learning.common.q_learner import epsilons, n_step_returns, returns_of
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.selfplay import SelfPlayEnvs
from hanabako.agents.learning.common.trainer import train
from hanabako.agents.learning.iql import IQL, Args
from hanabako.agents.networks.network import masked, q_values
from hanabi_env import PRESETS
from tests.agents.test_algorithms import settings_of
from tests.agents.tiny_runs import SMALL, UPDATE

TINY = Args(**SMALL, rollouts=2)
EVERY_ALGORITHM = pytest.mark.parametrize("name", ["iql", "other-play", "vdn", "qmix", "sad"])


def learner_of(name: str, **change: Any) -> Any:
    """Return a learner; ``other-play`` is IQL whose seats have their own names for the suits."""
    if name == "other-play":
        name, change = "iql", {"network": "dense", "other_play": True} | change
    args = settings_of(name, **change)
    return named(name).algorithm(args, args.make_envs(args.make_config(), ALONE), ALONE)


def test_returns_are_those_of_the_definition():
    """Lambda mixes the n-step returns with weights (1 - lambda) lambda^(n - 1); the longest gets the rest."""
    generator = torch.Generator().manual_seed(1)
    horizon, games, gamma, mixture = 9, 7, 0.9, 0.7
    rewards, values = torch.randn(2, horizon, games, generator=generator, dtype=torch.float64)
    dones = torch.rand(horizon, games, generator=generator) < 0.2
    fast = returns_of(rewards, dones, values, gamma, mixture)
    for game in range(games):
        for first in range(horizon):
            expected, weight, earned = 0.0, 1.0, 0.0
            for n, t in enumerate(range(first, horizon)):
                earned += gamma**n * rewards[t, game].item()
                n_steps = earned + gamma ** (n + 1) * values[t, game].item() * (not dones[t, game])
                is_last = t == horizon - 1 or bool(dones[t, game])
                expected += weight * (1 if is_last else 1 - mixture) * n_steps
                weight *= mixture
                if is_last:
                    break
            assert fast[first, game].item() == pytest.approx(expected)


@pytest.mark.parametrize("n", [1, 3, 20])
def test_n_step_returns_are_those_of_the_definition(n: int):
    generator = torch.Generator().manual_seed(1)
    horizon, games, gamma = 9, 7, 0.9
    rewards, values = torch.randn(2, horizon, games, generator=generator, dtype=torch.float64)
    dones = torch.rand(horizon, games, generator=generator) < 0.2
    fast = n_step_returns(rewards, dones, values, gamma, n)
    for game in range(games):
        for first in range(horizon):
            expected, last = 0.0, min(first + n, horizon) - 1
            for t in range(first, last + 1):
                expected += gamma ** (t - first) * float(rewards[t, game])
                if dones[t, game]:
                    break
            else:
                expected += gamma ** (last + 1 - first) * float(values[last, game])
            assert float(fast[first, game]) == pytest.approx(expected)


def test_games_explore_in_equal_factors():
    assert epsilons(0.5, 3, 3).tolist() == pytest.approx([0.5, 0.25, 0.125])
    assert epsilons(0.4, 8, 1).tolist() == pytest.approx([0.4])


def test_each_game_explores_as_often_as_its_epsilon_says():
    """Exploration is counted over 6,400 decisions; some random actions are greedy ones. False alarms: below 1e-6."""
    envs = SelfPlayEnvs(PRESETS["mini"], 64, 1, ALONE)
    learner = IQL(replace(TINY, games=64, horizon=100, minibatch=100, preset="mini"), envs, ALONE)
    learner.epsilons = torch.tensor([0.0, 0.5]).repeat(32)
    followed = torch.zeros(64)

    def follow(players: torch.Tensor, greedy: torch.Tensor, dones: torch.Tensor) -> None:
        followed.add_(taken[0] == greedy)

    taken: list[torch.Tensor] = []
    step = envs.step

    def noted(actions: torch.Tensor) -> Any:
        taken[:] = [actions]
        return step(actions)

    envs.step, learner.follow = noted, follow
    learner.collect()
    assert (followed[::2] == 100).all()
    share = followed[1::2].mean().item() / 100
    assert 0.5 < share < 0.75  # half of them, and at most one in four of the others


@pytest.mark.parametrize("network", ["symmetric", "recurrent", "recurrent-symmetric"])
@EVERY_ALGORITHM
def test_the_replay_memory_gives_back_what_was_decided(name, network):
    """Without exploration, a sequence's greedy actions equal those taken, even if its memories do not start empty."""
    learner = learner_of(name, preset="mini", network=network, trunk="float32", horizon=24, minibatch=24)
    torch.nn.init.normal_(learner.network.get_parameter("head.weight"))
    learner.epsilons = torch.zeros(TINY.games)
    for _ in range(3):
        learner.collect()
    some = learner.replay.at(learner.replay.draw(200, torch.Generator().manual_seed(3))[0])
    assert some.dones.any() and (network == "symmetric" or some.memories.abs().sum() > 0)
    logits, values = learner.outputs(learner.learner, some)
    q = q_values(logits, values[..., 0], some.masks)[:-1]
    chosen = q.gather(2, some.actions[..., None]).squeeze(2)
    best = masked(q, some.masks[:-1]).max(2).values
    torch.testing.assert_close(chosen, best, rtol=0, atol=2e-2)  # memories are stored in float16
    assert (q.std(2) > 0.2).float().mean() > 0.9, "or any action would be as good"


def test_a_checkpoint_with_another_replay_memory_is_a_clear_error(tmp_path):
    run_dir = train(replace(TINY, steps=UPDATE, run_dir=tmp_path / "run"), IQL)
    about = json.loads((run_dir / "config.json").read_text(encoding="utf-8"))
    about["args"]["rollouts"] = 3
    (run_dir / "config.json").write_text(json.dumps(about), encoding="utf-8")
    with pytest.raises(ValueError, match="its replay memory holds observations of another shape"):
        train(Args(resume=run_dir), IQL)


@pytest.mark.parametrize(("preset", "players"), [("all_extensions", 3), ("standard", 5), ("black_powder", 4)])
@EVERY_ALGORITHM
def test_any_number_of_players_learns_any_variant(name, preset, players):
    learner = learner_of(name, preset=preset, players=players)
    for _ in range(2):
        assert learner.learn(1.0)["loss"] > 0
