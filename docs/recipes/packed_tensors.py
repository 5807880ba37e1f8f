import torch
import hanabako
from hanabi_env import HanabiVectorEnv

envs = HanabiVectorEnv(256, preset="mini", observation="packed", seed=1)
observations, infos = envs.reset()
words = torch.from_dlpack(observations["observation"])  # no copy, and an eighth of the bytes to send to a GPU
bits = hanabako.unpack(words, envs.game.observation_bits).float()
mask = torch.from_dlpack(observations["action_mask"])
print(words.dtype, bits.shape, int(mask.sum()))
