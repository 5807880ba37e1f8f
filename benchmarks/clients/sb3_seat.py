"""sb3-contrib: MaskablePPO on one seat with a random partner, made in the usual way of SB3."""

from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from benchmarks.clients.judge import Clock, Outcome, score_of_one_seat


class UntilThen(BaseCallback):
    """Ends the training when the time is over."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self.clock = Clock(seconds)

    def _on_step(self) -> bool:
        return self.clock.runs(self.training_env.num_envs)


def actions_of(agent: Any) -> Any:
    """Return the function by which ``agent`` acts greedily."""

    def act(observation: dict[str, np.ndarray]) -> np.ndarray:
        return agent.predict(observation, action_masks=observation["action_mask"] != 0, deterministic=True)[0]

    return act


def train(seconds: float) -> Outcome:
    """Train on eight parallel games, one seat each."""
    envs = make_vec_env("hanabako:hanabako/HanabiSeat-v0", 8, env_kwargs={"preset": "mini"}, seed=1)
    agent = MaskablePPO("MultiInputPolicy", envs, n_steps=128, batch_size=256, n_epochs=4, seed=1, device="cpu")
    act = actions_of(agent)
    before, until = score_of_one_seat(act), UntilThen(seconds)
    agent.learn(10**9, callback=until)
    after = score_of_one_seat(act)
    return Outcome("MaskablePPO", "one seat", before, after, until.clock.steps, until.clock.seconds)
