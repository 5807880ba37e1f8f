from hanabi_env import hanabi_v0
from torchrl.envs import PettingZooWrapper

env = PettingZooWrapper(hanabi_v0.env(preset="mini"), use_mask=True)
print(env.rollout(50)["player_0", "observation", "observation"].shape)
