"""PPO in one file in the style of CleanRL, for any vector environment with action masks in its observations."""

import time
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

HORIZON, EPOCHS, MINIBATCHES, DISCOUNT, TRACE, CLIP = 32, 2, 4, 0.99, 0.95, 0.2


class Network(nn.Module):
    """A network with two hidden layers, masked logits and a value."""

    def __init__(self, bits: int, actions: int, width: int = 128) -> None:
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(bits, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.logits, self.value = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (N, A), -1e9 where the mask is 0, and values (N,)."""
        features = self.trunk(seen.float())
        return self.logits(features).masked_fill(mask == 0, -1e9), self.value(features)[:, 0]


def tensors(observation: dict[str, np.ndarray]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the observation's arrays as tensors, without copying."""
    return torch.from_dlpack(observation["observation"]), torch.from_dlpack(observation["action_mask"])


def ppo(envs: Any, network: Network, seconds: float) -> int:
    """Train on a vector environment for some seconds; return the number of decisions."""
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    observation, _ = envs.reset(seed=1)
    steps, end = 0, time.monotonic() + seconds
    while time.monotonic() < end:
        steps += HORIZON * envs.num_envs
        rows = []
        for _ in range(HORIZON):
            seen, mask = tensors(observation)
            with torch.no_grad():
                logits, value = network(seen, mask)
            policy = Categorical(logits=logits)
            action = policy.sample()
            observation, reward, terminated, truncated, _ = envs.step(action.numpy())
            ended = torch.from_numpy(terminated | truncated)
            rows.append((seen, mask, action, policy.log_prob(action), value, torch.from_numpy(reward).float(), ended))
        with torch.no_grad():
            following = network(*tensors(observation))[1]
        update(network, optimizer, [torch.stack(column) for column in zip(*rows, strict=True)], following)
    return steps


def update(network: Network, optimizer: Any, columns: list[torch.Tensor], following: torch.Tensor) -> None:
    """Update the network by epochs of minibatches over the last steps (T, N, ...)."""
    *_, value, reward, ended = columns
    advantage, trace = torch.zeros_like(reward), torch.zeros_like(following)
    for t in reversed(range(len(reward))):
        goes_on = 1.0 - ended[t].float()
        trace = reward[t] + DISCOUNT * following * goes_on - value[t] + DISCOUNT * TRACE * goes_on * trace
        advantage[t], following = trace, value[t]
    targets = (advantage + value).flatten()
    seen, mask, action, before = (column.flatten(0, 1) for column in columns[:4])
    for _ in range(EPOCHS):
        for chosen in torch.randperm(len(targets)).chunk(MINIBATCHES):
            logits, values = network(seen[chosen], mask[chosen])
            policy = Categorical(logits=logits)
            gain = advantage.flatten()[chosen]
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            ratio = (policy.log_prob(action[chosen]) - before[chosen]).exp()
            gained = torch.min(ratio * gain, ratio.clamp(1 - CLIP, 1 + CLIP) * gain) + 0.01 * policy.entropy()
            loss = -gained.mean() + 0.5 * (values - targets[chosen]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()
