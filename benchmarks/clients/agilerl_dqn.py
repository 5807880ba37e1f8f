"""AgileRL: its masked DQN and replay memory on the vector environment."""

import numpy as np
from agilerl.algorithms import DQN
from agilerl.components import ReplayBuffer
from agilerl.components.data import Transition
from gymnasium.spaces import Box

from benchmarks.clients.judge import Clock, Outcome, score_of_all_seats
from hanabi_env import HanabiVectorEnv


def train(seconds: float) -> Outcome:
    """Train in self-play on 32 tables; the next state is the next player's observation."""
    envs = HanabiVectorEnv(32, preset="mini", seed=1, specialize=True)
    space = Box(0, 1, (envs.game.observation_bits,), np.float32)
    agent = DQN(space, envs.single_action_space, batch_size=128, lr=1e-3, tau=0.01, normalize_images=False)
    memory = ReplayBuffer(50_000)

    def act(observation: dict[str, np.ndarray], epsilon: float = 0.0) -> np.ndarray:
        seen = observation["observation"].astype(np.float32)
        return agent.get_action(seen, epsilon=epsilon, action_mask=observation["action_mask"])

    before, clock = score_of_all_seats(act), Clock(seconds)
    observation, _ = envs.reset()
    while clock.starts(envs.num_envs):
        seen, actions = observation["observation"], act(observation, max(0.1, 1 - clock.steps / 30_000))
        observation, reward, done, _, _ = envs.step(actions)
        following = observation["observation"].astype(np.float32)
        seen = seen.astype(np.float32)
        step = Transition(obs=seen, action=actions, reward=reward, next_obs=following, done=done).to_tensordict()
        step.batch_size = [envs.num_envs]
        memory.add(step)
        if len(memory) > 1000:
            agent.learn(memory.sample(agent.batch_size))
    return Outcome("DQN", "all seats", before, score_of_all_seats(act), clock.steps, clock.seconds)
