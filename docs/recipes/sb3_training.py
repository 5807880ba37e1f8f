from dataclasses import replace

import gymnasium
import pandas as pd
import torch
from hanabako.drawing.charts import chart, reference, save
from hanabako.envs.sb3 import SB3VecEnv
from hanabi_env import PRESETS
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecMonitor

torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
GAMES, DECISIONS = 256, 500_000
CONFIG = replace(PRESETS["mini"], derived=True)


def train():
    """Train for `DECISIONS`, and keep the policy and the curve."""
    games = gymnasium.make_vec("hanabako:hanabako/HanabiSeat-v0", GAMES, config=CONFIG, partners="smart")
    agent = MaskablePPO("MultiInputPolicy", VecMonitor(SB3VecEnv(games)), n_steps=32, batch_size=2048)
    agent.set_logger(configure("sb3_log", ["stdout", "csv"]))
    agent.learn(DECISIONS)
    agent.save("sb3_training.zip")

    log = pd.read_csv("sb3_log/progress.csv")
    title = "Hanabi mini, MaskablePPO with smart"
    figure, axes = chart(title, "decisions of the seat (thousands)", "points per game while learning", ylim=(0, 9.4))
    axes.plot(log["time/total_timesteps"] / 1e3, log["rollout/ep_rew_mean"])
    reference(axes, 9, "highest score")
    save("sb3_training.png", figure)


class Agent:
    config = CONFIG  # what `act` is given, as int8, whatever the others at the table see

    def __init__(self):
        self.model = MaskablePPO.load("sb3_training.zip")

    def act(self, observation, mask, noise):
        seen = {"observation": observation, "action_mask": mask}
        return self.model.predict(seen, action_masks=mask, deterministic=True)[0]


if __name__ == "__main__":
    train()
