"""A network with a model of its partner: it predicts the next player's action, and reads its own prediction (E3T)."""

from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from typing_extensions import override

from .network import DenseNetwork, Outputs, RoundedLinear
from .packing import to_numbers


class ModellingDenseNetwork(DenseNetwork):
    """A `DenseNetwork` whose input has the probabilities of the next player's actions too, as predicted by a model.

    The model is a second trunk of the same size on the same observation, with a head of its own. No gradient flows from
    the policy back to the model: it learns from the actions that the next player took. The features in its outputs are
    the logits of the next player's action.

    Args:
        config: the game's config.
        width: units per hidden layer, of the policy and of the model.
        layers: hidden layers of each.
    """

    kind = "modelling-dense"

    def __init__(self, config: Any, width: int, layers: int) -> None:
        super().__init__(config, width, layers)
        bits = 64 * self.words
        self.trunk[0] = RoundedLinear(bits + self.actions, width)
        self.model = nn.ModuleList(RoundedLinear(n, m) for n, m in pairwise([bits] + [width] * layers))
        self.model_head = nn.Linear(width, self.actions)
        nn.init.orthogonal_(self.model_head.weight, 0.01)
        nn.init.zeros_(self.model_head.bias)

    @override
    def step(self, words: Tensor, memory: Tensor | None = None) -> Outputs:
        bits = to_numbers(self.changed(words), self.trunk_dtype)
        x = bits
        for layer in self.model:
            x = F.relu(layer(x))
        predicted = self.model_head(x.float())
        x = torch.cat([bits, predicted.detach().softmax(1).to(bits.dtype)], 1)
        for layer in self.trunk:
            x = F.relu(layer(x))
        out = self.head(x.float())
        return Outputs(out[:, :-1], out[:, -1], None, predicted)
