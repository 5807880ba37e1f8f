"""TorchRL: its PPO with masks on one seat with a random partner, through ``GymEnv``."""

from typing import Any

import numpy as np
import torch
from tensordict.nn import ProbabilisticTensorDictSequential, TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import GymEnv, TransformedEnv
from torchrl.envs.transforms import ActionMask, Compose, DTypeCastTransform
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from benchmarks.clients.judge import Clock, Outcome, greedy, score_of_one_seat

FRAMES = 1024


class Bits(nn.Module):
    """A layer that converts the observation's bits to floats."""

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        """Return float32 (N, n)."""
        return seen.float()


def make_env() -> Any:
    """Return an environment with one seat, found by its id."""
    env = GymEnv("hanabako:hanabako/HanabiSeat-v0", preset="mini", categorical_action_encoding=True)
    as_bool = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])  # MaskedCategorical wants it
    return TransformedEnv(env, Compose(as_bool, ActionMask()))


def layers(bits: int, out: int) -> nn.Module:
    """Return a network with two hidden layers."""
    return nn.Sequential(Bits(), nn.Linear(bits, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, out))


def actor_of(logits: nn.Module, space: Any) -> ProbabilisticTensorDictSequential:
    """Return a policy that samples legal actions by the logits."""
    module = TensorDictModule(logits, in_keys=["observation"], out_keys=["logits"])
    keys = {"logits": "logits", "mask": "action_mask"}
    return ProbabilisticActor(
        module, in_keys=keys, spec=space, distribution_class=MaskedCategorical, return_log_prob=True
    )


def train(seconds: float) -> Outcome:
    """Train on one environment, which TorchRL steps from Python."""
    env = make_env()
    bits, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
    logits, value = layers(bits, actions), layers(bits, 1)
    actor, critic = actor_of(logits, env.action_spec), ValueOperator(value, in_keys=["observation"])
    advantage, loss = GAE(gamma=0.99, lmbda=0.95, value_network=critic), ClipPPOLoss(actor, critic)
    optimizer = torch.optim.Adam(loss.parameters(), lr=1e-3)

    @torch.no_grad()
    def act(observation: dict[str, np.ndarray]) -> np.ndarray:
        return greedy(logits(torch.from_numpy(observation["observation"])).numpy(), observation["action_mask"])

    before, clock = score_of_one_seat(act), Clock(seconds)
    for batch in Collector(env, actor, frames_per_batch=FRAMES, total_frames=-1):
        for _ in range(4):
            advantage(batch)
            for chosen in torch.randperm(FRAMES).chunk(4):
                losses = loss(batch[chosen])
                optimizer.zero_grad()
                torch.stack([losses[f"loss_{name}"] for name in ("objective", "critic", "entropy")]).sum().backward()
                optimizer.step()
        if not clock.runs(FRAMES):
            break
    return Outcome("ClipPPOLoss", "one seat", before, score_of_one_seat(act), clock.steps, clock.seconds)
