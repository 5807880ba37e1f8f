"""Adam (Kingma and Ba 2015) on all ranks in step, with a learning rate that follows the budget."""

from typing import Any

import torch
from torch import Tensor, nn

from .ranks import Ranks


class Descent:
    """The optimizer of a network.

    Args:
        network: the network that learns; its weights are equal on all ranks.
        ranks: the ranks that train together.
        rate: Adam's learning rate at the start.
        rate_end: the learning rate at the end of the budget.
        max_norm: longer gradients are scaled down to this norm.
        hold: the fraction of the budget over which the rate stays as at the start; then it changes linearly.
    """

    def __init__(
        self, network: nn.Module, ranks: Ranks, rate: float, rate_end: float, max_norm: float, hold: float = 0.0
    ) -> None:
        self.network, self.ranks = network, ranks
        self.rate, self.rate_end, self.hold, self.max_norm = rate, rate_end, hold, max_norm
        self.optimizer = torch.optim.Adam(network.parameters(), lr=rate, eps=1e-5, fused=True)

    def set_rate(self, fraction: float) -> float:
        """Set and return the learning rate for ``fraction`` of the budget spent, 0 to 1."""
        falling = 0.0 if fraction <= self.hold else (fraction - self.hold) / (1 - self.hold)
        rate = self.rate + (self.rate_end - self.rate) * falling
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    def step(self, loss: Tensor) -> Tensor:
        """Take one step along the mean gradient of all ranks and return its norm before clipping."""
        self.optimizer.zero_grad()
        loss.backward()
        self.ranks.average_gradients(self.network)
        norm = torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.max_norm)
        self.optimizer.step()
        return norm

    def state(self) -> dict[str, Any]:
        """Return the weights and Adam's state."""
        return {"network": self.network.state_dict(), "optimizer": self.optimizer.state_dict()}

    def restore(self, state: dict[str, Any]) -> None:
        """The inverse of `state`; other entries are ignored."""
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
