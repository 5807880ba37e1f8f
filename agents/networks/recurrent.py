"""A network with memory: a gated recurrent unit over a player's own decisions (Cho et al. 2014)."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from .network import Network, RoundedLinear, start_head
from .packing import to_numbers

__all__ = ["RecurrentNetwork"]


class RecurrentNetwork(Network):
    """A multilayer perceptron, a gated recurrent unit, and a linear head with the value as its last output.

    Each player of each game has its own memory, which starts at zero and changes with that player's decisions. As in
    `agents.networks.network.DenseNetwork`, bits that are set in every opening are inverted.

    Args:
        config: the game's config.
        width: units per hidden layer, and numbers per memory.
        layers: number of hidden layers before the recurrent unit.
        views: see `Network`.
    """

    kind = "recurrent"
    usual_width = 256

    def __init__(self, config: Any, width: int, layers: int, views: int = 1) -> None:
        super().__init__(config, views, width=width, layers=layers)
        self.width = width
        sizes = [64 * self.words] + [width] * (layers - 1)
        self.trunk = nn.ModuleList(RoundedLinear(size, width) for size in sizes)
        self.cell = nn.GRUCell(width, width)
        nn.init.orthogonal_(self.cell.weight_hh)
        self.head = nn.Linear(width, self.actions + 1)
        start_head(self.head)

    def step(self, words: Tensor, memory: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
        """See `Network.step`."""
        x = to_numbers(self.changed(words), self.trunk_dtype)
        for layer in self.trunk:
            x = F.relu(layer(x))
        memory = self.initial_memory(len(words)) if memory is None else memory
        memory = self.cell(x.float(), memory)
        out = self.head(memory)
        return out[:, :-1], out[:, -1], memory

    def initial_memory(self, count: int) -> Tensor:
        """See `Network.initial_memory`."""
        return torch.zeros(count, self.width, device=self.opening.device)
