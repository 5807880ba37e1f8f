import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_util import make_vec_env

torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
envs = make_vec_env("hanabako:hanabako/HanabiSeat-v0", 8, env_kwargs={"preset": "mini"})
agent = MaskablePPO("MultiInputPolicy", envs, n_steps=64)
agent.learn(512)
