import torch
from torchrl.envs import GymEnv, TransformedEnv
from torchrl.envs.transforms import ActionMask, Compose, DTypeCastTransform

env = GymEnv("hanabako:hanabako/HanabiSeat-v0", preset="mini", categorical_action_encoding=True)
as_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])  # the dtype that MaskedCategorical needs
env = TransformedEnv(env, Compose(as_bool, ActionMask()))
rollout = env.rollout(50)  # random legal actions, with random partners at the other seats
print(rollout["observation"].shape, rollout["next", "reward"].sum())
