"""RLlib: its PPO with the masking network of its examples, one policy for all players."""

from typing import Any

import numpy as np
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from benchmarks.clients.judge import Clock, Outcome, greedy, score_of_all_seats
from hanabako.envs.rllib import RLlibObservations
from hanabi_env import hanabi_v0


def make_env(_: Any) -> PettingZooEnv:
    """Return an environment with one game."""
    return PettingZooEnv(RLlibObservations(hanabi_v0.env(preset="mini")))


def train(seconds: float) -> Outcome:
    """Train in this process, without workers."""
    register_env("mini", make_env)
    config = (
        PPOConfig()
        .environment("mini")
        .env_runners(num_env_runners=0)
        .training(train_batch_size=1024, minibatch_size=128, num_epochs=4, lr=1e-3)
        .multi_agent(policies={"shared"}, policy_mapping_fn=lambda *_, **__: "shared")
        .rl_module(rl_module_spec=RLModuleSpec(ActionMaskingTorchRLModule, model_config={"fcnet_hiddens": [128, 128]}))
    )
    agent = config.build_algo()

    @torch.no_grad()
    def act(observation: dict[str, np.ndarray]) -> np.ndarray:
        batch = {"observations": observation["observation"], "action_mask": observation["action_mask"]}
        batch = {name: torch.from_numpy(rows).float() for name, rows in batch.items()}
        logits = agent.get_module("shared").forward_inference({"obs": batch})["action_dist_inputs"]
        return greedy(logits.numpy(), observation["action_mask"])

    before, clock = score_of_all_seats(act), Clock(seconds)
    while clock.runs():
        agent.train()
        clock.steps += 1024
    after = score_of_all_seats(act)
    agent.stop()
    return Outcome("PPO", "all seats", before, after, clock.steps, clock.seconds)
