import torch
from hanabako.envs.rllib import rllib_env
from hanabi_env import hanabi_v0
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule as Masking
from ray.tune.registry import register_env

torch.set_num_threads(1)  # more are slower for small networks, above all on a busy machine
register_env("mini", lambda _: rllib_env(hanabi_v0.env(preset="mini")))
config = PPOConfig().environment("mini").env_runners(num_env_runners=0).rl_module(rl_module_spec=RLModuleSpec(Masking))
config.multi_agent(policies={"all"}, policy_mapping_fn=lambda *_, **__: "all").build_algo().train()
