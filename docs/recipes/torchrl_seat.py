from torchrl.envs import GymEnv, TransformedEnv
from torchrl.envs.transforms import ActionMask

env = TransformedEnv(GymEnv("hanabi_env:hanabako/HanabiSeat-v0", preset="mini"), ActionMask())
rollout = env.rollout(50)  # random legal actions, with random partners at the other seats
print(rollout["observation"].shape, rollout["next", "reward"].sum())
