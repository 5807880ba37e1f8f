import time

import torch
from hanabako.drawing.charts import chart, reference, save
from hanabako.envs.rllib import rllib_env
from hanabi_env import hanabi_v0
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule as Masking
from ray.tune.registry import register_env

torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
PLAYERS, SECONDS = 2, 120
register_env("mini", lambda _: rllib_env(hanabi_v0.env(preset="mini", derived=True)))
config = PPOConfig().environment("mini").rl_module(rl_module_spec=RLModuleSpec(Masking))
config.multi_agent(policies={"all"}, policy_mapping_fn=lambda *_, **__: "all").training(lr=3e-4)
algorithm = config.build_algo()

curve, begun = [], time.time()
while time.time() < begun + SECONDS:
    found = algorithm.train()["env_runners"]
    curve.append((time.time() - begun, found["episode_return_mean"] / PLAYERS))
    print(f"{curve[-1][0]:5.0f} s: {curve[-1][1]:.2f} points per game")
algorithm.stop()

figure, axes = chart("Hanabi mini, RLlib's PPO", "seconds", "points per game while learning", ylim=(0, 9.4))
axes.plot(*zip(*curve))
reference(axes, 9, "highest score")
save("rllib_training.png", figure)
