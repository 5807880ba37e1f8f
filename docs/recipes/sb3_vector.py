import torch
from hanabako.envs.sb3 import SB3VecEnv
from hanabi_env import HanabiVectorEnv
from sb3_contrib import MaskablePPO

torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
envs = SB3VecEnv(HanabiVectorEnv(256, preset="mini", seed=1))
agent = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=2048)
agent.learn(8192)
