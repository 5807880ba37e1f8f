"""Tianshou: two DQNs that play together in its ``PettingZooEnv``, which reads our masks unchanged.

Its replay memory rejects info entries that are strings or appear only at the end of an episode, so `Silent` drops them.
"""

from typing import Any

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from benchmarks.clients.judge import Clock, Outcome, greedy, score_of_all_seats
from hanabi_env import hanabi_v0

STEPS = 500


class Silent(PettingZooEnv):
    """Tianshou's environment with empty infos."""

    def step(self, action: Any) -> tuple[Any, ...]:
        """Make Tianshou's step, with an empty info."""
        return *super().step(action)[:4], {}


def make_env() -> PettingZooEnv:
    """Return an environment with one game."""
    return Silent(hanabi_v0.env(preset="mini"))


def make_dqn(env: PettingZooEnv) -> DQN:
    """Return the DQN of one player."""
    shape, actions = env.observation_space["observation"].shape, env.action_space.n
    network = Net(state_shape=shape, action_shape=actions, hidden_sizes=[128, 128])
    policy = DiscreteQLearningPolicy(model=network, action_space=env.action_space, eps_training=0.1)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), n_step_return_horizon=2, target_update_freq=200)


def train(seconds: float) -> Outcome:
    """Train on ten parallel games."""
    env = make_env()
    learners = [make_dqn(env) for _ in env.agents]
    both = MultiAgentOffPolicyAlgorithm(algorithms=learners, env=env)
    collector = Collector(both, DummyVectorEnv([make_env] * 10), VectorReplayBuffer(50_000, 10), exploration_noise=True)

    @torch.no_grad()
    def act(observation: dict[str, np.ndarray]) -> np.ndarray:
        values, _ = learners[0].policy.model(observation["observation"])
        return greedy(values.numpy(), observation["action_mask"])

    before, clock = score_of_all_seats(act), Clock(seconds)
    while clock.starts(STEPS):
        settings = {"max_epochs": 1, "epoch_num_steps": STEPS, "collection_step_num_env_steps": 50, "batch_size": 64}
        settings |= {"update_step_num_gradient_steps_per_sample": 0.1, "verbose": False, "show_progress": False}
        both.run_training(OffPolicyTrainerParams(training_collector=collector, test_collector=None, **settings))
    return Outcome("2 DQN", "all seats", before, score_of_all_seats(act), clock.steps, clock.seconds)
