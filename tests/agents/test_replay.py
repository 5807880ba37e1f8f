"""The replay memory: priorities, the sequences before others, and memories that are renewed before learning."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from agents.learning import iql, qmix, sad, vdn
from agents.learning.common.q_learner import priorities_of
from agents.learning.common.ranks import Ranks
from agents.learning.common.replay import ReplayMemory
from agents.learning.common.selfplay import SelfPlayEnvs
from agents.learning.common.trainer import train
from tests.agents.tiny_runs import SMALL, UPDATE, assert_resumes

ALONE = Ranks(0, 1, torch.device("cpu"))
ALGORITHMS: dict[str, Any] = {
    "iql": (iql.IQL, iql.Args),
    "vdn": (vdn.VDN, vdn.Args),
    "qmix": (qmix.QMIX, qmix.Args),
    "sad": (sad.SAD, sad.Args),
}
R2D2 = {"network": "recurrent", "n_step": 3, "burn_in": True, "priority": 0.9, "rollouts": 3}


def memory_of(rollouts: int, begun: int) -> ReplayMemory:
    """Return a replay memory of 4 games, in which every reward is its rollout's number."""
    envs: Any = SimpleNamespace(games=4, actions=3, config=SimpleNamespace(players=2))
    replay = ReplayMemory(rollouts, 2, envs, words=1, numbers=0, device=torch.device("cpu"))
    for rollout in range(begun):
        replay.begin().rewards.copy_(rollout + torch.arange(4) / 10)
    return replay


def learner_of(name: str) -> Any:
    """Return a learner with memory that has played four rollouts, of which three are kept."""
    kind, settings = ALGORITHMS[name]
    args = settings(**SMALL | R2D2 | {"preset": "mini", "games": 8, "horizon": 12, "minibatch": 96})
    torch.manual_seed(1)
    envs = getattr(kind, "Envs", SelfPlayEnvs)(args.make_config(), 8, 1, ALONE)
    learner = kind(args, envs, ALONE)
    for _ in range(4):
        learner.collect()
    return learner


@pytest.mark.parametrize("begun", [1, 2, 3, 4, 7])
def test_the_sequence_before_is_that_of_the_same_game(begun: int):
    replay = memory_of(rollouts=3, begun=begun)
    rows = torch.arange(4 * min(begun, 3))
    before, are_kept = replay.before(rows)
    now, then = (replay.at(some).rewards[0] for some in (rows, before))
    assert are_kept.tolist() == (now.floor() > max(begun - 3, 0)).tolist()
    torch.testing.assert_close((now - then)[are_kept], torch.ones(int(are_kept.sum())))


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
    args = iql.Args(
        **SMALL | {"steps": 8 * UPDATE}, passes=8, learning_rate=1e6, max_grad_norm=1e6, run_dir=tmp_path / "run"
    )
    with pytest.raises(ValueError, match="training diverged"):
        train(args, iql.IQL)
    assert priorities_of(torch.tensor([[torch.nan, torch.inf, 1.0]])).tolist() == [1e6, 1e6, 1.0]


@pytest.mark.parametrize("name", ALGORITHMS)
@torch.no_grad()
def test_burn_in_makes_the_memories_that_the_network_would_have_had(name: str):
    """With the weights of play they are those that were kept, to float16; with others, those of a plain loop."""
    learner = learner_of(name)
    rows = torch.arange(24)
    some = learner.replay.at(rows)
    renewed = learner.renewed(learner.learner, rows, some.memories)
    torch.testing.assert_close(renewed, some.memories, rtol=0, atol=2e-3)
    assert some.memories.std() > 0.02
    policy = learner.policy_of(learner.learner)
    for weights in policy.parameters():
        weights.add_(0.3 * torch.randn_like(weights))
    renewed = learner.renewed(learner.learner, rows, some.memories)
    before, are_kept = learner.replay.before(rows)
    assert are_kept.sum() == 16
    assert torch.equal(renewed[~are_kept], some.memories[~are_kept])
    for row in rows[are_kept].tolist():
        torch.testing.assert_close(renewed[row], slow_memories(learner, policy, int(before[row])), rtol=1e-4, atol=1e-4)


def slow_memories(learner: Any, policy: Any, row: int) -> torch.Tensor:
    """Return the players' memories (players, numbers) after a sequence, by a plain loop."""
    some = learner.replay.at(torch.tensor([row]))
    memories = list(some.memories[0])
    for t, player in enumerate(some.players[:-1, 0].tolist()):
        view = learner.own_view(some.observations[t])
        memories[player] = policy.step(view, memories[player][None])[2][0]
        if some.dones[t, 0]:
            memories = list(policy.initial_memory(len(memories)))
    return torch.stack(memories)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_run_like_r2d2_resumes_to_the_last_bit(name: str, tmp_path: Path):
    kind, settings = ALGORITHMS[name]
    assert_resumes(partial(train, algorithm=kind), settings(**SMALL | R2D2, steps=4 * UPDATE), tmp_path)


def test_a_burn_in_without_memory_is_refused(tmp_path: Path):
    args = iql.Args(**SMALL, burn_in=True, run_dir=tmp_path / "run")
    with pytest.raises(ValueError, match="burn_in must be false for a network without memory"):
        train(args, iql.IQL)
    assert not (tmp_path / "run").exists()


def test_a_burn_in_needs_the_rollout_before(tmp_path: Path):
    args = iql.Args(**SMALL, network="recurrent", burn_in=True, rollouts=1, run_dir=tmp_path / "run")
    with pytest.raises(ValueError, match="rollouts must be at least 2 with burn_in"):
        train(args, iql.IQL)
