"""The replay memory: priorities, the sequences before others, and memories that are renewed before learning."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from hanabako.agents.learning import iql
from hanabako.agents.learning.common.algorithms import named
from hanabako.agents.learning.common.q_learner import n_step_returns, priorities_of, returns_of
from hanabako.agents.learning.common.ranks import ALONE
from hanabako.agents.learning.common.replay import ReplayMemory
from hanabako.agents.learning.common.trainer import train
from hanabako.agents.networks.network import masked, q_values
from tests.agents.test_algorithms import R2D2, settings_of
from tests.agents.tiny_runs import SMALL, UPDATE


def memory_of(rollouts: int, begun: int) -> ReplayMemory:
    """Return a replay memory of 4 games, in which every reward is its rollout's number."""
    envs: Any = SimpleNamespace(games=4, masks=torch.zeros(4, 3), config=SimpleNamespace(players=2))
    replay = ReplayMemory(rollouts, 2, envs, words=1, numbers=0, device=torch.device("cpu"))
    for rollout in range(begun):
        replay.begin().rewards.copy_(rollout + torch.arange(4) / 10)
    return replay


def learner_of(name: str, **change: Any) -> Any:
    """Return a learner with memory that has played four rollouts, of which three are kept."""
    args = settings_of(name, **R2D2 | {"preset": "mini", "games": 8, "horizon": 12, "minibatch": 96} | change)
    torch.manual_seed(1)
    learner: Any = named(name).algorithm(args, args.make_envs(args.make_config(), ALONE), ALONE)
    for _ in range(4):
        learner.collect()
    return learner


@torch.no_grad()
def errors_of(learner: iql.IQL, rows: torch.Tensor, price: float) -> torch.Tensor:
    """Return the errors (horizon, sequences) of IQL's values in the sequences ``rows``, as the settings define them."""
    args, some, found = learner.args, learner.replay.at(rows), []
    for network in (learner.learner, learner.target):
        logits, values = learner.outputs(network, some)
        found.append(q_values(logits, values[..., 0], some.masks))
    q, target = found
    best = target.gather(2, masked(q, some.masks).argmax(2, keepdim=True)).squeeze(2)[1:]
    rewards = some.rewards.clamp(min=0) + price * some.rewards.clamp(max=0)
    assert (some.rewards < 0).any()
    if args.n_step:
        returns = n_step_returns(rewards, some.dones, best, args.gamma, args.n_step)
    else:
        returns = returns_of(rewards, some.dones, best, args.gamma, args.q_lambda)
    return q[:-1].gather(2, some.actions[..., None]).squeeze(2) - returns


@pytest.mark.parametrize(
    "change",
    [
        {"importance": 0.6},
        {"importance": 1.0, "n_step": 0, "q_lambda": 0.5, "target_rate": 0.3},
        {"n_step": 2, "gamma": 0.9},
        {"priority": 0.0},
    ],
    ids=["importance", "lambda", "n-step", "no priorities"],
)
def test_an_update_is_that_of_the_settings(change: dict[str, Any]):
    """It draws sequences, weights their squared errors, and notes their new priorities; the target network follows."""
    learner = learner_of("iql", **change, trunk="float32")
    args, replay = learner.args, learner.replay
    for parameter in learner.target.parameters():
        torch.nn.init.normal_(parameter, std=0.1)
    replay.priorities.uniform_(0.1, 5.0)
    again = torch.Generator().set_state(learner.generator.get_state())
    rows, odds = replay.draw(8, again, args.priority)
    errors = errors_of(learner, rows, 0.25)
    weights = odds**-args.importance
    before = replay.priorities.clone(), [parameter.clone() for parameter in learner.target.parameters()]
    row = learner.update(8, 0.25)
    loss = (weights / weights.max() * errors.square()).mean()
    torch.testing.assert_close(row["loss"].detach(), loss)
    wanted = before[0].clone()
    if args.priority:
        wanted[rows] = priorities_of(errors)
    torch.testing.assert_close(replay.priorities, wanted)
    parameters = zip(learner.target.parameters(), before[1], learner.learner.parameters(), strict=True)
    for slow, was, fast in parameters:
        torch.testing.assert_close(slow, was + args.target_rate * (fast - was))


@pytest.mark.parametrize("passes", [1, 3])
def test_decisions_are_used_as_often_as_the_passes_say(passes: int):
    """Eight games play a sequence each, and an update draws four; the price of losing follows its schedule."""
    learner = learner_of("iql", passes=passes, minibatch=48, loss_ramp=0.5)
    update, told = learner.update, []
    learner.update = lambda count, price: told.append((count, price)) or update(count, price)
    assert learner.learn(0.25)["price_of_losing"] == 0.5
    assert told == [(4, 0.5)] * 2 * passes


def test_sequences_are_drawn_in_proportion_to_their_priorities():
    """Priorities 1, 2 and 3 with exponent 2, in 14,000 draws: 1,000, 4,000 and 9,000. False alarm: below 1e-8."""
    replay = memory_of(rollouts=2, begun=1)
    replay.priorities[:4] = torch.tensor([1.0, 2.0, 3.0, 1e-9])
    rows, odds = replay.draw(14_000, torch.Generator().manual_seed(1), exponent=2.0)
    found = np.bincount(rows, minlength=8)
    assert abs(found[0] - 1_000) < 180 and abs(found[1] - 4_000) < 320 and found[3:].sum() == 0
    mean = (1 + 4 + 9) / 4
    torch.testing.assert_close(odds, torch.tensor([1.0, 4.0, 9.0])[rows] / mean)
    rows, odds = replay.draw(14_000, torch.Generator().manual_seed(1))
    assert (np.bincount(rows)[:4] > 3_000).all() and (odds == 1).all()


def test_new_sequences_have_the_highest_priority():
    replay = memory_of(rollouts=2, begun=2)
    replay.priorities[:] = torch.tensor([5.0, 1, 1, 1, 2, 2, 2, 2])
    replay.begin()
    assert replay.priorities.tolist() == [5, 5, 5, 5, 2, 2, 2, 2]


def test_priorities_mix_the_largest_and_the_mean_error():
    errors = torch.tensor([[1.0, 0.0], [-3.0, 0.0]])
    assert priorities_of(errors).tolist() == pytest.approx([0.9 * 3 + 0.1 * 2, 1e-6])


def test_a_diverging_run_with_priorities_says_so(tmp_path: Path):
    """Errors that are no numbers have the largest priority, and the next draw goes on."""
    size = SMALL | {"steps": 8 * UPDATE, "passes": 8, "run_dir": tmp_path / "run"}
    args = iql.Args(**size, learning_rate=1e6, max_grad_norm=1e6)
    with pytest.raises(ValueError, match="training diverged"):
        train(args, iql.IQL)
    assert priorities_of(torch.tensor([[torch.nan, torch.inf, 1.0]])).tolist() == [1e6, 1e6, 1.0]


@pytest.mark.parametrize("name", ["iql", "vdn", "qmix", "sad"])
@torch.no_grad()
def test_sequences_begin_with_the_memories_after_those_before(name: str):
    """The replay memory keeps the last three of four rollouts, with memories in float16."""
    learner = learner_of(name)
    policy, games = learner.network, learner.envs.games
    memories = learner.replay.at(torch.arange(3 * games)).memories
    assert memories.std() > 0.02
    for row in (*range(games), *range(2 * games, 3 * games)):  # the oldest rollout is in the middle
        before = slow_memories(learner, policy, (row - games) % (3 * games))
        torch.testing.assert_close(memories[row], before, rtol=0, atol=2e-3)


def slow_memories(learner: Any, policy: Any, row: int) -> torch.Tensor:
    some = learner.replay.at(torch.tensor([row]))
    memories = list(some.memories[0])
    for t, player in enumerate(some.players[:-1, 0].tolist()):
        view = learner.own_view(some.observations[t])
        memories[player] = policy.step(view, memories[player][None])[2][0]
        if some.dones[t, 0]:
            memories = list(policy.initial_memory(len(memories)))
    return torch.stack(memories)
