import numpy as np
from gymnasium.spaces import Box
from hanabi_env import HanabiVectorEnv
from pufferlib.pufferlib import PufferEnv


class Native(PufferEnv):
    """The vector environment in PufferLib's buffers: each row is the observation bits followed by the mask."""

    def __init__(self, envs, buf=None):
        self.envs, self.num_agents, self.single_action_space = envs, envs.num_envs, envs.single_action_space
        self.single_observation_space = Box(0, 1, (envs.game.observation_bits + envs.game.num_actions,), np.int8)
        super().__init__(buf)

    def reset(self, seed=None):
        return self.write(self.envs.reset(seed=seed)[0]), []

    def step(self, actions):
        seen, self.rewards[:], self.terminals[:], self.truncations[:], _ = self.envs.step(actions)
        return self.write(seen), self.rewards, self.terminals, self.truncations, []

    def write(self, seen):
        self.observations[:] = np.concatenate([seen["observation"], seen["action_mask"]], axis=1)
        return self.observations


env, actions = Native(HanabiVectorEnv(256, preset="mini", seed=1)), HanabiVectorEnv(1, preset="mini").game.num_actions
observations, infos = env.reset()
for _ in range(100):
    observations, rewards, *_ = env.step(observations[:, -actions:].argmax(axis=1))
