"""SAD (Hu & Foerster 2020), also with Other-Play (Hu et al. 2020) or the auxiliary task: a recurrent network.

The file is one of https://github.com/facebookresearch/hanabi_SAD (``.pthw``).
"""

import re
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from typing_extensions import override

from hanabi_env.config import HanabiConfig
from hanabi_env.engine.observation import section_index

from .standard import Hidden, PublishedNetwork, relu_layers, standard_game
from .tensors import filled, matrix, read_tensors, without

__all__ = ["SadNetwork", "read"]

OF_LEARNING = ("fc_v", "pred", "pred_1st")
"""Modules that are used only in training."""
SKIPS = re.compile(r"M([345]|9|10|11)\.pthw")
"""File names of networks with a skip connection, among the runs ``M0.pthw`` to ``M11.pthw`` of the Other-Play paper."""


class SadNetwork(PublishedNetwork):
    """Dense layers, then recurrent layers; outputs advantages.

    The input is an empty section for the player's own hand, the V0 input, and the last player's greedy action, encoded
    like the last action. Here players play greedily, so the last action is repeated.

    Args:
        game, width, layers: see `PublishedNetwork`.
        inputs: number of inputs, which says whether the greedy action is among them.
        dense: number of dense layers.
        skips: whether the dense layers' output is added to that of the recurrent layers.
    """

    def __init__(self, game: HanabiConfig, width: int, layers: int, inputs: int, dense: int, skips: bool) -> None:
        super().__init__(game, width, layers)
        self.skips = skips
        self.own, self.first, self.bits = sizes(game)
        self.has_greedy_action = inputs > self.own + game.observation_bits
        self.net = relu_layers(inputs, *[width] * dense)
        self.lstm = nn.LSTM(width, width, layers)
        self.fc_a = nn.Linear(width, self.outputs)

    @override
    def forward(self, seen: Tensor, hidden: Hidden) -> tuple[Tensor, Hidden]:
        last_action = seen[:, self.first : self.first + self.bits * self.has_greedy_action]
        x = self.net(torch.cat([F.pad(seen, (self.own, 0)), last_action], 1))
        remembered, hidden = self.lstm(x[None], hidden)
        return self.fc_a(remembered[0] + x if self.skips else remembered[0]), hidden


def sizes(game: HanabiConfig) -> tuple[int, int, int]:
    """Return the size of the section for the player's hand, and the first bit and the size of the last action."""
    rules = game.rules()
    ((first, bits),) = ((at, length) for name, at, length in section_index(rules) if name == "last_action")
    return rules.hand_size * rules.suits * rules.ranks, first, bits


def inputs_of(game: HanabiConfig) -> list[int]:
    """Return the number of inputs of such a network without and with the greedy action."""
    own, _, bits = sizes(game)
    return [own + game.observation_bits, own + game.observation_bits + bits]


def read(path: Path) -> SadNetwork:
    """Read the network in a file; raise ``ValueError`` if it holds none of this kind.

    Its tensors do not show a skip connection, so the file's name decides (`SKIPS`).
    """
    tensors = without(read_tensors(path), *OF_LEARNING)
    width, inputs = matrix(path, tensors, "net.0.weight")
    outputs, _ = matrix(path, tensors, "fc_a.weight")
    game, skips = standard_game(path, inputs, outputs, inputs_of), SKIPS.fullmatch(path.name) is not None
    dense = sum(re.fullmatch(r"net\.\d+\.weight", name) is not None for name in tensors)
    return filled(path, lambda layers: SadNetwork(game, width, layers, inputs, dense, skips), tensors)
