"""PufferLib: the vector environment as a native ``PufferEnv``, which writes into PufferLib's buffers."""

from typing import Any

import numpy as np
from gymnasium.spaces import Box
from pufferlib.pufferlib import PufferEnv

from benchmarks.clients.cleanrl_loop import Network, ppo
from benchmarks.clients.judge import Outcome, score_of_all_seats
from hanabi_env import HanabiVectorEnv


class Native(PufferEnv):
    """The vector environment with one agent per table; each row is the observation bits followed by the mask."""

    def __init__(self, envs: HanabiVectorEnv, buf: Any = None) -> None:
        self.envs, self.bits = envs, envs.game.observation_bits
        self.single_observation_space = Box(0, 1, (self.bits + envs.game.num_actions,), np.int8)
        self.single_action_space, self.num_agents = envs.single_action_space, envs.num_envs
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list]:
        """Begin games."""
        return self._write(self.envs.reset(seed=seed)[0]), []

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, list]:
        """Make one decision at every table."""
        observation, self.rewards[:], self.terminals[:], _, _ = self.envs.step(actions)
        return self._write(observation), self.rewards, self.terminals, self.truncations, []

    def _write(self, observation: dict[str, np.ndarray]) -> np.ndarray:
        self.observations[:, : self.bits] = observation["observation"]
        self.observations[:, self.bits :] = observation["action_mask"]
        return self.observations

    def close(self) -> None:
        """Close the games."""
        self.envs.close()


class Unpacked:
    """A native environment for the loop of `benchmarks.clients.cleanrl_loop`, with copied bits and masks by name."""

    def __init__(self, env: Native) -> None:
        self.env, self.num_envs = env, env.num_agents

    def named(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """Return the two parts of every row by name."""
        return {"observation": rows[:, : self.env.bits].copy(), "action_mask": rows[:, self.env.bits :].copy()}

    def reset(self, seed: int) -> tuple[dict[str, np.ndarray], list]:
        """Begin games."""
        rows, infos = self.env.reset(seed)
        return self.named(rows), infos

    def step(self, actions: np.ndarray) -> tuple[Any, ...]:
        """Make one decision at every table."""
        rows, *rest, infos = self.env.step(actions)
        return self.named(rows), *(array.copy() for array in rest), infos


def train(seconds: float) -> Outcome:
    """Train in self-play on 256 tables."""
    env = Native(HanabiVectorEnv(256, preset="mini", seed=1))
    network = Network(env.bits, env.envs.game.num_actions)
    before = score_of_all_seats(network.act)
    clock = ppo(Unpacked(env), network, seconds)
    return Outcome("PPO", "all seats", before, score_of_all_seats(network.act), clock.steps, clock.seconds)
