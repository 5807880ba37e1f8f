import gymnasium
import torch
from hanabako.envs.sb3 import SB3VecEnv
from sb3_contrib import MaskablePPO

torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
envs = SB3VecEnv(gymnasium.make_vec("hanabako:hanabako/HanabiSeat-v0", 256, preset="mini", partners="smart"))
agent = MaskablePPO("MultiInputPolicy", envs, n_steps=32, batch_size=2048)
agent.learn(8192)
