"""Gradient descent by Adam (Kingma and Ba 2015): all ranks take the same steps, at a rate that falls by the budget."""

from typing import Any

import torch
from torch import Tensor, nn

from .ranks import Ranks

__all__ = ["Descent"]


class Descent:
    """What makes a network's loss smaller.

    Args:
        network: what learns; its weights are equal on all ranks.
        ranks: that learn together.
        rate: Adam's learning rate at the start.
        rate_end: and at the end of the budget; between them it falls linearly.
        max_norm: longer gradients are shortened to this norm.
    """

    def __init__(self, network: nn.Module, ranks: Ranks, rate: float, rate_end: float, max_norm: float) -> None:
        self.network, self.ranks = network, ranks
        self.rate, self.rate_end, self.max_norm = rate, rate_end, max_norm
        self.optimizer = torch.optim.Adam(network.parameters(), lr=rate, eps=1e-5, fused=True)

    def set_rate(self, fraction: float) -> float:
        """Take the learning rate of when that fraction of the budget, 0 to 1, is spent; returns it."""
        rate = self.rate + (self.rate_end - self.rate) * fraction
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def step(self, loss: Tensor) -> Tensor:
        """One step down the mean of all ranks' gradients, whose norm is returned."""
        self.optimizer.zero_grad()
        loss.backward()
        self.ranks.average_gradients(self.network)
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.max_norm)
        self.optimizer.step()
        return norm

    def state(self) -> dict[str, Any]:
        """The weights and what Adam keeps."""
        return {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`; other entries are left alone."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
