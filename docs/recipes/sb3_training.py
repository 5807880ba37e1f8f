import gymnasium
import pandas as pd
import torch
from hanabako.drawing.charts import chart, reference, save
from hanabako.envs.sb3 import SB3VecEnv
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecMonitor

torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
GAMES, DECISIONS = 256, 500_000
games = gymnasium.make_vec("hanabako:hanabako/HanabiSeat-v0", GAMES, preset="mini", derived=True, partners="smart")
agent = MaskablePPO("MultiInputPolicy", VecMonitor(SB3VecEnv(games)), n_steps=32, batch_size=2048)
agent.set_logger(configure("sb3_log", ["stdout", "csv"]))
agent.learn(DECISIONS)

log = pd.read_csv("sb3_log/progress.csv")
title = "Hanabi mini, MaskablePPO with smart"
figure, axes = chart(title, "decisions of the seat (thousands)", "points per game while learning", ylim=(0, 9.4))
axes.plot(log["time/total_timesteps"] / 1e3, log["rollout/ep_rew_mean"])
reference(axes, 9, "highest score")
save("sb3_training.png", figure)
